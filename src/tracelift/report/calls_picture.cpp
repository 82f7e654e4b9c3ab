#include <algorithm>

#include <fmt/format.h>

#include "tracelift/report/pictures.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace tracelift::report {
namespace {

using ttnn::graph::Trace;

constexpr size_t most_boxes = 1000;

// A trace that has a box per entry and nothing else.
class Outline {
public:
    Outline() { trace_.push_back({.counter = 0, .type = NodeType::CAPTURE_START}); }

    void add(std::string name, int64_t duration_ns) {
        const auto start = static_cast<uint32_t>(trace_.size());
        if (trace_.size() > 1) {
            trace_.back().connections.push_back(start);
        }
        trace_.front().connections.push_back(start);
        trace_.push_back({.counter = start,
                          .type = NodeType::FUNCTION_START,
                          .stacking_level = 1,
                          .params = {{"name", name}},
                          .connections = {start + 1}});
        trace_.push_back({.counter = start + 1,
                          .type = NodeType::FUNCTION_END,
                          .stacking_level = 1,
                          .params = {{"name", std::move(name)}},
                          .duration_ns = static_cast<uint64_t>(std::max<int64_t>(duration_ns, 0))});
    }

    std::string svg() {
        trace_.push_back({.counter = static_cast<uint32_t>(trace_.size()), .type = NodeType::CAPTURE_END});
        return to_svg(trace_, {.tensor_edges = false, .buffer_edges = false});
    }

private:
    Trace trace_;
};

}  // namespace

std::string whole_calls_svg(const ReportFile& report) {
    std::string text = "[";
    for (size_t i = 0; i < report.nodes(); ++i) {
        text += (i == 0 ? "" : ",") + std::string(report.json().text(report.node(i)));
    }
    return to_svg(ttnn::graph::read_trace(text + "]", report.name()));
}

// Calls of the same function in a row become one box.
std::string collapsed_calls_svg(Database& database, int64_t report_id) {
    Statement functions(database,
                        "SELECT name, duration_ns FROM functions WHERE report_id = ? AND depth = 0 ORDER BY "
                        "function_id");
    functions.with(report_id);
    Outline outline;
    std::string name;
    int64_t calls = 0;
    int64_t duration = 0;
    size_t boxes = 0;
    const auto flush = [&] {
        if (calls > 0) {
            outline.add(calls > 1 ? fmt::format("{} x{}", name, calls) : name, duration);
            ++boxes;
        }
        calls = 0;
        duration = 0;
    };
    int64_t left_out = 0;
    while (functions.step()) {
        if (boxes >= most_boxes) {
            ++left_out;
            continue;
        }
        if (calls == 0 || functions.text(0) != name) {
            flush();
            name = functions.text(0);
        }
        ++calls;
        duration = limited_sum(duration, functions.integer(1));
    }
    flush();
    if (left_out > 0) {
        outline.add(fmt::format("({} more calls are not drawn)", left_out), 0);
    }
    return outline.svg();
}

}  // namespace tracelift::report
