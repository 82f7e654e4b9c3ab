// `tracelift select`: from the targets of a selection registry to configurations.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/selection.hpp"

namespace tracelift::cli {
namespace {

// The runs of a trace that are in the store; its models by their short names.
std::set<int64_t> selected_configurations(Catalog& store, const SelectedTrace& trace) {
    std::set<int64_t> ids;
    for (const RunExecution& execution : store.run_executions(trace.trace_id)) {
        const bool named = std::ranges::find(trace.models, execution.short_name) != trace.models.end() ||
                           std::ranges::find(trace.models, execution.source) != trace.models.end();
        if (trace.all_models || named) {
            ids.insert(execution.configuration);
        }
    }
    return ids;
}

int run_select(const Options& options) {
    const std::string registry = options.value_or("--registry", "registry.yaml");
    OpenedStore store(options);
    if (options.has("--add-drafts")) {
        const size_t added = append_drafts(registry, store->runs());
        options.json() ? print_json({{"registry", registry}, {"added", added}})
                       : fmt::print("{}: {} runs added as drafts\n", registry, added);
        return 0;
    }
    Selection selection = resolve_selection(registry, options.value_or("--scope", ""));
    std::set<int64_t> all;
    Json traces = Json::array();
    for (const SelectedTrace& trace : selection.traces) {
        const auto ids = selected_configurations(*store, trace);
        if (ids.empty()) {
            selection.warnings.push_back(
                fmt::format("trace {} has no such configuration in this store", trace.trace_id));
        }
        all.insert(ids.begin(), ids.end());
        traces.push_back({{"trace", trace.trace_id},
                          {"models", trace.all_models ? Json("all") : Json(trace.models)},
                          {"configurations", ids.size()}});
    }
    const auto output = options.value("--output");
    if (output) {
        ExportOptions settings;
        settings.wanted = [&](const Configuration& configuration) { return all.contains(configuration.id); };
        settings.progress = configuration_progress();
        const Interrupts interrupts;
        ReplacedFile file(*output);
        export_configurations(*store, settings, [&](std::string_view text) { file.write(text); });
        file.finish();
        file.rename();
    }
    if (options.json()) {
        print_json(
            {{"traces", traces}, {"configurations", all.size()}, {"ids", all}, {"warnings", selection.warnings}});
    } else {
        for (const Json& trace : traces) {
            fmt::print("trace {}: {} configurations, models {}\n", trace["trace"].get<int64_t>(),
                       trace["configurations"].get<size_t>(), trace["models"].dump());
        }
        for (const std::string& warning : selection.warnings) {
            fmt::print("⚠️  {}\n", warning);
        }
        fmt::print("{} configurations{}\n", all.size(), output ? " in " + *output : "");
    }
    return all.empty() ? 1 : 0;
}

constexpr OptionInfo options[] = {{"--registry", "FILE", "the registry (default: registry.yaml)"},
                                  {"--scope", "GROUP", "only the targets of this group"},
                                  {"-o,--output", "FILE", "write the selected configurations as a master"},
                                  {"--add-drafts", {}, "add the runs of the store to the registry as drafts"},
                                  dir_option,
                                  json_option};

}  // namespace

const Command select_command{.name = "select",
                             .help = "resolve the targets of a selection registry to configurations",
                             .example = "tracelift select --registry registry.yaml -o selected.json",
                             .options = options,
                             .statuses = "0 done, 1 failed or nothing is selected, 2 wrong usage",
                             .run = run_select};

}  // namespace tracelift::cli
