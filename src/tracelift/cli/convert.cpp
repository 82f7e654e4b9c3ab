// `tracelift convert`, `export` and `merge`: configurations out of one form into another.
#include <cstdio>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/import.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/trace/run.hpp"

namespace tracelift::cli {
namespace {

namespace fs = std::filesystem;

ExportFormat format_of(const Options& options) {
    const std::string name = options.value_or("--format", "2");
    if (name == "1" || name == "2") {
        return name == "1" ? ExportFormat::FORMAT_1 : ExportFormat::FORMAT_2;
    }
    if (name == "jsonl" || name == "csv") {
        return name == "jsonl" ? ExportFormat::JSONL : ExportFormat::CSV;
    }
    throw UsageError{fmt::format("--format takes 1, 2, jsonl or csv, got '{}'", name)};
}

ExportOptions export_options(const Options& options) {
    ExportOptions result;
    result.format = format_of(options);
    if (const auto name = options.value("--hash")) {
        const auto variant = variant_of_name(*name);
        if (!variant) {
            throw UsageError{fmt::format("--hash takes H1, H2, H3, H4 or H5, got '{}'", *name)};
        }
        result.hash = *variant;
    }
    return result;
}

ExportReport write_to(Store& store, const ExportOptions& options, const std::string& path) {
    if (path == "-") {
        return export_configurations(store, options,
                                     [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    }
    ReplacedFile file(path);
    const ExportReport report = export_configurations(store, options, [&](std::string_view text) { file.write(text); });
    file.finish();
    file.rename();
    return report;
}

int tell(const ExportReport& report, const std::string& path, const Options& options) {
    if (path == "-") {
        return 0;
    }
    if (options.has("--json")) {
        fmt::print("{}\n", Json{{"file", path},
                                {"operations", report.operations},
                                {"configurations", report.configurations},
                                {"new_hashes", report.new_hashes}}
                               .dump(2));
        return 0;
    }
    fmt::print("💾 {}: {} operations, {} configurations\n", path, report.operations, report.configurations);
    return 0;
}

int run_convert(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"--format", "--hash"});
    if (options.positional().size() != 2) {
        throw UsageError{"expected an input and an output"};
    }
    const ExportOptions settings = export_options(options);
    OpenedStore store(options.positional()[0]);
    return tell(write_to(*store, settings, options.positional()[1]), options.positional()[1], options);
}

int run_export(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"},
                          {"--dir", "--format", "--hash", "--op", "--model", "--hardware", "--since"});
    ExportOptions settings = export_options(options);
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    if (const auto name = options.value("--op")) {
        for (const OperationSummary& found : find_stored(store.operations(), *name)) {
            settings.operations.push_back(found.name);
        }
    }
    settings.query.model = options.value_or("--model", "");
    settings.query.hardware = options.value_or("--hardware", "");
    settings.query.since = options.value_or("--since", "");
    if (!settings.query.model.empty()) {
        check_model(store, settings.query.model);
    }
    const std::string& path = options.only("file to write ('-': standard output)");
    const ExportReport report = write_to(store, settings, path);
    if (report.configurations == 0) {
        fmt::print(stderr, "tracelift export: no configuration was asked for\n");
        return 1;
    }
    return tell(report, path, options);
}

Json to_json(const Added& added) {
    return {{"new_configurations", added.configurations},
            {"known_configurations", added.known},
            {"new_executions", added.executions}};
}

int run_merge(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"-o", "--output", "--format", "--hash"});
    const auto target = options.value("-o") ? options.value("-o") : options.value("--output");
    if (!target || options.positional().size() < 2) {
        throw UsageError{"expected two inputs or more, and -o OUTPUT"};
    }
    const bool file = fs::path(*target).has_extension();
    const ExportOptions settings = export_options(options);
    if (!file && fs::exists(*target) && !fs::is_empty(*target)) {
        throw std::runtime_error(fmt::format("{}: is there already; merge makes a new store", *target));
    }
    std::optional<ScratchFolder> scratch;
    TraceOptions import;
    import.directory = file ? scratch.emplace().path() : fs::path(*target);
    import.keep_master = !file;
    import.filter.keep_all();
    import.progress = import_progress();
    Json inputs = Json::array();
    for (const std::string& input : options.positional()) {
        for (const TraceReport& report : import_path(input, import)) {
            Json told = to_json(report.added);
            told["input"] = input;
            if (!options.has("--json")) {
                fmt::print("📥 {}: {} new configurations, {} known\n", input, report.added.configurations,
                           report.added.known);
            }
            inputs.push_back(std::move(told));
        }
    }
    Store store = Store::open_for_reading(import.directory);
    size_t total = 0;
    for (const OperationSummary& operation : store.operations()) {
        total += static_cast<size_t>(operation.configurations);
    }
    if (file) {
        write_to(store, settings, *target);
    }
    if (options.has("--json")) {
        fmt::print("{}\n", Json{{"inputs", inputs}, {"output", *target}, {"configurations", total}}.dump(2));
    } else {
        fmt::print("💾 {}: {} configurations\n", *target, total);
    }
    return 0;
}

}  // namespace

const Command convert_command{"convert", "IN OUT [--format 1|2|jsonl|csv] [--hash H1..H5] [--json]",
                              "write a master, trace or store in another format", run_convert};
const Command export_command{"export",
                             "FILE [--op OP] [--model M] [--hardware SERIES] [--since TIME] [--format 1|2|jsonl|csv] "
                             "[--hash H1..H5] [--dir DIR] [--json]",
                             "write stored configurations to a file", run_export};
const Command merge_command{"merge", "A B... -o C [--format 1|2|jsonl|csv] [--json]",
                            "merge masters, traces and stores into a new store or file", run_merge};

}  // namespace tracelift::cli
