// What LevelizedBuilder requires of a trace.
#include <string_view>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/levelized_builder.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

// Also sorts out the nodes that matter; the others are most of a trace.
void LevelizedBuilder::check_references() {
    for (size_t i = 0; i < trace_.size(); ++i) {
        const Node& node = trace_[i];
        if (node.counter != i) {
            fail_at(node, "counter out of order: it is at place {}", i);
        }
        for (const uint32_t counter : node.connections) {
            connected(trace_, node, counter);
        }
        for (const uint32_t counter : node.input_tensors) {
            if (connected(trace_, node, counter).type != NodeType::TENSOR) {
                fail_at(node, "has node {} among its input tensors, which is not a tensor", counter);
            }
        }
        if (node.type == NodeType::FUNCTION_START || node.type == NodeType::FUNCTION_END ||
            node.type == NodeType::ERROR) {
            functions_.push_back(node.counter);
        } else if (node.type == NodeType::TENSOR) {
            tensors_.push_back(node.counter);
        }
    }
}

void LevelizedBuilder::find_failed() {
    OpenFunctions open(trace_);
    for (const uint32_t counter : functions_) {
        const Node& node = trace_[counter];
        switch (node.type) {
            case NodeType::FUNCTION_START: open.begin(node); break;
            case NodeType::FUNCTION_END: open.end(); break;
            default: open.error([&](const Node& start) { failed_[start.counter] = true; }); break;
        }
    }
}

void LevelizedBuilder::close_failed(std::vector<uint32_t>& open) const {
    while (!open.empty() && failed_[open.back()]) {
        open.pop_back();
    }
}

uint32_t LevelizedBuilder::end_of(const Node& function) const {
    const std::string_view name = function.text("name");
    for (const uint32_t counter : function.connections) {
        const Node& node = trace_[counter];
        if (node.type == NodeType::FUNCTION_END && node.text("name") == name) {
            return counter;
        }
    }
    fail_at(function, "{} has no function_end", shortened(name));
}

void LevelizedBuilder::pair_functions() {
    for (const uint32_t counter : functions_) {
        const Node& node = trace_[counter];
        if (node.type == NodeType::FUNCTION_START && !failed_[counter]) {
            const uint32_t end = end_of(node);
            end_of_[node.counter] = end;
            start_of_[end] = node.counter;
        }
    }
}

// Functions lie inside each other, and deeper ones have higher levels: what the steps after this rely on.
void LevelizedBuilder::check_nesting() const {
    std::vector<uint32_t> open;
    for (const uint32_t counter : functions_) {
        const Node& node = trace_[counter];
        if (node.type == NodeType::FUNCTION_START) {
            if (!open.empty() && node.stacking_level <= trace_[open.back()].stacking_level) {
                fail_at(node, "has level {} inside a function of level {}", node.stacking_level,
                        trace_[open.back()].stacking_level);
            }
            open.push_back(counter);
        } else if (node.type == NodeType::ERROR) {
            close_failed(open);
        } else {
            if (open.empty() || end_of_[open.back()] != counter || start_of_[counter] != open.back()) {
                fail_at(node, "does not end the function that is open");
            }
            open.pop_back();
        }
    }
    if (!open.empty()) {
        fail_at(trace_[open.back()], "is not ended after it began");
    }
}

}  // namespace ttnn::graph
