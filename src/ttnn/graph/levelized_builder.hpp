// LevelizedBuilder: the steps from a trace to the vertices of a LevelizedGraph.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ttnn/graph/levelized_graph.hpp"

namespace ttnn::graph {

class LevelizedBuilder {
public:
    LevelizedBuilder(const Trace& trace, size_t max_level);
    std::vector<LevelizedVertex> build();

private:
    static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

    void check_references();
    void find_failed();
    void pair_functions();
    void check_nesting() const;
    void close_failed(std::vector<uint32_t>& open) const;  // at an error
    uint32_t end_of(const Node& function) const;
    void find_producers();
    void add_vertices();
    void add_vertex(const Node& node, std::string name);
    void add_edges_from_tensors();
    void add_edges_between_functions();
    void add_in_edges();
    void add_internals();
    void add_output_shapes();
    void add_output_info();

    bool is_shown(const Node& function) const;
    bool is_vertex(uint32_t node) const { return vertex_of_[node] != none; }
    bool is_function_vertex(const LevelizedVertex& vertex) const;
    // The vertex of the function that made a tensor, or none.
    uint32_t producer_vertex(uint32_t tensor) const;

    const Trace& trace_;
    size_t max_level_;
    std::vector<LevelizedVertex> vertices_;
    std::vector<uint32_t> functions_;  // function_starts, function_ends and errors in the order of the trace
    std::vector<uint32_t> tensors_;    // tensors in the order of the trace
    std::vector<uint32_t> node_of_;    // by vertex
    std::vector<uint32_t> vertex_of_;  // this and the following by node
    std::vector<uint32_t> end_of_;     // of function_start; none: an exception ended it
    std::vector<bool> failed_;         // of function_start: without an end, because of an exception
    std::vector<uint32_t> start_of_;   // of function_end
    std::vector<uint32_t> producer_;   // of tensor: a function_end
};

}  // namespace ttnn::graph
