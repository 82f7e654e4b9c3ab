#include "tracelift/sweep_report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "tracelift/sweep_report/result_file.hpp"

namespace tracelift {
namespace {

double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

// What a record was run with, to count different ones.
std::string configuration_text(const ResultRecord& record) {
    if (!record.parameters.empty()) {
        return record.sweep_name + record.parameters.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return record.identity.empty() ? record.vector_id : record.identity;
}

void add_to_suites(std::vector<SuiteSummary>& suites, const ResultRecord& record) {
    auto found = std::ranges::find(suites, record.suite, &SuiteSummary::name);
    if (found == suites.end()) {
        suites.push_back({record.suite, {}, 0});
        found = suites.end() - 1;
    }
    found->tally.add(record.status);
}

void add_to_operation(OperationResults& row, const ResultRecord& record) {
    row.tally.add(record.status);
    row.milliseconds += record.milliseconds;
    if (const auto pcc = accuracy_of(record)) {
        row.worst_pcc = std::min(row.worst_pcc.value_or(*pcc), *pcc);
    }
    if (record.max_ulp) {
        row.worst_ulp = std::max(row.worst_ulp.value_or(0), *record.max_ulp);
    }
}

Weighted weigh(std::span<const ResultRecord> records, const ExecutionCounts& executions) {
    Weighted weighted;
    for (const ResultRecord& record : records) {
        const auto found = executions.find(record.configuration);
        const uint64_t weight = found == executions.end() ? 1 : std::max<uint64_t>(found->second, 1);
        weighted.without_count += found == executions.end() ? 1 : 0;
        weighted.total += weight;
        weighted.passed += record.status == Status::PASS ? weight : 0;
    }
    return weighted;
}

// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const Tally& tally) {
    Json statuses = Json::object();
    for (const auto& [status, count] : tally.by_status) {
        statuses[std::string(ttnn::member_name(status))] = count;
    }
    return {{"total", tally.total},
            {"passed", tally.passed()},
            {"failed", tally.count(Verdict::FAILED)},
            {"expected_failures", tally.count(Verdict::EXPECTED)},
            {"skipped", tally.count(Verdict::SKIPPED)},
            {"not_judged", tally.count(Verdict::NOT_JUDGED)},
            {"faults", tally.count(Verdict::FAULT)},
            {"pass_rate", tally.pass_rate()},
            {"statuses", std::move(statuses)}};
}

Json to_json(const Spread& spread) {
    if (spread.count == 0) {
        return {};
    }
    return {{"count", spread.count},
            {"min", number(spread.least)},
            {"max", number(spread.most)},
            {"mean", number(spread.mean)},
            {"median", number(spread.median)}};
}

Json optional_number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

}  // namespace

void Tally::add(Status status) {
    ++total;
    ++by_verdict[verdict_of(status)];
    ++by_status[status];
}

size_t Tally::count(Verdict verdict) const {
    const auto found = by_verdict.find(verdict);
    return found == by_verdict.end() ? 0 : found->second;
}

double Tally::pass_rate() const { return percent(static_cast<double>(passed()), static_cast<double>(total)); }

double Weighted::pass_rate() const { return percent(static_cast<double>(passed), static_cast<double>(total)); }

double Summary::mean_seconds() const {
    return tally.total == 0 ? 0 : milliseconds / 1000 / static_cast<double>(tally.total);
}

Spread spread_of(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) {
        return {};
    }
    std::ranges::sort(values);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {values.size(), values.front(), values.back(), sum / static_cast<double>(values.size()),
            values[values.size() / 2]};
}

std::optional<double> accuracy_of(const ResultRecord& record) {
    return record.pcc ? record.pcc : plain_number(record.message);
}

