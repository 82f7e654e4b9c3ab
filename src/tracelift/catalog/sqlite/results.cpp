#include "tracelift/catalog/sqlite/results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/json_text.hpp"
#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {
namespace {

constexpr const char* sweep_columns =
    "id, started, coalesce(finished, ''), version, command, contents, host, card_type, git_commit, git_branch, "
    "git_author, environment, shard";

SweepRun read_sweep(const Statement& row) {
    SweepRun run;
    int column = 0;
    run.id = row.integer(column);
    for (std::string* text :
         {&run.started, &run.finished, &run.version, &run.command, &run.contents, &run.host, &run.card_type,
          &run.git_commit, &run.git_branch, &run.git_author, &run.environment, &run.shard}) {
        *text = row.text(++column);
    }
    return run;
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

ResultRecord read_result(const Statement& row) {
    int column = 0;  // of the sweep
    const auto text = [&] { return std::string(row.text(++column)); };
    const auto number = [&] { return row.is_null(++column) ? std::nullopt : std::optional(row.number(column)); };
    ResultRecord result;
    result.vector_id = text();
    result.sweep_name = text();
    result.suite = text();
    result.operation = text();
    result.identity = text();
    result.configuration = row.integer(++column);
    const std::string status = text();
    const auto known = ttnn::member_of<Status>(status);
    if (!known) {
        throw StoreError(fmt::format("the result of {} has the unknown status '{}'", result.vector_id, status));
    }
    result.status = *known;
    result.message = text();
    result.exception = text();
    result.pcc = number();
    result.max_ulp = number();
    result.max_relative = number();
    result.max_absolute = number();
    if (const auto equal = number()) {
        result.equal = *equal != 0;
    }
    result.milliseconds = row.number(++column);
    result.started = text();
    result.ended = text();
    result.source = text();
    const Json metrics = object_of(row.text(++column), "metrics");
    for (const auto& [name, value] : metrics.items()) {
        result.metrics.push_back({name, value.is_number() ? value.get<double>() : std::nan("")});
    }
    result.parameters = object_of(row.text(++column), "parameters");
    return result;
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
    const std::string version = run.version.empty() ? TRACELIFT_VERSION : run.version;
    return Statement(database_,
                     "INSERT INTO sweep_run (started, finished, version, command, contents, host, card_type, "
                     "git_commit, git_branch, git_author, environment, shard) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                     "?)")
        .with(run.started.empty() ? utc_text() : run.started,
              run.finished.empty() ? std::nullopt : std::optional(run.finished), version, run.command, run.contents,
              run.host, run.card_type, run.git_commit, run.git_branch, run.git_author, run.environment, run.shard)
        .insert();
}

void Store::add_results(int64_t sweep, std::span<const ResultRecord> results) {
    Transaction transaction(database_);
    Statement insert(
        database_,
        "INSERT INTO sweep_result (sweep_run_id, vector_id, sweep_name, suite, operation, identity, configuration_id, "
        "status, message, exception, pcc, max_ulp, max_relative, max_absolute, equal, milliseconds, started, ended, "
        "source, metrics, parameters) VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, (SELECT id FROM configuration WHERE "
        "identity = ?6 ORDER BY ordinal LIMIT 1)), ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) "
        "ON CONFLICT (sweep_run_id, vector_id, suite, sweep_name) DO UPDATE SET operation = excluded.operation, "
        "identity = excluded.identity, configuration_id = excluded.configuration_id, status = excluded.status, "
        "message = excluded.message, exception = excluded.exception, pcc = excluded.pcc, max_ulp = excluded.max_ulp, "
        "max_relative = excluded.max_relative, max_absolute = excluded.max_absolute, equal = excluded.equal, "
        "milliseconds = excluded.milliseconds, started = excluded.started, ended = excluded.ended, "
        "source = excluded.source, metrics = excluded.metrics, parameters = excluded.parameters");
    for (const ResultRecord& result : results) {
        insert
            .with(sweep, result.vector_id, result.sweep_name, result.suite, result.operation, result.identity,
                  result.configuration == 0 ? std::nullopt : std::optional(result.configuration),
                  ttnn::member_name(result.status), result.message, result.exception, result.pcc, result.max_ulp,
                  result.max_relative, result.max_absolute, result.equal, result.milliseconds, result.started,
                  result.ended, result.source, metrics_text(result.metrics), json_text(result.parameters))
            .run();
    }
    transaction.commit();
}

void Store::finish_sweep(int64_t sweep) {
    Statement(database_, "UPDATE sweep_run SET finished = ? WHERE id = ?").with(utc_text(), sweep).run();
}

void Store::visit_results(const ResultQuery& query, ttnn::FunctionRef<bool(int64_t, ResultRecord&)> visit) {
    std::string where =
        "(?1 = '' OR s.operation = ?1) AND (?2 = '' OR s.status = ?2) AND (?3 = '' OR "
        "iif(s.started = '', w.started, s.started) >= ?3) AND (?4 = 0 OR s.sweep_run_id = ?4)";
    if (query.latest_only && query.sweep == 0) {
        where +=
            " AND NOT EXISTS (SELECT 1 FROM sweep_result n WHERE n.vector_id = s.vector_id AND n.suite = s.suite "
            "AND n.sweep_name = s.sweep_name AND n.sweep_run_id > s.sweep_run_id)";
    }
    Statement select(database_,
                     fmt::format("SELECT s.sweep_run_id, s.vector_id, s.sweep_name, s.suite, s.operation, s.identity, "
                                 "s.configuration_id, s.status, s.message, s.exception, s.pcc, s.max_ulp, "
                                 "s.max_relative, s.max_absolute, s.equal, s.milliseconds, s.started, s.ended, "
                                 "s.source, s.metrics, s.parameters FROM sweep_result s JOIN sweep_run w ON w.id = "
                                 "s.sweep_run_id WHERE {} ORDER BY s.sweep_run_id, s.id",
                                 where));
    select.with(query.operation, query.status, query.since, query.sweep);
    while (select.step()) {
        ResultRecord result = read_result(select);
        if (!visit(select.integer(0), result)) {
            return;
        }
    }
}

std::vector<SweepRun> Store::sweeps() {
    Statement select(database_, fmt::format("SELECT {} FROM sweep_run ORDER BY id DESC", sweep_columns));
    std::vector<SweepRun> runs;
    while (select.step()) {
        runs.push_back(read_sweep(select));
    }
    return runs;
}

std::optional<SweepRun> Store::find_sweep(std::string_view text) {
    constexpr std::string_view latest = "latest";
    const bool relative = text.starts_with(latest);
    std::string_view digits = relative ? text.substr(latest.size()) : text;
    int64_t number = 0;
    if (relative && digits.starts_with('~')) {
        digits.remove_prefix(1);
    } else if (relative && !digits.empty()) {
        return std::nullopt;
    }
    const bool implied = relative && text == latest;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!implied && (problem != std::errc() || end != digits.data() + digits.size() || number < 0)) {
        return std::nullopt;
    }
    Statement select(database_, fmt::format("SELECT {} FROM sweep_run {}", sweep_columns,
                                            relative ? "ORDER BY id DESC LIMIT 1 OFFSET ?" : "WHERE id = ?"));
    return select.with(number).step() ? std::optional(read_sweep(select)) : std::nullopt;
}

std::map<std::string, double> Store::recorded_cost() {
    Statement select(database_,
                     "SELECT identity, vector_id, milliseconds FROM sweep_result WHERE milliseconds > 0 AND status NOT "
                     "IN ('not_run', 'too_large')");
    std::map<std::string, std::vector<double>> times;
    while (select.step()) {
        const std::string vector(select.text(1));
        times[vector].push_back(select.number(2));
        if (const std::string_view identity = select.text(0); !identity.empty() && identity != vector) {
            times[std::string(identity)].push_back(select.number(2));
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
