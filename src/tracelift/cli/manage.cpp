// `tracelift verify`, `gc`, `models`, `runs` and `delete-run`: looking after a store.
#include <charconv>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/store/verify.hpp"

namespace tracelift::cli {
namespace {

Json to_json(const VerifyReport& report) {
    Json groups = Json::array();
    for (const auto& group : report.groups) {
        groups.push_back({{"operation", cpp_name(group.operation)},
                          {"identity", group.identity},
                          {"configurations", group.configurations}});
    }
    return {{"errors", report.errors},
            {"warnings", report.warnings},
            {"configurations", report.configurations},
            {"identities", report.identities},
            {"config_hash_variants", report.variants},
            {"config_hash_unknown", report.other_hashes},
            {"equal_identity_groups", std::move(groups)},
            {"ledger",
             {{"bound", report.bound},
              {"unbound", report.unbound},
              {"with_unparsed_arguments", report.with_unparsed},
              {"with_lost_arguments", report.with_lost},
              {"unread_pieces", report.unread},
              {"executions", report.executions}}}};
}

void print(const VerifyReport& report) {
    fmt::print("configurations: {} with {} identities; {} bound to a declaration, {} kept as stored\n",
               report.configurations, report.identities, report.bound, report.unbound);
    fmt::print(
        "ledger: {} executions; {} configurations with unparsed arguments, {} with arguments the capture lost, "
        "{} unread pieces\n",
        report.executions, report.with_unparsed, report.with_lost, report.unread);
    uint64_t matched = 0;
    for (const auto& [variant, count] : report.variants) {
        matched += count;
    }
    if (matched + report.other_hashes != 0) {
        fmt::print("config_hash: {} of {} computed again\n", matched, matched + report.other_hashes);
        for (const auto& [variant, count] : report.variants) {
            fmt::print("  {:<28} {}\n", variant, count);
        }
    }
    if (!report.groups.empty()) {
        fmt::print("{} groups of configurations with equal identity that their files list separately:\n",
                   report.groups.size());
        for (const auto& group : report.groups) {
            fmt::print("  {} {}: {} configurations\n", cpp_name(group.operation), group.identity.substr(0, 12),
                       group.configurations);
        }
    }
    for (const std::string& warning : report.warnings) {
        fmt::print("⚠️  {}\n", warning);
    }
    for (const std::string& error : report.errors) {
        fmt::print("❌ {}\n", error);
    }
    fmt::print("{}\n", report.errors.empty() ? "✅ the store is sound" : "the store is damaged");
}

int run_verify(const Options& options) {
    OpenedStore store = options.positional().empty() ? OpenedStore(options)
                                                     : OpenedStore(std::filesystem::path(options.positional()[0]));
    const VerifyReport report = verify_store(*store, configuration_progress());
    options.json() ? print_json(to_json(report)) : print(report);
    return report.errors.empty() ? 0 : 1;
}

int run_gc(const Options& options) {
    const auto directory = store_directory(options.value("--dir"));
    open_for_reading(directory);  // says when there is none
    const auto store = open_for_writing(directory);
    const uint64_t before = store->bytes();
    const int64_t rows = store->collect_garbage();
    const uint64_t after = store->bytes();
    if (options.json()) {
        print_json({{"rows", rows}, {"bytes_before", before}, {"bytes_after", after}});
    } else {
        fmt::print("deleted {} rows that nothing refers to; {} bytes before, {} now\n", rows, grouped(before),
                   grouped(after));
    }
    return 0;
}

int run_models(const Options& options) {
    OpenedStore store(options);
    Json list = Json::array();
    if (!options.json()) {
        fmt::print("{:<28} {:<14} {:>14} {:>12}  {}\n", "model", "family", "configurations", "executions", "source");
    }
    for (const ModelSummary& model : store->model_summaries()) {
        if (options.json()) {
            list.push_back({{"name", model.name},
                            {"family", model.family.empty() ? Json() : Json(model.family)},
                            {"source", model.source},
                            {"configurations", model.configurations},
                            {"executions", model.executions}});
        } else {
            fmt::print("{:<28} {:<14} {:>14} {:>12}  {}\n", model.name, model.family, model.configurations,
                       model.executions, model.source);
        }
    }
    if (options.json()) {
        print_json(list);
    }
    return 0;
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json to_json(const RunSummary& summary) {
    const TraceRun& run = summary.run;
    return {{"id", summary.id},
            {"uid", run.uid},
            {"target", run.target},
            {"started", run.started},
            {"outcome", run.outcome},
            {"captured", run.captured},
            {"kept", run.kept},
            {"models", summary.models},
            {"machine_info", machine_info(run.hardware)},
            {"arguments", or_null(run.arguments)},
            {"tool_version", or_null(summary.tool_version)},
            {"git_commit", or_null(run.git_commit)},
            {"software", or_null(run.software)},
            {"configurations", summary.configurations},
            {"executions", summary.executions}};
}

int run_runs(const Options& options) {
    OpenedStore store(options);
    Json list = Json::array();
    for (const RunSummary& summary : store->runs()) {
        if (options.json()) {
            list.push_back(to_json(summary));
            continue;
        }
        const TraceRun& run = summary.run;
        fmt::print("{:>4}  {}  {:<9} {} configurations, {} executions\n      {}  {}\n", summary.id, run.started,
                   run.outcome, summary.configurations, summary.executions, run.uid, run.target);
        fmt::print("      models: {}\n", fmt::join(summary.models, ", "));
        if (run.hardware) {
            fmt::print("      {} {}, {} card{}, mesh {}\n", run.hardware->board_type, run.hardware->device_series,
                       run.hardware->card_count, run.hardware->card_count == 1 ? "" : "s",
                       run.hardware->mesh_shape.empty() ? "not known" : mesh_text(run.hardware->mesh_shape));
        }
        if (!run.git_commit.empty() || !run.arguments.empty()) {
            fmt::print("      commit {}  arguments {}\n", run.git_commit.empty() ? "-" : run.git_commit,
                       run.arguments.empty() ? "-" : run.arguments);
        }
    }
    if (options.json()) {
        print_json(list);
    }
    return 0;
}

int run_delete_run(const Options& options) {
    const std::string& wanted = options.positional().front();
    const auto directory = store_directory(options.value("--dir"));
    int64_t id = 0;
    const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
    const bool number = problem == std::errc() && end == wanted.data() + wanted.size();
    for (const RunSummary& summary : open_for_reading(directory)->runs()) {
        if (summary.run.uid == wanted) {
            id = summary.id;
        }
    }
    if (!(number || id != 0) || !open_for_writing(directory)->delete_run(id)) {
        throw std::runtime_error(fmt::format("there is no run '{}'; 'tracelift runs' lists them", wanted));
    }
    options.json() ? print_json({{"deleted", id}}) : fmt::print("deleted run {}\n", id);
    return 0;
}

constexpr OptionInfo reading_options[] = {dir_option, json_option};
constexpr OptionInfo changing_options[] = {folder_option, json_option};
constexpr ArgumentInfo verify_arguments[] = {{"STORE", "a store or master, instead of --dir", 0, 1}};
constexpr ArgumentInfo run_arguments[] = {{"RUN", "the id or uid of a run ('tracelift runs')"}};

}  // namespace

const Command verify_command{.name = "verify",
                             .help = "check hashes, references and ledger of a store",
                             .example = "tracelift verify master.json",
                             .arguments = verify_arguments,
                             .options = reading_options,
                             .statuses = "0 it is sound, 1 it is damaged or cannot be read, 2 wrong usage",
                             .run = run_verify};
const Command gc_command{.name = "gc",
                         .help = "delete what nothing refers to and reclaim the space",
                         .example = "tracelift gc",
                         .options = changing_options,
                         .run = run_gc};
const Command models_command{.name = "models",
                             .help = "list the models that were traced",
                             .example = "tracelift models",
                             .options = reading_options,
                             .run = run_models};
const Command runs_command{.name = "runs",
                           .help = "list the trace runs",
                           .example = "tracelift runs --json",
                           .options = reading_options,
                           .run = run_runs};
const Command delete_run_command{.name = "delete-run",
                                 .help = "delete a run, with the configurations that no other run executed",
                                 .example = "tracelift delete-run 3",
                                 .arguments = run_arguments,
                                 .options = changing_options,
                                 .run = run_delete_run};

}  // namespace tracelift::cli
