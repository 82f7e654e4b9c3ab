#include "tracelift/catalog/sqlite/results.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/json_text.hpp"
#include "tracelift/catalog/sqlite/rows.hpp"
#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {
namespace {

SweepRun run_of(stored::SweepRunRow row) {
    return {.id = row.id.value_or(0),
            .started = std::move(row.started),
            .finished = std::move(row.finished).value_or(""),
            .version = std::move(row.version),
            .command = std::move(row.command),
            .contents = std::move(row.contents),
            .host = std::move(row.host),
            .card_type = std::move(row.card_type),
            .git_commit = std::move(row.git_commit),
            .git_branch = std::move(row.git_branch),
            .git_author = std::move(row.git_author),
            .environment = std::move(row.environment),
            .shard = std::move(row.shard)};
}

Json object_of(std::string_view text, std::string_view what) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        throw StoreError(fmt::format("the {} of a result are damaged: expected a JSON object", what));
    }
    return json;
}

std::string metrics_text(const std::vector<Metric>& metrics) {
    Json object = Json::object();
    for (const Metric& metric : metrics) {
        object[metric.name] = metric.value;
    }
    return json_text(object);
}

ResultRecord record_of(stored::SweepResultRow& row) {
    const auto status = ttnn::member_of<Status>(row.status);
    if (!status) {
        throw StoreError(fmt::format("the result of {} has the unknown status '{}'", row.vector_id, row.status));
    }
    ResultRecord result;
    result.vector_id = std::move(row.vector_id);
    result.sweep_name = std::move(row.sweep_name);
    result.suite = std::move(row.suite);
    result.operation = std::move(row.operation);
    result.identity = std::move(row.identity);
    result.configuration = row.configuration_id.value_or(0);
    result.status = *status;
    result.message = std::move(row.message);
    result.exception = std::move(row.exception);
    result.pcc = row.pcc;
    result.max_ulp = row.max_ulp;
    result.max_relative = row.max_relative;
    result.max_absolute = row.max_absolute;
    result.equal = row.equal;
    result.milliseconds = row.milliseconds;
    result.started = std::move(row.started);
    result.ended = std::move(row.ended);
    result.source = std::move(row.source);
    const Json metrics = object_of(row.metrics, "metrics");
    for (const auto& [name, value] : metrics.items()) {
        result.metrics.push_back({name, value.is_number() ? value.get<double>() : std::nan("")});
    }
    result.parameters = object_of(row.parameters, "parameters");
    return result;
}

stored::SweepResultRow row_of(int64_t sweep, const ResultRecord& result) {
    return {.id = {},
            .sweep_run_id = sweep,
            .vector_id = result.vector_id,
            .sweep_name = result.sweep_name,
            .suite = result.suite,
            .operation = result.operation,
            .identity = result.identity,
            .configuration_id = result.configuration == 0 ? std::nullopt : std::optional(result.configuration),
            .status = std::string(ttnn::member_name(result.status)),
            .message = result.message,
            .exception = result.exception,
            .pcc = result.pcc,
            .max_ulp = result.max_ulp,
            .max_relative = result.max_relative,
            .max_absolute = result.max_absolute,
            .equal = result.equal,
            .milliseconds = result.milliseconds,
            .started = result.started,
            .ended = result.ended,
            .source = result.source,
            .metrics = metrics_text(result.metrics),
            .parameters = json_text(result.parameters)};
}

}  // namespace

void part_results(Database& database) {
    database.run(
        "UPDATE sweep_result SET configuration_id = NULL WHERE configuration_id IN (SELECT id FROM configuration WHERE "
        "id NOT IN (SELECT configuration_id FROM execution))");
}

void join_results(Database& database) {
    // A vector of a configuration that its file lists again ends in its ordinal.
    database.run(
        "UPDATE sweep_result SET configuration_id = coalesce((SELECT c.id FROM configuration c WHERE c.identity = "
        "sweep_result.identity AND c.identity || '#' || c.ordinal = sweep_result.vector_id), (SELECT c.id FROM "
        "configuration c WHERE c.identity = sweep_result.identity ORDER BY c.ordinal LIMIT 1)) "
        "WHERE configuration_id IS NULL AND identity != ''");
}

