#include "ttnn/graph/levelized_graph.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/levelized_builder.hpp"

namespace ttnn::graph {

LevelizedGraph::LevelizedGraph(const Trace& trace, size_t max_level) {
    const bool failed = std::ranges::find(trace, NodeType::ERROR, &Node::type) != trace.end();
    const auto corrected = failed ? with_levels_after_errors(trace) : std::nullopt;
    vertices_ = LevelizedBuilder(corrected ? *corrected : trace, max_level).build();
}

const LevelizedVertex& LevelizedGraph::get_vertex(size_t id) const {
    if (!is_valid_vertex(id)) {
        throw TraceError(fmt::format("vertex {} of a levelized graph of {} vertices", id, vertices_.size()));
    }
    return vertices_[id];
}

std::vector<LevelizedVertex> LevelizedGraph::get_vertices_at_level(size_t level) const {
    std::vector<LevelizedVertex> found;
    std::copy_if(vertices_.begin(), vertices_.end(), std::back_inserter(found), [&](const LevelizedVertex& vertex) {
        return vertex.stacking_level >= 0 && static_cast<size_t>(vertex.stacking_level) == level;
    });
    return found;
}

std::string LevelizedGraph::to_json(tracelift::JsonForm form) const {
    tracelift::JsonText json(form);
    json.begin_array();
    for (const LevelizedVertex& vertex : vertices_) {
        json.begin_object();
        json.key("arguments");
        json.texts(vertex.arguments);
        json.key("counter");
        json.number(vertex.counter);
        json.key("in_edges");
        json.numbers(vertex.in_edges);
        json.key("internals");
        json.numbers(vertex.internals);
        json.key("name");
        json.text(vertex.name);
        json.key("out_edges");
        json.numbers(vertex.out_edges);
        json.key("output_info");
        json.texts(vertex.output_info);
        json.key("output_shape");
        json.texts(vertex.output_shape);
        json.key("stacking_level");
        json.number(vertex.stacking_level);
        json.end_object();
    }
    json.end_array();
    return std::move(json.buffer());
}

}  // namespace ttnn::graph
