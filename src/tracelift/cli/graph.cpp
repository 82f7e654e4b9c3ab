// `tracelift graph`: analyses of a captured trace or report file.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/options.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace tracelift::cli {
namespace {

using namespace ttnn::graph;  // NOLINT(google-build-using-namespace): what this file is the command of

Trace load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw std::runtime_error(fmt::format("cannot read '{}', or it is empty", path));
    }
    return read_trace(text.str(), path);
}

int calls(const Trace& trace, const Options& options) {
    const auto names = extract_calltrace(trace);
    if (options.json()) {
        print_json(names);
        return 0;
    }
    for (const std::string& name : names) {
        fmt::print("{}\n", name);
    }
    return 0;
}

int print(const Trace& trace, const Options& options) {
    options.json() ? fmt::print("{}\n", ttnn::graph::to_json(trace, JsonForm::INDENTED))
                   : fmt::print("{}", pretty_format(trace));
    return 0;
}

int table(const Trace& trace, const Options& options) {
    const auto rows = extract_memory_table(trace);
    if (!options.json()) {
        fmt::print("{}", format_memory_table(rows));
        return 0;
    }
    Json list = Json::array();
    for (const MemoryRow& row : rows) {
        list.push_back({{"index", row.index},
                        {"current_op", row.current_op},
                        {"event", row.event},
                        {"total_cb", row.total_cb},
                        {"total_buffer", row.total_buffer}});
    }
    print_json(list);
    return 0;
}

int durations(const Trace& trace, const Options& options) {
    const auto seconds = extract_operation_durations(trace);
    if (options.json()) {
        print_json({{"total_seconds", extract_total_duration(trace)}, {"operations", seconds}});
        return 0;
    }
    fmt::print("{:<48} {:>12}\n", "function (its last call)", "ms");
    for (const auto& [name, time] : seconds) {
        fmt::print("{:<48} {:>12.4f}\n", name, time * 1e3);
    }
    fmt::print("{:<48} {:>12.4f}\n", "whole capture", extract_total_duration(trace) * 1e3);
    return 0;
}

void print_peak(std::string_view kind, const PeakExplanation& peak) {
    fmt::print("{} peak: {} B at node {} in {}\n", kind, peak.peak, peak.step,
               peak.function.empty() ? "no function" : peak.function);
    for (const PeakBuffer& buffer : peak.buffers) {
        std::string tensors;
        for (const PeakTensor& tensor : buffer.tensors) {
            tensors += fmt::format("{}tensor {} {}", tensors.empty() ? "" : ", ", tensor.tensor_id, tensor.shape);
        }
        fmt::print("  {:>14} B  buffer {} of {} ({})\n", buffer.size, buffer.buffer,
                   tensors.empty() ? "no tensor" : tensors,
                   buffer.function.empty() ? "outside functions" : buffer.function);
    }
    for (const PeakCircularBuffer& buffer : peak.circular_buffers) {
        fmt::print("  {:>14} B  circular buffer {} on {} ({})\n", buffer.size, buffer.counter, buffer.core_range_set,
                   buffer.function);
    }
}

int peak(const Trace& trace, const Options& options) {
    const auto l1 = explain_peak(trace, ttnn::graph::MemoryKind::L1);
    const auto dram = explain_peak(trace, ttnn::graph::MemoryKind::DRAM);
    const auto cores = static_cast<size_t>(options.whole_or("--cores", 64));
    const auto usage = extract_resource_usage_per_core(trace, cores);
    if (options.json()) {
        print_json({{"l1", Json::parse(ttnn::graph::to_json(l1))},
                    {"dram", Json::parse(ttnn::graph::to_json(dram))},
                    {"per_core",
                     {{"cores", cores}, {"cb", usage.peak_cb}, {"l1", usage.peak_l1}, {"total", usage.peak_total}}}});
        return 0;
    }
    print_peak("L1", l1);
    print_peak("DRAM", dram);
    fmt::print("per core, interleaved buffers over {} cores: circular buffers {} B, L1 buffers {} B, together {} B\n",
               cores, usage.peak_cb, usage.peak_l1, usage.peak_total);
    return 0;
}

int outputs(const Trace& trace, const Options& options) {
    const auto [intermediates, results] = count_intermediate_and_output_tensors(trace);
    const auto infos = extract_output_info(trace);
    if (options.json()) {
        Json list = Json::array();
        for (const TensorInfo& info : infos) {
            list.push_back({{"shape", info.shape}, {"size", info.size}, {"type", info.type}});
        }
        print_json({{"intermediates", intermediates}, {"outputs", results}, {"tensors", list}});
        return 0;
    }
    fmt::print("{} intermediate tensors, {} outputs\n", intermediates, results);
    for (const TensorInfo& info : infos) {
        fmt::print("  {}\n", repr(info));
    }
    return 0;
}