int64_t Store::begin_sweep(const SweepRun& run) {
    return Insert<stored::SweepRunRow>(database_).id_of(
        {.id = {},
         .started = run.started.empty() ? utc_instant() : run.started,
         .finished = run.finished.empty() ? std::nullopt : std::optional(run.finished),
         .version = run.version.empty() ? TRACELIFT_VERSION : run.version,
         .command = run.command,
         .contents = run.contents,
         .host = run.host,
         .card_type = run.card_type,
         .git_commit = run.git_commit,
         .git_branch = run.git_branch,
         .git_author = run.git_author,
         .environment = run.environment,
         .shard = run.shard});
}

void Store::add_results(int64_t sweep, std::span<const ResultRecord> results) {
    using Row = stored::SweepResultRow;
    Transaction transaction(database_);
    Insert<Row> insert(database_, "INSERT", upsert_clause<Row>(TableOf<Row>::unique, "id"));
    // The vector of a configuration that a file lists again ends in its ordinal: "<identity>#1".
    Statement find(
        database_,
        "SELECT id FROM configuration WHERE identity = ?1 ORDER BY ?2 <> identity || '#' || ordinal, ordinal "
        "LIMIT 1");
    for (const ResultRecord& result : results) {
        Row row = row_of(sweep, result);
        if (!row.configuration_id && !row.identity.empty()) {
            row.configuration_id = find.with(row.identity, row.vector_id).value<int64_t>();
        }
        insert(row);
    }
    transaction.commit();
}

void Store::finish_sweep(int64_t sweep) {
    Statement(database_, "UPDATE sweep_run SET finished = ? WHERE id = ?").with(utc_instant(), sweep).run();
}

void Store::visit_results(const ResultQuery& query, ttnn::FunctionRef<bool(int64_t, ResultRecord&)> visit) {
    std::string where =
        "WHERE (?1 = '' OR operation = ?1) AND (?2 = '' OR status = ?2) AND (?3 = '' OR iif(started = '', (SELECT "
        "w.started FROM sweep_run w WHERE w.id = sweep_run_id), started) >= ?3) AND (?4 = 0 OR sweep_run_id = ?4)";
    if (query.latest_only && query.sweep == 0) {
        where +=
            " AND NOT EXISTS (SELECT 1 FROM sweep_result n WHERE n.vector_id = sweep_result.vector_id AND n.suite = "
            "sweep_result.suite AND n.sweep_name = sweep_result.sweep_name AND n.sweep_run_id > "
            "sweep_result.sweep_run_id)";
    }
    Select<stored::SweepResultRow> select(database_, where + " ORDER BY sweep_run_id, id");
    select.with(query.operation, query.status, query.since, query.sweep);
    for (stored::SweepResultRow row; select.next(row);) {
        ResultRecord result = record_of(row);
        if (!visit(row.sweep_run_id, result)) {
            return;
        }
    }
}

std::vector<SweepRun> Store::sweeps() {
    std::vector<SweepRun> runs;
    for (auto& row : Select<stored::SweepRunRow>(database_, "ORDER BY id DESC").all()) {
        runs.push_back(run_of(std::move(row)));
    }
    return runs;
}

std::map<std::string, double> Store::recorded_cost() {
    Statement select(database_,
                     "SELECT identity, vector_id, milliseconds FROM sweep_result WHERE milliseconds > 0 AND status NOT "
                     "IN ('not_run', 'too_large') AND sweep_run_id IN (SELECT id FROM sweep_run WHERE shard = '' AND "
                     "finished IS NOT NULL)");
    std::map<std::string, std::vector<double>> times;
    while (select.step()) {
        const auto [identity, vector, milliseconds] = select.row<std::string, std::string, double>();
        times[vector].push_back(milliseconds);
        if (!identity.empty() && identity != vector) {
            times[identity].push_back(milliseconds);
        }
    }
    std::map<std::string, double> cost;
    for (auto& [key, of_key] : times) {
        const auto middle = of_key.begin() + static_cast<ptrdiff_t>(of_key.size() / 2);
        std::ranges::nth_element(of_key, middle);
        const double upper = *middle;
        cost[key] = of_key.size() % 2 == 1 ? upper : (upper + *std::max_element(of_key.begin(), middle)) / 2;
    }
    return cost;
}

}  // namespace tracelift
