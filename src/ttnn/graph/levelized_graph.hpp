// LevelizedGraph: a trace as data flow between operations down to a level of nesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracelift/base/json_text.hpp"
#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

// An operation, or a tensor that comes from outside all of them.
struct LevelizedVertex {
    size_t counter = 0;  // its place in the graph
    int32_t stacking_level = 0;
    std::string name;
    std::vector<std::string> arguments;
    std::vector<size_t> in_edges;   // in the order of the arguments, repetitions kept
    std::vector<size_t> out_edges;  // without repetitions
    std::vector<size_t> internals;  // operations directly inside
    std::vector<std::string> output_shape;
    std::vector<std::string> output_info;  // text of the tensor as its first consumer of the same level got it
    bool operator==(const LevelizedVertex&) const = default;
};

class LevelizedGraph {
public:
    // Needs a trace whose functions balance and whose counters are its places; throws TraceError otherwise.
    explicit LevelizedGraph(const Trace& trace, size_t max_level = 1);

    size_t size() const { return vertices_.size(); }
    const std::vector<LevelizedVertex>& vertices() const& { return vertices_; }
    std::vector<LevelizedVertex> vertices() && { return std::move(vertices_); }  // for loops over a temporary graph
    bool is_valid_vertex(size_t id) const { return id < vertices_.size(); }
    const LevelizedVertex& get_vertex(size_t id) const;
    std::vector<LevelizedVertex> get_vertices_at_level(size_t level) const;
    std::string to_json(tracelift::JsonForm form = tracelift::JsonForm::COMPACT) const;

private:
    std::vector<LevelizedVertex> vertices_;
};

}  // namespace ttnn::graph
