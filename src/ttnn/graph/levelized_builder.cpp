#include "ttnn/graph/levelized_builder.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

LevelizedBuilder::LevelizedBuilder(const Trace& trace, size_t max_level)
    : trace_(trace),
      max_level_(max_level),
      vertex_of_(trace.size(), none),
      end_of_(trace.size(), none),
      failed_(trace.size(), false),
      start_of_(trace.size(), none),
      producer_(trace.size(), none) {}

std::vector<LevelizedVertex> LevelizedBuilder::build() {
    check_references();
    find_failed();
    pair_functions();
    check_nesting();
    find_producers();
    add_vertices();
    add_edges_from_tensors();
    add_edges_between_functions();
    add_internals();
    add_output_info();
    add_output_shapes();
    add_in_edges();
    return std::move(vertices_);
}

bool LevelizedBuilder::is_shown(const Node& function) const {
    return function.stacking_level <= 0 || static_cast<size_t>(function.stacking_level) <= max_level_;
}

bool LevelizedBuilder::is_function_vertex(const LevelizedVertex& vertex) const {
    return trace_[node_of_[vertex.counter]].type == NodeType::FUNCTION_START;
}

uint32_t LevelizedBuilder::producer_vertex(uint32_t tensor) const {
    const uint32_t end = producer_[tensor];
    return end == none ? none : vertex_of_[start_of_[end]];
}

// Of all functions that returned a tensor, the outermost made it; nested ones handed it up.
void LevelizedBuilder::find_producers() {
    for (const uint32_t function : functions_) {
        const Node& end = trace_[function];
        if (end.type != NodeType::FUNCTION_END) {
            continue;
        }
        for (const uint32_t tensor : end.connections) {
            const uint32_t best = producer_[tensor];
            if (trace_[tensor].type == NodeType::TENSOR &&
                (best == none || end.stacking_level < trace_[best].stacking_level)) {
                producer_[tensor] = end.counter;
            }
        }
    }
}

void LevelizedBuilder::add_vertices() {
    const auto shown = std::count_if(functions_.begin(), functions_.end(), [&](uint32_t counter) {
        return trace_[counter].type == NodeType::FUNCTION_START && is_shown(trace_[counter]);
    });
    vertices_.reserve(static_cast<size_t>(shown) + tensors_.size());
    for (const uint32_t counter : tensors_) {
        const Node& node = trace_[counter];
        if (node.stacking_level == 1) {
            const auto id = node.find("tensor_id");
            add_vertex(node, id ? fmt::format("tensor[{}]", *id) : "tensor");
            vertices_.back().output_shape.emplace_back(node.text("shape"));
        }
    }
    for (const uint32_t counter : functions_) {
        const Node& node = trace_[counter];
        if (node.type == NodeType::FUNCTION_START && is_shown(node)) {
            add_vertex(node, std::string(node.text("name")));
            vertices_.back().arguments = node.arguments;
        }
    }
}

void LevelizedBuilder::add_vertex(const Node& node, std::string name) {
    vertex_of_[node.counter] = static_cast<uint32_t>(vertices_.size());
    node_of_.push_back(node.counter);
    LevelizedVertex& vertex = vertices_.emplace_back();
    vertex.counter = vertices_.size() - 1;
    vertex.stacking_level = node.stacking_level;
    vertex.name = std::move(name);
}

void LevelizedBuilder::add_edges_from_tensors() {
    std::vector<uint32_t> reached_from(vertices_.size(), none);  // keeps repetitions out without searching
    for (LevelizedVertex& vertex : vertices_) {
        if (is_function_vertex(vertex)) {
            continue;
        }
        for (const uint32_t user : trace_[node_of_[vertex.counter]].connections) {
            const uint32_t id = vertex_of_[user];
            if (trace_[user].type == NodeType::FUNCTION_START && id != none && reached_from[id] != vertex.counter) {
                reached_from[id] = static_cast<uint32_t>(vertex.counter);
                vertex.out_edges.push_back(id);
            }
        }
    }
}

// Through tensors that are not vertices themselves.
void LevelizedBuilder::add_edges_between_functions() {
    std::vector<std::pair<uint32_t, uint32_t>> edges;  // {consumer, producer}
    for (const uint32_t tensor : tensors_) {
        const uint32_t producer = producer_vertex(tensor);
        if (is_vertex(tensor) || producer == none) {
            continue;
        }
        for (const uint32_t user : trace_[tensor].connections) {
            const uint32_t consumer = vertex_of_[user];
            if (consumer != none && consumer != producer && trace_[user].type == NodeType::FUNCTION_START) {
                edges.emplace_back(consumer, producer);
            }
        }
    }
    // By consumer, so that every producer gets its consumers in their order.
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [consumer, producer] : edges) {
        vertices_[producer].out_edges.push_back(consumer);
    }
}

void LevelizedBuilder::add_in_edges() {
    for (LevelizedVertex& vertex : vertices_) {
        const Node& node = trace_[node_of_[vertex.counter]];
        if (node.type == NodeType::TENSOR) {
            if (const uint32_t producer = producer_vertex(node.counter); producer != none) {
                vertex.in_edges.push_back(producer);
            }
            continue;
        }
        for (const uint32_t tensor : node.input_tensors) {
            const uint32_t source = is_vertex(tensor) ? vertex_of_[tensor] : producer_vertex(tensor);
            if (source != none) {
                vertex.in_edges.push_back(source);
            }
        }
    }
}

// A function's internals are the next level's functions before its end; the shown functions around it are on a stack.
void LevelizedBuilder::add_internals() {
    std::vector<uint32_t> open;
    for (const uint32_t counter : functions_) {
        const Node& node = trace_[counter];
        if (node.type == NodeType::FUNCTION_START) {
            const uint32_t parent = open.empty() ? none : vertex_of_[open.back()];
            if (parent != none && is_vertex(counter) && node.stacking_level == vertices_[parent].stacking_level + 1) {
                vertices_[parent].internals.push_back(vertex_of_[counter]);
            }
            open.push_back(counter);
        } else if (node.type == NodeType::FUNCTION_END) {
            open.pop_back();
        } else {
            close_failed(open);
        }
    }
}

void LevelizedBuilder::add_output_info() {
    for (LevelizedVertex& vertex : vertices_) {
        for (const size_t id : vertex.out_edges) {
            const LevelizedVertex& consumer = vertices_[id];
            if (consumer.stacking_level == vertex.stacking_level && !consumer.arguments.empty() &&
                consumer.arguments.front().starts_with("Tensor(")) {
                vertex.output_info.push_back(consumer.arguments.front());
                break;
            }
        }
    }
}

void LevelizedBuilder::add_output_shapes() {
    for (LevelizedVertex& vertex : vertices_) {
        const uint32_t end = end_of_[node_of_[vertex.counter]];
        if (!is_function_vertex(vertex) || end == none) {
            continue;
        }
        std::set<std::string_view> known;
        for (const uint32_t output : trace_[end].connections) {
            if (trace_[output].type != NodeType::TENSOR) {
                continue;
            }
            const std::string_view shape = trace_[output].text("shape");
            if (known.insert(shape).second) {
                vertex.output_shape.emplace_back(shape);
            }
        }
    }
}

}  // namespace ttnn::graph