int arguments_of(const Trace& trace, const Options& options) {
    Json list = Json::array();
    for (const auto& call : extract_arguments(trace)) {
        if (options.json()) {
            list.push_back({{"operation", call.operation_name}, {"arguments", call.arguments}});
            continue;
        }
        fmt::print("{}\n", call.operation_name);
        for (size_t i = 0; i < call.arguments.size(); ++i) {
            fmt::print("  arg{}: {}\n", i, call.arguments[i]);
        }
    }
    if (options.json()) {
        print_json(list);
    }
    return 0;
}

int levels(const Trace& trace, const Options& options) {
    const auto level = static_cast<size_t>(options.whole_or("--max-level", 1));
    print_json(Json::parse(LevelizedGraph(trace, level).to_json()));
    return 0;
}

int svg(const Trace& trace, const Options& options) {
    SvgOptions settings;
    settings.max_level = static_cast<uint32_t>(options.whole_or("--max-level", settings.max_level));
    settings.kind = options.has("--steps") || options.has("--max-level") ? SvgKind::STEPS : SvgKind::AUTO;
    settings.source = options.positional().front();
    if (const auto range = options.value("--calls")) {
        settings.choose_calls(*range);
    }
    const std::string text = to_svg(trace, settings);
    const auto path = options.value("--output");
    if (path) {
        replace_file(*path, text);
    }
    if (options.json()) {
        Json answer{{"nodes", trace.size()}, {"bytes", text.size()}};
        answer[path ? "file" : "svg"] = path ? *path : text;
        print_json(answer);
    } else if (path) {
        fmt::print("{}: {} nodes, {} bytes\n", *path, trace.size(), text.size());
    } else {
        fmt::print("{}", text);
    }
    return 0;
}

template <int (*Analysis)(const Trace& trace, const Options& options)>
int analyse(const Options& options) {
    return Analysis(load(options.positional().front()), options);
}

constexpr ArgumentInfo arguments[] = {{"REPORT", "a captured trace or report file"}};
constexpr OptionInfo usual_options[] = {json_option};
constexpr Range level_range{1, 1000, true};
constexpr OptionInfo peak_options[] = {
    {"--cores", "N", "cores that interleaved buffers are spread over (default: 64)", Range{1, 1e6, true}}, json_option};
constexpr OptionInfo levels_options[] = {
    {"--max-level", "N", "how many levels of nested calls to follow (default: 1)", level_range}, json_option};
constexpr OptionInfo svg_options[] = {
    {"--max-level", "N", "how many levels of nested calls to draw; implies --steps", level_range},
    {"--steps", {}, "draw every step instead of the data flow between calls"},
    {"--calls", "N-M", "only these calls of the program, counted from 1; N alone is one call"},
    {"-o,--output", "FILE", "write the picture to a file (default: standard output)"},
    json_option};

constexpr Command analysis(std::string_view name, std::string_view help, std::string_view example,
                           std::span<const OptionInfo> options, int (*run)(const Options&)) {
    return {.name = name, .help = help, .example = example, .arguments = arguments, .options = options, .run = run};
}
constexpr Command calls_command = analysis("calls", "names of the functions in the order of their calls",
                                           "tracelift graph calls report.json", usual_options, analyse<calls>);
constexpr Command print_command = analysis("print", "calls, tensors and buffers as indented text",
                                           "tracelift graph print report.json", usual_options, analyse<print>);
constexpr Command table_command = analysis("table", "memory in use, event by event",
                                           "tracelift graph table report.json", usual_options, analyse<table>);
constexpr Command durations_command = analysis(
    "durations", "how long functions took", "tracelift graph durations report.json", usual_options, analyse<durations>);
constexpr Command peak_command = analysis("peak", "peak memory use, and what makes it up",
                                          "tracelift graph peak report.json --cores 56", peak_options, analyse<peak>);
constexpr Command outputs_command = analysis("outputs", "intermediate and output tensors",
                                             "tracelift graph outputs report.json", usual_options, analyse<outputs>);
constexpr Command arguments_command =
    analysis("arguments", "the arguments of every function", "tracelift graph arguments report.json", usual_options,
             analyse<arguments_of>);
constexpr Command levels_command =
    analysis("levels", "the graph of calls down to a level, as JSON",
             "tracelift graph levels report.json --max-level 2", levels_options, analyse<levels>);
constexpr Command svg_command = analysis("svg", "a picture of the graph",
                                         "tracelift graph svg report.json -o graph.svg", svg_options, analyse<svg>);
constexpr const Command* commands[] = {&calls_command,     &print_command,  &table_command,
                                       &durations_command, &peak_command,   &outputs_command,
                                       &arguments_command, &levels_command, &svg_command};

}  // namespace

const Command graph_command{.name = "graph",
                            .help = "analyse a captured graph trace or report file",
                            .example = "tracelift graph print report.json",
                            .commands = commands};

}  // namespace tracelift::cli
