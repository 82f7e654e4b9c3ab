#include "tracelift/sweep/record_json.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace tracelift {
namespace {

// The members that are plain texts, by the keys they are written under.
constexpr std::pair<const char*, std::string SweepRun::*> run_texts[] = {
    {"started", &SweepRun::started},       {"finished", &SweepRun::finished},
    {"version", &SweepRun::version},       {"command", &SweepRun::command},
    {"contents", &SweepRun::contents},     {"host", &SweepRun::host},
    {"card_type", &SweepRun::card_type},   {"git_commit", &SweepRun::git_commit},
    {"git_branch", &SweepRun::git_branch}, {"git_author", &SweepRun::git_author},
    {"shard", &SweepRun::shard},           {"environment", &SweepRun::environment}};

constexpr std::pair<const char*, std::string ResultRecord::*> record_texts[] = {
    {"vector_id", &ResultRecord::vector_id}, {"sweep_name", &ResultRecord::sweep_name},
    {"suite", &ResultRecord::suite},         {"operation", &ResultRecord::operation},
    {"identity", &ResultRecord::identity},   {"message", &ResultRecord::message},
    {"exception", &ResultRecord::exception}, {"started", &ResultRecord::started},
    {"ended", &ResultRecord::ended},         {"source", &ResultRecord::source}};

constexpr std::pair<const char*, std::optional<double> ResultRecord::*> record_measures[] = {
    {"pcc", &ResultRecord::pcc},
    {"max_ulp", &ResultRecord::max_ulp},
    {"max_relative", &ResultRecord::max_relative},
    {"max_absolute", &ResultRecord::max_absolute}};

double number_of(const Json& json) {
    const Value value = from_json(json);
    if (const auto* number = value.as<double>()) {
        return *number;
    }
    if (const auto* whole = value.as<int64_t>()) {
        return static_cast<double>(*whole);
    }
    throw std::invalid_argument(fmt::format("expected a number, got {}", json.dump()));
}

constexpr std::pair<std::string_view, Status> spec_words[] = {
    {"fail_assert_exception", Status::FAIL},
    {"fail_crash_hang", Status::FAIL_CRASH},
    {"skipped", Status::NOT_RUN},
    {"fail_l1_out_of_mem", Status::OUT_OF_MEMORY},
    {"fail_unsupported_device_perf", Status::FAIL_DEVICE_PERF}};

}  // namespace

Status status_of_word(std::string_view word) {
    if (const auto status = ttnn::member_of<Status>(word)) {
        return *status;
    }
    for (const auto& [known, status] : spec_words) {
        if (known == word) {
            return status;
        }
    }
    throw std::invalid_argument(fmt::format("no status '{}'", word));
}

Json to_json(const SweepRun& run) {
    Json json = Json::object();
    for (const auto& [key, member] : run_texts) {
        json[key] = run.*member;
    }
    return json;
}

SweepRun run_from_json(const Json& json) {
    SweepRun run;
    for (const auto& [key, member] : run_texts) {
        run.*member = json.at(key).get<std::string>();
    }
    return run;
}

Json to_json(const ResultRecord& record) {
    Json json = Json::object();
    for (const auto& [key, member] : record_texts) {
        json[key] = record.*member;
    }
    json["configuration"] = record.configuration;
    json["status"] = ttnn::member_name(record.status);
    for (const auto& [key, member] : record_measures) {
        if (record.*member) {
            json[key] = to_json(Value(*(record.*member)));
        }
    }
    if (record.equal) {
        json["equal"] = *record.equal;
    }
    json["milliseconds"] = record.milliseconds;
    for (const Metric& metric : record.metrics) {
        json["metrics"][metric.name] = to_json(Value(metric.value));
    }
    json["parameters"] = record.parameters;
    return json;
}

ResultRecord record_from_json(const Json& json) {
    ResultRecord record;
    for (const auto& [key, member] : record_texts) {
        record.*member = json.at(key).get<std::string>();
    }
    record.configuration = json.at("configuration").get<int64_t>();
    record.status = status_of_word(json.at("status").get_ref<const std::string&>());
    for (const auto& [key, member] : record_measures) {
        if (const auto found = json.find(key); found != json.end()) {
            record.*member = number_of(*found);
        }
    }
    if (const auto equal = json.find("equal"); equal != json.end()) {
        record.equal = equal->get<bool>();
    }
    record.milliseconds = json.at("milliseconds").get<double>();
    if (const auto metrics = json.find("metrics"); metrics != json.end()) {
        for (const auto& [name, value] : metrics->items()) {
            record.metrics.push_back({name, number_of(value)});
        }
    }
    record.parameters = json.at("parameters");
    return record;
}

}  // namespace tracelift
