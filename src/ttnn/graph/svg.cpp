#include "ttnn/graph/svg.hpp"

#include "ttnn/graph/svg_edges.hpp"
#include "ttnn/graph/svg_layout.hpp"
#include "ttnn/graph/svg_page.hpp"

namespace ttnn::graph {

std::string to_svg(const Trace& trace, const SvgOptions& options) {
    const svg::Layout layout = svg::lay_out(trace, options.max_level, svg::Page::head_height);
    const svg::Edges edges = svg::find_edges(trace, layout, options);
    svg::Page page(trace, layout, edges);
    page.open();
    page.add_functions();
    page.add_edges();
    page.add_nodes();
    return page.close();
}

}  // namespace ttnn::graph
