#include "ttnn/graph/svg_page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "ttnn/graph/svg_label.hpp"
#include "ttnn/graph/svg_text.hpp"

namespace ttnn::graph::svg {
namespace {

// Lengths in pixels.
constexpr int margin = 12;
constexpr int gutter = 12;  // between boxes and the first lane
constexpr int lane_pitch = 9;
constexpr int indent = 10;
constexpr uint32_t deepest_indent = 24;  // deeper functions are not indented further: the width stays bounded
constexpr int narrowest_row = 500;
constexpr int text_inset = 5;
constexpr int corner = 5;

// Half transparent over white. The opacity is an attribute of its own: not every reader knows colours of eight digits.
constexpr std::array<std::string_view, 6> level_colours = {"#0000ff", "#ee00ee", "#ff0000",
                                                           "#eeee00", "#00ff00", "#00eeee"};

struct EdgeStyle {
    EdgeKind kind;
    std::string_view name;
    std::string_view colour;
    std::string_view meaning;
};
constexpr std::array<EdgeStyle, 3> edge_styles = {
    {{EdgeKind::TENSOR, "tensor_edges", "#1a56b0", "input or output tensor"},
     {EdgeKind::BUFFER, "buffer_edges", "#a04000", "memory of a tensor"},
     {EdgeKind::ORDER, "order_edges", "#777777", "what came next"}}};

constexpr std::string_view style =
    "text{font-family:monospace;font-size:10px;fill:#000}"
    ".function rect{stroke:#555;stroke-width:.6}"
    ".function text{font-weight:bold}"
    ".unended rect{stroke:#c00000;stroke-width:2;stroke-dasharray:6 3}"
    ".node rect{fill:#DCDCDC;stroke:#888;stroke-width:.6}"
    ".node .duration{text-anchor:end}"
    ".error rect{stroke:#c00000;stroke-width:1.2}"
    ".error text{fill:#c00000}"
    ".edges path{fill:none;stroke-width:1.1}"
    ".edges path:hover{stroke-width:3}"
    ".edges text{font-size:8px}";

// A monospaced character takes six tenths of the font size.
size_t columns_in(int width) { return static_cast<size_t>(std::max(width, 0)) / 6; }

}  // namespace

Page::Page(const Trace& trace, const Layout& layout, const Edges& edges)
    : trace_(trace), layout_(layout), edges_(edges) {
    const auto levels = static_cast<int>(std::min(layout.deepest, deepest_indent));
    content_left_ = margin + gutter + lane_pitch * static_cast<int>(edges.left_lanes);
    content_right_ = content_left_ + narrowest_row + 2 * indent * levels;
}

template <class... Args>
void Page::print(fmt::format_string<const Args&...> format, const Args&... args) {
    fmt::format_to(std::back_inserter(out_), format, args...);
}

int Page::left(uint32_t level) const {
    return content_left_ + indent * static_cast<int>(std::min(level, deepest_indent));
}

int Page::right(uint32_t level) const {
    return content_right_ - indent * static_cast<int>(std::min(level, deepest_indent));
}

int Page::lane_x(const Edge& edge) const {
    const int distance = gutter + lane_pitch * static_cast<int>(edge.lane);
    return runs_left(edge.kind) ? content_left_ - distance : content_right_ + distance;
}

void Page::open(std::string_view source) {
    const int width = content_right_ + gutter + lane_pitch * static_cast<int>(edges_.right_lanes) + margin;
    const int height = layout_.bottom + margin;
    print(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)", width, height);
    print("\n<title>graph capture</title>\n<style>{}", style);
    for (const EdgeStyle& edge : edge_styles) {
        print(".{0} path{{stroke:{1};marker-end:url(#{0}_head)}}.{0} text{{fill:{1}}}", edge.name, edge.colour);
    }
    print("</style>\n<defs>");
    for (const EdgeStyle& edge : edge_styles) {
        print(R"(<marker id="{}_head" markerUnits="userSpaceOnUse" markerWidth="7" markerHeight="6" refX="7" refY="3" )"
              R"(orient="auto"><path d="M0 0L7 3L0 6Z" fill="{}"/></marker>)",
              edge.name, edge.colour);
    }
    print("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add_summary(source);
    add_legend();
}

void Page::add_summary(std::string_view source) {
    const auto functions = std::ranges::count(trace_, NodeType::FUNCTION_START, &Node::type);
    const auto hidden = std::ranges::count(layout_.places, false, &Place::shown);
    std::string text = fmt::format("{} nodes, {} functions", trace_.size(), functions);
    if (hidden > 0) {
        text += fmt::format(", {} nodes not shown", hidden);
    }
    if (!trace_.empty() && trace_.back().duration_ns > 0) {
        text += ", " + duration_text(trace_.back());
    }
    add_line_of_text(content_left_, 14, text, content_right_ - content_left_);
    out_ += '\n';
    if (layout_.cut > 0) {
        // The line is longer than rows are wide, and nothing stands beside it.
        add_line_of_text(content_left_, 26,
                         fmt::format("Left out: the last {} nodes. To see some calls: tracelift graph svg {} --calls "
                                     "FIRST-LAST",
                                     layout_.cut, source),
                         2 * narrowest_row);
        out_ += '\n';
    }
}

void Page::add_legend() {
    int x = content_left_;
    print("<g class=\"legend\">");
    for (const EdgeStyle& edge : edge_styles) {
        if (std::ranges::find(edges_.all, edge.kind, &Edge::kind) == edges_.all.end()) {
            continue;
        }
        print(R"(<path d="M{} 38h18" stroke="{}" stroke-width="2"/>)", x, edge.colour);
        add_line_of_text(x + 23, 41, edge.meaning, narrowest_row);
        x += 160;
    }
    print("</g>\n");
}

void Page::add_line_of_text(int x, int y, std::string_view text, int width) {
    print(R"(<text x="{}" y="{}">)", x, y);
    append_xml_line(out_, text, columns_in(width));
    out_ += "</text>";
}

void Page::add_functions() {
    for (size_t i = 0; i < trace_.size(); ++i) {
        if (trace_[i].type == NodeType::FUNCTION_START && layout_.places[i].shown) {
            add_function(trace_[i], layout_.places[i]);
        }
    }
}

void Page::add_function(const Node& node, const Place& place) {
    const int x = left(place.level - 1);
    const int width = right(place.level - 1) - x;
    const int y = place.top - label_height;
    const std::string_view name = node.find("name").value_or("");
    std::string remark = place.ended ? "" : " (did not end)";
    if (place.hidden > 0) {
        remark += fmt::format(" ({} nodes inside not shown)", place.hidden);
    }
    print(R"(<g id="function_{}" class="function{}"><title>)", node.counter, place.ended ? "" : " unended");
    append_xml(out_, name);
    print(R"({}</title><rect x="{}" y="{}" width="{}" height="{}" fill="#fff"/>)", remark, x, y, width,
          place.box_bottom - y);
    print(R"(<rect class="level" x="{}" y="{}" width="{}" height="{}" fill="{}" fill-opacity="0.502"/>)", x, y, width,
          place.box_bottom - y, level_colours[place.level % level_colours.size()]);
    print(R"(<text x="{}" y="{}">)", x + text_inset, place.top - 4);
    const size_t columns = columns_in(width - 2 * text_inset);
    append_xml_line(out_, name, columns - std::min(columns, remark.size()));
    print("{}</text></g>\n", remark);
}

void Page::add_edges() {
    for (const EdgeStyle& edges : edge_styles) {
        print(R"(<g class="edges {}">)", edges.name);
        for (const Edge& edge : edges_.all) {
            if (edge.kind == edges.kind) {
                add_edge(edge);
            }
        }
        print("</g>\n");
    }
}

// Out of the row, along the lane, into the other row, with rounded corners.
void Page::add_edge(const Edge& edge) {
    const Place& from = layout_.places[edge.from];
    const Place& to = layout_.places[edge.to];
    const bool is_left = runs_left(edge.kind);
    const int from_x = is_left ? left(from.level) : right(from.level);
    const int to_x = is_left ? left(to.level) : right(to.level);
    const int x = lane_x(edge);
    const int from_y = leave_y(from);
    const int to_y = arrive_y(to, edge.kind);
    const int before_corner = is_left ? x + corner : x - corner;
    const int turn = std::min(corner, std::abs(to_y - from_y) / 2) * (to_y < from_y ? -1 : 1);
    print(R"(<path d="M{0} {1}H{2}Q{3} {1} {3} {4}V{5}Q{3} {6} {2} {6}H{7}"><title>#{8} to #{9})", from_x, from_y,
          before_corner, x, from_y + turn, to_y - turn, to_y, to_x, edge.from, edge.to);
    if (edge.count > 1) {
        print(", x{0}</title></path><text x=\"{1}\" y=\"{2}\">x{0}</text>\n", edge.count, is_left ? x + 2 : x - 14,
              to_y - 2);
    } else {
        print("</title></path>\n");
    }
}

void Page::add_nodes() {
    for (size_t i = 0; i < trace_.size(); ++i) {
        if (layout_.places[i].shown) {
            add_node(trace_[i], layout_.places[i]);
        }
    }
}

void Page::add_node(const Node& node, const Place& place) {
    const int x = left(place.level);
    const int width = right(place.level) - x;
    const int baseline = place.top + 11;
    const std::string duration = duration_text(node);
    print(R"(<g id="node_{}" class="node {}"><title>)", node.counter, member_name(node.type));
    append_hover_text(out_, node);
    print(R"(</title><rect x="{}" y="{}" width="{}" height="{}"/>)", x, place.top, width, row_height);
    add_line_of_text(x + text_inset, baseline, row_text(node),
                     width - 2 * text_inset - 6 * static_cast<int>(duration.size() + 1));
    if (!duration.empty()) {
        print(R"(<text class="duration" x="{}" y="{}">{}</text>)", x + width - text_inset, baseline, duration);
    }
    print("</g>\n");
}

std::string Page::close() {
    out_ += "</svg>\n";
    return std::move(out_);
}

}  // namespace ttnn::graph::svg
