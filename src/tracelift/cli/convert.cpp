// `tracelift convert`, `export` and `merge`: configurations out of one form into another.
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/query.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/store/open.hpp"
#include "tracelift/trace/run.hpp"

namespace tracelift::cli {
namespace {

namespace fs = std::filesystem;

// --format, else what the extension of the file says, else format 2.
ExportFormat format_of(const Options& options, const fs::path& path) {
    const std::string extension = path.extension().string();
    const std::string name = options.value_or("--format", extension == ".jsonl" ? "jsonl"
                                                          : extension == ".csv" ? "csv"
                                                                                : "2");
    return name == "1"       ? ExportFormat::FORMAT_1
           : name == "jsonl" ? ExportFormat::JSONL
           : name == "csv"   ? ExportFormat::CSV
                             : ExportFormat::FORMAT_2;
}

ExportOptions export_options(const Options& options, const fs::path& path) {
    ExportOptions result;
    result.format = format_of(options, path);
    if (const auto name = options.value("--hash")) {
        result.hash = variant_of_name(*name).value();
    }
    return result;
}

// Throws Interrupted, as long as it has not all been written.
ExportReport write_to(Catalog& store, ExportOptions options, const std::string& path) {
    options.progress = configuration_progress();
    if (path == "-") {  // what goes wrong with it is found where the program ends
        options.progress = [](uint64_t) { Interrupts::check(); };  // a terminal has the output
        return export_configurations(store, options,
                                     [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    }
    ReplacedFile file(path);
    const ExportReport report = export_configurations(store, options, [&](std::string_view text) { file.write(text); });
    file.finish();
    file.rename();
    return report;
}

Json to_json(const ExportReport& report) {
    return {{"operations", report.operations},
            {"configurations", report.configurations},
            {"new_hashes", report.new_hashes}};
}

int tell(const ExportReport& report, const std::string& path, const Options& options) {
    if (path == "-" || is_standard_output(path)) {
        return 0;
    }
    if (options.json()) {
        Json told{{"file", path}};
        told.update(to_json(report));
        print_json(told);
        return 0;
    }
    fmt::print("💾 {}: {} operations, {} configurations\n", path, grouped(report.operations),
               grouped(report.configurations));
    return 0;
}

// A file is replaced as a whole or not at all; what was written into a pipe is gone.
int tell_interrupted(int signal, const std::string& path, const Options& options) {
    const bool streamed = path == "-" || is_standard_output(path);
    if (options.json() && !streamed) {
        Json told{{"file", nullptr}};
        told.update(to_json(ExportReport()));
        told["ended_by"] = signal_name(signal);
        print_json(told);
    }
    std::error_code unknown;
    const bool replaced = !streamed && (fs::is_regular_file(path, unknown) || !fs::exists(path, unknown));
    fmt::print(stderr, "tracelift {}: ended by {}; {} {}. To continue, run the same command again.\n",
               options.command().name, signal_name(signal), streamed ? "the output" : path,
               replaced ? "was not written" : "is not complete");
    return interrupted_status(signal);
}

int convert(const Options& options, const std::string& path) {
    const ExportOptions settings = export_options(options, path);
    OpenedStore store(fs::path(options.positional()[0]));
    return tell(write_to(*store, settings, path), path, options);
}

int run_convert(const Options& options) {
    const std::string& path = options.positional()[1];
    const Interrupts interrupts;
    try {
        return convert(options, path);
    } catch (const Interrupted& interrupted) {
        return tell_interrupted(interrupted.signal, path, options);
    }
}

int export_stored(const Options& options, const std::string& path) {
    ExportOptions settings = export_options(options, path);
    OpenedStore store(options);
    if (const auto name = options.value("--op")) {
        for (const OperationSummary& found : find_stored(store->operations(), *name)) {
            settings.operations.push_back(found.name);
        }
    }
    settings.query = checked_query(*store, options);
    const ExportReport report = write_to(*store, settings, path);
    if (report.configurations == 0) {
        fmt::print(stderr, "tracelift export: no configuration matches\n");
        return 1;
    }
    return tell(report, path, options);
}

int run_export(const Options& options) {
    const std::string& path = options.positional().front();
    const Interrupts interrupts;
    try {
        return export_stored(options, path);
    } catch (const Interrupted& interrupted) {
        return tell_interrupted(interrupted.signal, path, options);
    }
}

Json to_json(const Added& added) {
    return {{"new_configurations", added.configurations},
            {"known_configurations", added.known},
            {"new_executions", added.executions}};
}

// Where a merge is put together: for a file in a scratch folder, for a store beside where it will be. The store appears
// whole or not at all.
class MergePlace {
public:
    MergePlace(const fs::path& target, bool is_file) {
        if (is_file) {
            path_ = scratch_.emplace().path();
            return;
        }
        const fs::path whole = fs::weakly_canonical(fs::absolute(target));
        store_ = whole.has_filename() ? whole : whole.parent_path();
        path_ = store_.parent_path() / fmt::format(".{}.{}.partial", store_.filename().string(), getpid());
    }
    ~MergePlace() {
        if (!scratch_) {
            std::error_code ignored;
            fs::remove_all(path_, ignored);
        }
    }
    MergePlace(const MergePlace&) = delete;
    MergePlace& operator=(const MergePlace&) = delete;

    const fs::path& path() const { return path_; }
    void publish() const {
        if (!scratch_) {
            fs::rename(path_, store_);  // over an empty folder, too
        }
    }

private:
    std::optional<ScratchFolder> scratch_;
    fs::path path_;
    fs::path store_;
};

// Tells each input as it is taken in; throws Interrupted.
void merge_inputs(const Options& options, const fs::path& place, bool keep_master, Json& inputs) {
    TraceOptions import;
    import.directory = place;
    import.keep_master = keep_master;
    import.filter.keep_all();
    for (const std::string& input : options.positional()) {
        Interrupts::check();
        import.progress = configuration_progress();
        const auto reports = import_path(input, import);
        import.progress = {};  // clears its line
        for (const TraceReport& report : reports) {
            Json told = to_json(report.added);
            told["input"] = input;
            if (!options.json()) {
                fmt::print("📥 {}: {} new configurations, {} known\n", input, grouped(report.added.configurations),
                           grouped(report.added.known));
            }
            inputs.push_back(std::move(told));
        }
    }
    Interrupts::check();
}

size_t configurations_in(Catalog& store) {
    size_t total = 0;
    for (const OperationSummary& operation : store.operations()) {
        total += static_cast<size_t>(operation.configurations);
    }
    return total;
}

int tell_interrupted_merge(int signal, const std::string& target, const Json& inputs, const Options& options) {
    if (options.json()) {
        print_json({{"inputs", inputs}, {"output", nullptr}, {"configurations", 0}, {"ended_by", signal_name(signal)}});
    }
    fmt::print(
        stderr,
        "tracelift merge: ended by {} after {} of {} inputs; {} was not written. To continue, run the same command "
        "again.\n",
        signal_name(signal), inputs.size(), options.positional().size(), target);
    return interrupted_status(signal);
}

int run_merge(const Options& options) {
    const auto target = options.value("--output");
    if (!target) {
        throw UsageError{"expected -o OUT, the store or file to make"};
    }
    const bool file = fs::path(*target).has_extension();
    const ExportOptions settings = export_options(options, *target);
    if (!file && fs::exists(*target) && !fs::is_empty(*target)) {
        throw std::runtime_error(fmt::format("{}: already exists; merge makes a new store", *target));
    }
    const Interrupts interrupts;
    Json inputs = Json::array();
    size_t total = 0;
    try {
        const MergePlace place(*target, file);
        merge_inputs(options, place.path(), !file, inputs);
        {
            const auto store = open_for_reading(place.path());
            total = configurations_in(*store);
            if (file) {
                write_to(*store, settings, *target);
            }
        }
        place.publish();
    } catch (const Interrupted& interrupted) {
        return tell_interrupted_merge(interrupted.signal, *target, inputs, options);
    }
    if (options.json()) {
        print_json({{"inputs", inputs}, {"output", *target}, {"configurations", total}});
    } else {
        fmt::print("💾 {}: {} configurations\n", *target, grouped(total));
    }
    return 0;
}

constexpr OptionInfo format_option{"--format", "1|2|jsonl|csv",
                                   "what to write (default: by the extension of the file, else a master of format 2)"};
constexpr OptionInfo hash_option{"--hash", "H1|H2|H3|H4|H5",
                                 "how to compute config_hash for configurations without one (default: H5)"};

constexpr ArgumentInfo convert_arguments[] = {{"IN", "a master, trace or store"},
                                              {"OUT", "the file to write; '-' is standard output"}};
constexpr OptionInfo convert_options[] = {format_option, hash_option, json_option};

constexpr ArgumentInfo export_arguments[] = {{"FILE", "the file to write; '-' is standard output"}};
constexpr OptionInfo export_options_list[] = {
    {"--op", "OP", "only this operation"},
    model_option,
    hardware_option,
    {"--since", "TIME", "only what runs since then executed: 2026-01-31 or '2026-01-31 10:00:00'"},
    format_option,
    hash_option,
    dir_option,
    json_option};

constexpr ArgumentInfo merge_arguments[] = {{"IN", "masters, traces and stores", 2, any_number}};
constexpr OptionInfo merge_options[] = {
    {"-o,--output", "OUT", "the store (a new folder) or file to make"}, format_option, hash_option, json_option};

}  // namespace

const Command convert_command{.name = "convert",
                              .help = "write a master, trace or store in another format",
                              .example = "tracelift convert master.json calls.jsonl",
                              .arguments = convert_arguments,
                              .options = convert_options,
                              .statuses = "0 done, 1 failed, 2 wrong usage, 130 or 143 ended by a signal",
                              .run = run_convert};
const Command export_command{
    .name = "export",
    .help = "write stored configurations to a file",
    .example = "tracelift export bert.json --model bert --format 1",
    .arguments = export_arguments,
    .options = export_options_list,
    .statuses = "0 done, 1 failed or nothing to write, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_export};
const Command merge_command{.name = "merge",
                            .help = "merge masters, traces and stores into a new store or file",
                            .example = "tracelift merge a.json b.json -o merged.json",
                            .arguments = merge_arguments,
                            .options = merge_options,
                            .statuses = "0 done, 1 failed, 2 wrong usage, 130 or 143 ended by a signal",
                            .run = run_merge};

}  // namespace tracelift::cli