Summary summarise(std::span<const ResultRecord> records, const ExecutionCounts* executions) {
    Summary summary;
    std::vector<double> accuracies, durations;
    std::map<std::string, OperationResults> operations;
    std::map<std::string, std::set<std::string>> configurations;  // by suite
    for (const ResultRecord& record : records) {
        summary.tally.add(record.status);
        summary.with_errors += record.exception.empty() ? 0 : 1;
        summary.milliseconds += record.milliseconds;
        durations.push_back(record.milliseconds);
        add_to_suites(summary.suites, record);
        configurations[record.suite].insert(configuration_text(record));
        add_to_operation(operations[operation_of(record)], record);
        if (const auto accuracy = accuracy_of(record); accuracy && record.status == Status::PASS) {
            accuracies.push_back(*accuracy);
        }
    }
    for (SuiteSummary& suite : summary.suites) {
        suite.unique_configurations = configurations[suite.name].size();
    }
    for (auto& [name, row] : operations) {
        row.name = name;
        summary.operations.push_back(std::move(row));
    }
    summary.accuracy = spread_of(std::move(accuracies));
    summary.durations = spread_of(std::move(durations));
    if (executions != nullptr) {
        summary.weighted = weigh(records, *executions);
    }
    return summary;
}

std::vector<const ResultRecord*> worst_of(std::span<const ResultRecord> records, size_t count) {
    std::vector<const ResultRecord*> list;
    for (const ResultRecord& record : records) {
        if (accuracy_of(record)) {
            list.push_back(&record);
        }
    }
    // NaN is worse than any number.
    const auto key = [](const ResultRecord* record) {
        const double pcc = *accuracy_of(*record);
        return std::tuple(std::isnan(pcc) ? -2.0 : pcc, -record->max_ulp.value_or(0));
    };
    std::ranges::stable_sort(list, {}, key);
    list.resize(std::min(count, list.size()));
    return list;
}

Json to_json(const Summary& summary) {
    Json json = to_json(summary.tally);
    json["with_errors"] = summary.with_errors;
    json["milliseconds"] = number(summary.milliseconds);
    json["accuracy"] = to_json(summary.accuracy);
    json["durations"] = to_json(summary.durations);
    if (summary.weighted) {
        json["weighted"] = {{"executions", summary.weighted->total},
                            {"passed", summary.weighted->passed},
                            {"pass_rate", summary.weighted->pass_rate()},
                            {"without_count", summary.weighted->without_count}};
    }
    json["suites"] = Json::array();
    for (const SuiteSummary& suite : summary.suites) {
        Json row = to_json(suite.tally);
        row["suite"] = suite.name;
        row["unique_configurations"] = suite.unique_configurations;
        json["suites"].push_back(std::move(row));
    }
    json["operations"] = Json::array();
    for (const OperationResults& operation : summary.operations) {
        Json row = to_json(operation.tally);
        row["operation"] = operation.name;
        row["milliseconds"] = number(operation.milliseconds);
        row["worst_pcc"] = optional_number(operation.worst_pcc);
        row["worst_ulp"] = optional_number(operation.worst_ulp);
        json["operations"].push_back(std::move(row));
    }
    return json;
}

Json result_object(const ResultRecord& record) {
    Json json{{"vector_id", record.vector_id},
              {"sweep", record.sweep_name},
              {"suite", record.suite},
              {"operation", operation_of(record)},
              {"identity", record.identity},
              {"configuration", record.configuration == 0 ? Json() : Json(record.configuration)},
              {"status", ttnn::member_name(record.status)},
              {"message", record.message},
              {"exception", record.exception},
              {"pcc", optional_number(record.pcc)},
              {"max_ulp", optional_number(record.max_ulp)},
              {"max_relative", optional_number(record.max_relative)},
              {"max_absolute", optional_number(record.max_absolute)},
              {"equal", record.equal ? Json(*record.equal) : Json()},
              {"milliseconds", number(record.milliseconds)},
              {"started", record.started},
              {"ended", record.ended},
              {"source", record.source}};
    Json metrics = Json::object();
    for (const Metric& metric : record.metrics) {
        metrics[metric.name] = number(metric.value);
    }
    json["metrics"] = std::move(metrics);
    json["parameters"] = record.parameters;
    return json;
}

}  // namespace tracelift
