// How fast traces are written, read and analysed.
//   bench_graph_analysis [NODES]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "../tests/graph/sample.hpp"
#include "ratio.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace {

using namespace ttnn::graph;

constexpr double aim_written = 200;      // MB/s
constexpr double aim_analysed = 100e-3;  // seconds for 200000 nodes
constexpr size_t usual_nodes = 200'000;

// The best of some runs: what the code takes when nobody else has the core.
double best_time(const std::function<void()>& run) {
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
        const auto start = std::chrono::steady_clock::now();
        run();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

bool report_rate(const std::string& name, size_t bytes, double aim, const std::function<void()>& run) {
    const double seconds = best_time(run);
    const double rate = static_cast<double>(bytes) / seconds / 1e6;
    const bool good = rate >= aim;
    fmt::print("{:<44} {:>9.1f} ms {:>9.0f} MB/s {:>9}{}\n", name, seconds * 1e3, rate,
               aim > 0 ? fmt::format(">= {:.0f}", aim) : "", good ? "" : "  MISSED");
    return good;
}

bool report_time(const std::string& name, double aim, const std::function<void()>& run) {
    const double seconds = best_time(run);
    const bool good = seconds <= aim;
    fmt::print("{:<44} {:>9.2f} ms {:>14} {:>6} ms{}\n", name, seconds * 1e3, "", fmt::format("<= {:.0f}", aim * 1e3),
               good ? "" : "  MISSED");
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t nodes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : usual_nodes;
    const Trace trace = testing::long_trace(nodes);
    const std::string json = to_json(trace);
    const std::string indented = to_json(trace, tracelift::JsonForm::INDENTED);
    const double aim = aim_analysed * std::max(1.0, static_cast<double>(nodes) / usual_nodes);
    const std::string title = fmt::format("{} nodes, {:.0f} MB", trace.size(), static_cast<double>(json.size()) / 1e6);
    fmt::print("{:<44} {:>12} {:>14} {:>9}\n", title, "time", "rate", "aim");
    bool good = report_rate("write compact", json.size(), aim_written, [&] { bench::keep(to_json(trace)); });
    good &= report_rate("write indented", indented.size(), aim_written,
                        [&] { bench::keep(to_json(trace, tracelift::JsonForm::INDENTED)); });
    good &= report_rate("read", json.size(), 0, [&] { bench::keep(read_trace(json, "bench")); });

    const std::pair<const char*, std::function<void()>> analyses[] = {
        {"calltrace", [&] { bench::keep(extract_calltrace(trace)); }},
        {"arguments", [&] { bench::keep(extract_arguments(trace)); }},
        {"operation durations", [&] { bench::keep(extract_operation_durations(trace)); }},
        {"output tensors", [&] { bench::keep(extract_output_tensors(trace)); }},
        {"intermediate and output tensors", [&] { bench::keep(count_intermediate_and_output_tensors(trace)); }},
        {"output info", [&] { bench::keep(extract_output_info(trace)); }},
        {"peak L1", [&] { bench::keep(extract_peak_L1_memory_usage(trace)); }},
        {"DRAM usage", [&] { bench::keep(extract_dram_usage(trace)); }},
        {"memory table", [&] { bench::keep(extract_memory_table(trace)); }},
        {"memory table as text", [&] { bench::keep(format_memory_table(extract_memory_table(trace))); }},
        {"explain peak L1", [&] { bench::keep(explain_peak(trace, MemoryKind::L1)); }},
        {"explain peak DRAM", [&] { bench::keep(explain_peak(trace, MemoryKind::DRAM)); }},
        {"usage per core", [&] { bench::keep(extract_resource_usage_per_core(trace, 64)); }},
        {"pretty format", [&] { bench::keep(pretty_format(trace)); }},
        {"levelized graph, level 1", [&] { bench::keep(LevelizedGraph(trace)); }},
        {"levelized graph, level 9", [&] { bench::keep(LevelizedGraph(trace, 9)); }},
    };
    for (const auto& [name, run] : analyses) {
        good &= report_time(name, aim, run);
    }
    return good ? 0 : 1;
}
