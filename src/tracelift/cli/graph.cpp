// `tracelift graph`: analyses of a captured trace or report file.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/value/json.hpp"
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

void print_json(const Json& json) { fmt::print("{}\n", json.dump(2)); }

int calls(const Trace& trace, const Options& options) {
    const auto names = extract_calltrace(trace);
    if (options.has("--json")) {
        print_json(names);
        return 0;
    }
    for (const std::string& name : names) {
        fmt::print("{}\n", name);
    }
    return 0;
}

int print(const Trace& trace, const Options& options) {
    options.has("--json") ? fmt::print("{}\n", ttnn::graph::to_json(trace, JsonForm::INDENTED))
                          : fmt::print("{}", pretty_format(trace));
    return 0;
}

int table(const Trace& trace, const Options& options) {
    const auto rows = extract_memory_table(trace);
    if (!options.has("--json")) {
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
    if (options.has("--json")) {
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
    const auto cores = static_cast<size_t>(options.number_or("--cores", 64));
    const auto usage = extract_resource_usage_per_core(trace, cores);
    if (options.has("--json")) {
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
    if (options.has("--json")) {
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
        if (options.has("--json")) {
            list.push_back({{"operation", call.operation_name}, {"arguments", call.arguments}});
            continue;
        }
        fmt::print("{}\n", call.operation_name);
        for (size_t i = 0; i < call.arguments.size(); ++i) {
            fmt::print("  arg{}: {}\n", i, call.arguments[i]);
        }
    }
    if (options.has("--json")) {
        print_json(list);
    }
    return 0;
}

int levels(const Trace& trace, const Options& options) {
    const auto level = static_cast<size_t>(options.number_or("--max-level", 1));
    fmt::print("{}\n", Json::parse(LevelizedGraph(trace, level).to_json()).dump(2));
    return 0;
}

int svg(const Trace& trace, const Options& options) {
    SvgOptions settings;
    settings.max_level = static_cast<uint32_t>(options.number_or("--max-level", settings.max_level));
    const std::string text = to_svg(trace, settings);
    const auto path = options.value("--output");
    if (!path) {
        fmt::print("{}", text);
        return 0;
    }
    std::ofstream file(*path, std::ios::binary);
    if (!(file << text) || !file.flush()) {
        throw std::runtime_error(fmt::format("cannot write '{}'", *path));
    }
    fmt::print("{}: {} nodes, {} bytes\n", *path, trace.size(), text.size());
    return 0;
}

struct Analysis {
    std::string_view name;
    int (*run)(const Trace& trace, const Options& options);
};
constexpr Analysis analyses[] = {{"calls", calls},
                                 {"print", print},
                                 {"table", table},
                                 {"durations", durations},
                                 {"peak", peak},
                                 {"outputs", outputs},
                                 {"arguments", arguments_of},
                                 {"levels", levels},
                                 {"svg", svg}};

int run_graph(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"--max-level", "--cores", "--output"});
    if (options.positional().size() != 2) {
        throw UsageError{"expected an analysis and a file"};
    }
    for (const Analysis& analysis : analyses) {
        if (analysis.name == options.positional()[0]) {
            return analysis.run(load(options.positional()[1]), options);
        }
    }
    throw UsageError{fmt::format("unknown analysis '{}'", options.positional()[0])};
}

}  // namespace

const Command graph_command{
    "graph",
    "calls|print|table|durations|peak|outputs|arguments|levels|svg FILE [--max-level N] [--cores N] "
    "[--output FILE] [--json]",
    "analyse a captured graph trace or report file", run_graph};

}  // namespace tracelift::cli
