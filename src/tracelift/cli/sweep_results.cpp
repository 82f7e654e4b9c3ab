// `tracelift sweep results`: what a sweep found, for people, CI systems and browsers.
#include "tracelift/cli/sweep_results.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/sweep_report/github.hpp"
#include "tracelift/sweep_report/html.hpp"
#include "tracelift/sweep_report/junit.hpp"
#include "tracelift/sweep_report/report_text.hpp"
#include "tracelift/sweep_report/result_file.hpp"
#include "tracelift/sweep_report/result_filter.hpp"

namespace tracelift::cli {
namespace {

constexpr size_t shown_signatures = 10;

ResultFilter filter_of(const Options& options) {
    ResultFilter filter{.operation = options.value_or("--op", ""), .since = options.value_or("--since", "")};
    if (const auto status = options.value("--status"); status && !set_status(filter, *status)) {
        throw UsageError{
            fmt::format("--status takes a status such as fail_crash, or passed, failed, skipped, "
                        "not_judged, expected or fault; got '{}'",
                        *status)};
    }
    return filter;
}

bool from_files(const Options& options) { return options.has("--results-dir") || options.has("--result-file"); }

// The beginning of a time as results have it, at least to the day: they are compared as texts.
bool is_instant(std::string_view text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.dddZ";
    constexpr size_t a_day = 10;
    if (text.ends_with('Z')) {
        text.remove_suffix(1);
    }
    if (text.size() < a_day || text.size() >= form.size()) {
        return false;
    }
    return std::ranges::equal(text, form.substr(0, text.size()), [](char c, char expected) {
        return expected == 'd' ? c >= '0' && c <= '9' : c == expected;
    });
}

void check_usage(const Options& options) {
    if (from_files(options)) {
        for (const char* name : {"--run", "--weight", "--dir"}) {
            if (options.has(name)) {
                throw UsageError{fmt::format("{} is about the store, not about result files", name)};
            }
        }
    }
    if (options.has("--results-dir") && options.has("--result-file")) {
        throw UsageError{"--results-dir and --result-file exclude each other"};
    }
    if (options.has("--metadata-file") && !from_files(options)) {
        throw UsageError{"--metadata-file goes with --results-dir or --result-file"};
    }
    if (const auto since = options.value("--since"); since && !is_instant(*since)) {
        throw UsageError{fmt::format(
            "--since takes a time such as 2026-01-15, 2026-01-15T10:46 or 2026-01-15T10:46:16Z, got '{}'", *since)};
    }
    if (options.has("--run") && (options.has("--since") || options.has("--latest"))) {
        throw UsageError{"--run names one run: --since and --latest cannot choose another"};
    }
}

// The newest result of every vector since then, over all runs.
ResultSet results_since(Catalog& store, const std::string& since) {
    ResultSet set{.label = "since " + since};
    store.visit_results({.since = since, .latest_only = true}, [&](int64_t, ResultRecord& record) {
        set.results.push_back(std::move(record));
        return true;
    });
    return set;
}

ExecutionCounts execution_counts(Catalog& store) {
    ExecutionCounts counts;
    store.visit({}, [&](const Configuration& configuration) {
        for (const Execution& execution : configuration.executions) {
            counts[configuration.id] += static_cast<uint64_t>(execution.count);
        }
        return true;
    });
    return counts;
}

struct Loaded {
    ResultSet set;
    std::optional<ExecutionCounts> executions;
};

Loaded load(const Options& options) {
    if (from_files(options)) {
        const auto path = [&](std::string_view name) -> std::optional<std::filesystem::path> {
            const auto value = options.value(name);
            return value ? std::optional<std::filesystem::path>(*value) : std::nullopt;
        };
        return {read_results({path("--results-dir"), path("--result-file"), path("--metadata-file")}), std::nullopt};
    }
    OpenedStore store(options);
    Loaded loaded;
    loaded.set = options.has("--since") ? results_since(*store, *options.value("--since"))
                                        : stored_results(*store, options.value_or("--run", "latest"));
    if (options.has("--weight")) {
        loaded.executions = execution_counts(*store);
    }
    return loaded;
}

Json to_json(std::span<const FailureGroup> groups) {
    Json list = Json::array();
    for (const FailureGroup& group : groups) {
        list.push_back(
            {{"status", ttnn::member_name(group.status)},
             {"signature", group.signature},
             {"count", group.records.size()},
             {"operations", group.operations},
             {"example", {{"vector_id", group.example->vector_id}, {"message", reason_of(*group.example)}}}});
    }
    return list;
}

Json run_json(const ResultSet& set) {
    const SweepRun& run = set.run;
    return {{"label", set.label},
            {"id", run.id == 0 ? Json() : Json(run.id)},
            {"started", run.started},
            {"finished", run.finished},
            {"command", run.command},
            {"contents", run.contents},
            {"host", run.host},
            {"card_type", run.card_type},
            {"git_commit", run.git_commit},
            {"version", run.version},
            {"shard", run.shard}};
}

void print_json_report(const ResultSet& set, const Summary& summary, std::span<const FailureGroup> groups,
                       std::span<const ResultRecord* const> worst) {
    Json results = Json::array();
    for (const ResultRecord& record : set.results) {
        results.push_back(result_object(record));
    }
    Json report{{"run", run_json(set)},
                {"summary", to_json(summary)},
                {"signatures", to_json(groups)},
                {"results", std::move(results)}};
    if (!worst.empty()) {
        report["worst"] = Json::array();
        for (const ResultRecord* record : worst) {
            report["worst"].push_back(result_object(*record));
        }
    }
    print_json(report);
}

void print_report(const Options& options, const ResultSet& set, const Summary& summary,
                  std::span<const FailureGroup> groups, std::span<const ResultRecord* const> worst) {
    if (options.has("--guide")) {
        fmt::print("{}", guide_text(set, summary));
    } else {
        if (!set.results_from.empty()) {
            fmt::print("📁 Loading results from: {}\n", set.results_from);
        }
        if (!set.metadata_from.empty()) {
            fmt::print("📁 Loading metadata from: {}\n", set.metadata_from);
        }
        fmt::print("{}", report_text(set, summary));
    }
    if (const std::string text = signatures_text(groups, shown_signatures); !text.empty()) {
        fmt::print("\n{}", text);
    }
    if (!worst.empty()) {
        fmt::print("\n{}", worst_text(worst));
    }
}

int run_results(const Options& options) {
    check_usage(options);
    const ResultFilter filter = filter_of(options);
    auto [set, executions] = load(options);
    std::erase_if(set.results, [&](const ResultRecord& record) { return !matches(filter, record); });
    if (set.results.empty()) {
        fmt::print(stderr, "no results: {} has none that match\n", set.label);
        return 1;
    }
    const Summary summary = summarise(set.results, executions ? &*executions : nullptr);
    const auto groups = group_failures(set.results);
    const auto worst = worst_of(set.results, static_cast<size_t>(options.whole_or("--worst", 0)));
    if (options.json()) {
        print_json_report(set, summary, groups, worst);
    } else {
        print_report(options, set, summary, groups, worst);
    }
    if (const auto file = options.value("--junit")) {
        replace_file(*file, junit_xml(set));
    }
    if (const auto file = options.value("--html")) {
        replace_file(*file, html_page(set, summary, groups));
    }
    if (options.has("--github")) {
        fmt::print(options.json() ? stderr : stdout, "{}", github_annotations(groups));
        append_step_summary(github_summary(set, summary, groups));
    }
    return 0;
}

constexpr OptionInfo options[] = {
    {"--op", "OP", "only this operation: ttnn.add, add, or a part of a sweep's name between its dots"},
    {"--status", "STATUS", "only this status, or passed, failed, skipped, not_judged, expected, fault"},
    {"--since", "TIME", "the newest result of every vector since then, over all runs: 2026-01-15 or 2026-01-15T10:46"},
    {"--run", "RUN", "the run: its number, latest, latest~1 (default: latest)"},
    {"--worst", "N", "show the N least accurate too", any_count},
    {"--weight", "executions", "pass rates also by how often models execute a configuration"},
    {"--results-dir", "DIR", "read the newest result files of a folder instead of the store"},
    {"--result-file", "FILE", "read this result file, or the file of a run"},
    {"--metadata-file", "FILE", "the file of the run that the results belong to"},
    {"--latest", {}, "the newest run, which is also what is shown without it"},
    {"--guide", {}, "the short form of the guide"},
    {"--junit", "FILE", "write JUnit XML too"},
    {"--html", "FILE", "write a page with charts too, which needs no other file"},
    {"--github", {}, "print annotations, and append to the file that $GITHUB_STEP_SUMMARY names"},
    dir_option,
    json_option};

}  // namespace

SweepRun found_sweep(Catalog& store, const std::string& run) {
    const auto found = store.find_sweep(run);
    if (!found) {
        const auto known = store.sweeps();
        throw StoreError(fmt::format(
            "no run '{}' of a sweep in {}; {}", run, store.directory().string(),
            known.empty() ? "there is none yet: tracelift sweep run"
                          : fmt::format("the newest is {}, and there are {}", known.front().id, known.size())));
    }
    return *found;
}

ResultSet stored_results(Catalog& store, const std::string& run) {
    const SweepRun found = found_sweep(store, run);
    ResultSet set{.label = fmt::format("run {}", found.id), .has_run = true, .run = found};
    store.visit_results({.sweep = found.id}, [&](int64_t, ResultRecord& record) {
        set.results.push_back(std::move(record));
        return true;
    });
    return set;
}

ResultSet named_results(const Options& options, const std::string& name) {
    if (std::filesystem::is_directory(name)) {
        return read_results({.folder = name});
    }
    if (std::filesystem::exists(name)) {
        return read_results({.result_file = name});
    }
    if (name.find('/') != name.npos || name.ends_with(".json")) {
        throw ResultFileError(fmt::format("{}: no such file or folder", name));
    }
    OpenedStore store(options);
    return stored_results(*store, name);
}

const Command sweep_results_command{.name = "results",
                                    .help = "show what a sweep found: totals, accuracy, failures by signature",
                                    .example = "tracelift sweep results --status failed --html results.html",
                                    .options = options,
                                    .statuses = "0 shown, 1 there are no results, 2 wrong usage",
                                    .run = run_results};

}  // namespace tracelift::cli
