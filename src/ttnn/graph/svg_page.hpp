// The SVG document itself. Elements are not nested in each other as functions are: a thousand nested functions would
// be more than XML readers accept.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "ttnn/graph/svg_edges.hpp"
#include "ttnn/graph/svg_layout.hpp"
#include "ttnn/graph/trace.hpp"

namespace ttnn::graph::svg {

class Page {
public:
    static constexpr int head_height = 52;  // pixels above the first row, for the summary and the legend

    Page(const Trace& trace, const Layout& layout, const Edges& edges);

    // In this order: later parts cover earlier ones.
    // `source` is the name of the file in texts.
    void open(std::string_view source);
    void add_functions();
    void add_edges();
    void add_nodes();
    std::string close();

private:
    template <class... Args>
    void print(fmt::format_string<const Args&...> format, const Args&... args);

    // Left and right end of what stands at a level: a function's box at its level - 1, rows at their own.
    int left(uint32_t level) const;
    int right(uint32_t level) const;
    int lane_x(const Edge& edge) const;

    void add_summary(std::string_view source);
    void add_legend();
    void add_function(const Node& node, const Place& place);
    void add_edges_of(EdgeKind kind);
    void add_edge(const Edge& edge);
    void add_node(const Node& node, const Place& place);
    void add_line_of_text(int x, int y, std::string_view text, int width);

    const Trace& trace_;
    const Layout& layout_;
    const Edges& edges_;
    int content_left_;  // of rows outside of all functions
    int content_right_;
    std::string out_;
};

}  // namespace ttnn::graph::svg
