// `tracelift select`: from the targets of a selection registry to configurations.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/selection.hpp"

namespace tracelift::cli {
namespace {

// The runs of a trace that are in the store; its models by their short names.
std::set<int64_t> selected_configurations(Store& store, const SelectedTrace& trace) {
    std::set<int64_t> ids;
    Statement select(store.database(),
                     "SELECT e.configuration_id, m.short_name, m.name FROM execution e JOIN model m ON m.id = "
                     "e.model_id WHERE e.trace_run_id = ?");
    select.with(trace.trace_id);
    while (select.step()) {
        const bool named = std::ranges::find(trace.models, select.text(1)) != trace.models.end() ||
                           std::ranges::find(trace.models, select.text(2)) != trace.models.end();
        if (trace.all_models || named) {
            ids.insert(select.integer(0));
        }
    }
    return ids;
}

int run_select(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json", "--add-drafts"}, {"--dir", "--registry", "--scope", "-o", "--output"});
    const std::string registry = options.value_or("--registry", "registry.yaml");
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    if (options.has("--add-drafts")) {
        const size_t added = append_drafts(registry, store.runs());
        options.has("--json") ? fmt::print("{}\n", Json{{"registry", registry}, {"added", added}}.dump(2))
                              : fmt::print("{}: {} runs added as drafts\n", registry, added);
        return 0;
    }
    Selection selection = resolve_selection(registry, options.value_or("--scope", ""));
    std::set<int64_t> all;
    Json traces = Json::array();
    for (const SelectedTrace& trace : selection.traces) {
        const auto ids = selected_configurations(store, trace);
        if (ids.empty()) {
            selection.warnings.push_back(
                fmt::format("trace {} has no such configuration in this store", trace.trace_id));
        }
        all.insert(ids.begin(), ids.end());
        traces.push_back({{"trace", trace.trace_id},
                          {"models", trace.all_models ? Json("all") : Json(trace.models)},
                          {"configurations", ids.size()}});
    }
    const auto output = options.value("-o") ? options.value("-o") : options.value("--output");
    if (output) {
        ExportOptions settings;
        settings.wanted = [&](const Configuration& configuration) { return all.contains(configuration.id); };
        ReplacedFile file(*output);
        export_configurations(store, settings, [&](std::string_view text) { file.write(text); });
        file.finish();
        file.rename();
    }
    if (options.has("--json")) {
        fmt::print(
            "{}\n",
            Json{{"traces", traces}, {"configurations", all.size()}, {"ids", all}, {"warnings", selection.warnings}}
                .dump(2));
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

}  // namespace

const Command select_command{"select",
                             "[--registry FILE] [--scope GROUP] [-o MASTER] [--add-drafts] [--dir DIR] [--json]",
                             "resolve the targets of a selection registry to configurations", run_select};

}  // namespace tracelift::cli
