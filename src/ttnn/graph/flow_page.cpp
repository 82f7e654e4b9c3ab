#include "ttnn/graph/flow_page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "ttnn/graph/svg_text.hpp"

namespace ttnn::graph::svg {
namespace {

// Lengths in pixels.
constexpr int margin = 16;
constexpr int lane_pitch = 6;
constexpr int frame_pitch = 7;  // between the frames of runs inside runs
constexpr int corner = 5;
constexpr int narrowest = 900;
constexpr int widest_notes = 3000;  // wide enough for a command with a long path, which is of no use when cut

// One for every name of a call.
constexpr std::array<std::string_view, 10> colours = {"#d7e6f7", "#fbe3cf", "#d8efd3", "#f6d5d5", "#e4dcf1",
                                                      "#ece0d8", "#f7dcee", "#e6e6e6", "#eff0c9", "#d2eff2"};

constexpr std::string_view style =
    "text{font-family:monospace;font-size:10px;fill:#222}"
    ".title{font-size:13px;font-weight:bold}"
    ".call rect{stroke:#667;stroke-width:.8}"
    ".call .name{font-weight:bold}"
    ".call .duration{text-anchor:end}"
    ".failed rect{stroke:#c00000;stroke-width:2}"
    ".run path{fill:none;stroke:#b06000;stroke-width:1.4;stroke-dasharray:7 3}"
    ".run text{fill:#b06000;font-weight:bold}"
    ".flow path{fill:none;stroke:#3a6ea5;stroke-width:1.2;marker-end:url(#flow_head)}"
    ".flow .repeats{stroke:#b06000;stroke-dasharray:4 3}"
    ".flow path:hover{stroke-width:3}";

constexpr size_t column_width = 6;
size_t columns_in(int width) { return static_cast<size_t>(std::max(width, 0)) / column_width; }

std::string milliseconds(uint64_t nanoseconds) {
    return nanoseconds == 0 ? "" : fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

}  // namespace

FlowPage::FlowPage(const std::vector<FlowCall>& calls, const FlowLayout& layout, size_t first_number)
    : calls_(calls), layout_(layout), first_number_(first_number), lefts_{margin} {
    for (const uint32_t lanes : layout.lanes) {
        lefts_.push_back(lefts_.back() + flow_box_width + 2 * flow_column_inset + lane_pitch * static_cast<int>(lanes));
    }
}

template <class... Args>
void FlowPage::print(fmt::format_string<const Args&...> format, const Args&... args) {
    fmt::format_to(std::back_inserter(out_), format, args...);
}

void FlowPage::add_text(int x, int y, std::string_view text, int width) {
    print(R"(<text x="{}" y="{}">)", x, y);
    append_xml_line(out_, text, columns_in(width));
    out_ += "</text>";
}

void FlowPage::open(std::string_view title, const std::vector<std::string>& notes) {
    int width = std::max(lefts_.back(), narrowest) + margin;
    for (const std::string& note : notes) {
        const size_t needed = std::min(note.size() * column_width + 2 * margin, size_t{widest_notes});
        width = std::max(width, static_cast<int>(needed));
    }
    print(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)", width,
          layout_.bottom + margin);
    print("\n<title>calls and data flow</title>\n<style>{}</style>\n", style);
    print(
        R"(<defs><marker id="flow_head" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="6" refX="8" refY="3" )"
        R"(orient="auto"><path d="M0 0L8 3L0 6Z" fill="#3a6ea5"/></marker></defs>)"
        "\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    print(R"(<g class="notes"><text class="title" x="{}" y="22">)", margin);
    append_xml_line(out_, title, columns_in(width * 3 / 4));
    out_ += "</text>";
    int y = 38;
    for (const std::string& note : notes) {
        add_text(margin, y, note, width - 2 * margin);
        y += flow_line_height;
    }
    out_ += "</g>\n";
}

// A frame that goes on in another column is open there.
void FlowPage::add_frames() {
    for (const FlowFrame& frame : layout_.frames) {
        const int inset = 18 - frame_pitch * static_cast<int>(std::min<size_t>(frame.depth, 2));
        const int x = lefts_[frame.column] + flow_column_inset - inset - 4;
        const int right = box_x(frame.column) + flow_box_width + inset + 4;
        const size_t number = frame.first + first_number_;
        print(R"(<g class="run"><path d="M{0} {2}V{3}M{1} {2}V{3})", x, right, frame.top, frame.bottom);
        for (const auto& [drawn, y] : {std::pair{frame.begins, frame.top}, std::pair{frame.ends, frame.bottom}}) {
            if (drawn) {
                print("M{} {}H{}", x, y, right);
            }
        }
        out_ += "\"/>";
        const std::string label = frame.begins ? fmt::format("{} times in a row: #{} to #{}", frame.times, number,
                                                             number + frame.length * frame.times - 1)
                                               : fmt::format("{} times in a row (continued)", frame.times);
        add_text(x + 5, frame.top + 13, label, right - x - 10);
        out_ += "</g>\n";
    }
}

void FlowPage::add_edges() {
    out_ += "<g class=\"flow\">";
    for (const FlowEdge& edge : layout_.edges) {
        add_edge(edge);
    }
    out_ += "</g>\n";
}

// Straight down to the next box; else out on the right, along a lane, and in: on the right in the same column, on the
// left in the next one.
void FlowPage::add_edge(const FlowEdge& edge) {
    const FlowBox& from = layout_.boxes[edge.from];
    const FlowBox& to = layout_.boxes[edge.to];
    print(R"(<path{} d=")", edge.repeats ? R"( class="repeats")" : "");
    if (edge.straight) {
        const int x = box_x(from.column) + flow_box_width - 30;  // beside the labels of frames
        print("M{} {}V{}", x, from.top + from.height, to.top);
    } else {
        const int start_x = box_x(from.column) + flow_box_width;
        const int lane_x = lefts_[from.column] + flow_box_width + 2 * flow_column_inset +
                           lane_pitch * static_cast<int>(edge.lane) - lane_pitch;
        const int end_x = to.column == from.column ? start_x : box_x(to.column);
        const int from_y = from.top + from.height / 2 + 4;
        const int to_y = to.top + to.height / 2 - 4;
        const int turn = std::min(corner, std::abs(to_y - from_y) / 2) * (to_y < from_y ? -1 : 1);
        const int after = end_x < lane_x ? lane_x - corner : lane_x + corner;
        print("M{0} {1}H{2}Q{3} {1} {3} {4}V{5}Q{3} {6} {7} {6}H{8}", start_x, from_y, lane_x - corner, lane_x,
              from_y + turn, to_y - turn, to_y, after, end_x);
    }
    print(R"("><title>#{} to #{}{}</title></path>)", from.call + first_number_, to.call + first_number_,
          edge.repeats ? " of the next repetition" : "");
}

void FlowPage::add_boxes() {
    for (const FlowBox& box : layout_.boxes) {
        add_box(box);
    }
}

void FlowPage::add_box(const FlowBox& box) {
    const FlowCall& call = calls_[box.call];
    const int x = box_x(box.column);
    const std::string_view colour = colours[std::hash<std::string>{}(call.name) % colours.size()];
    const std::string right = !call.ended ? "did not end" : milliseconds(call.duration_ns);
    print(R"(<g id="call_{}" class="call{}"><title>#{} )", box.call + first_number_,
          call.failed || !call.ended ? " failed" : "", box.call + first_number_);
    append_xml(out_, call.name);
    for (const std::string& line : box.lines) {
        out_ += '\n';
        append_xml(out_, line);
    }
    print("\nnodes {} to {}</title>", call.counter, call.last);
    print(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="4" fill="{}"/>)", x, box.top, flow_box_width, box.height,
          colour);
    print(R"(<text class="name" x="{}" y="{}">)", x + 6, box.top + flow_line_height);
    append_xml_line(out_, fmt::format("#{} {}", box.call + first_number_, call.name),
                    columns_in(flow_box_width - 12) - (right.empty() ? 0 : right.size() + 1));
    out_ += "</text>";
    if (!right.empty()) {
        print(R"(<text class="duration" x="{}" y="{}">{}</text>)", x + flow_box_width - 6, box.top + flow_line_height,
              right);
    }
    int y = box.top + 2 * flow_line_height;
    for (const std::string& line : box.lines) {
        add_text(x + 6, y, line, flow_box_width - 12);
        y += flow_line_height;
    }
    out_ += "</g>\n";
}

std::string FlowPage::close() {
    out_ += "</svg>\n";
    return std::move(out_);
}

}  // namespace ttnn::graph::svg
