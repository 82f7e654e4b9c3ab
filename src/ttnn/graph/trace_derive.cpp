// Fields that older flavours do not write, from those that they do.
#include <algorithm>

#include "ttnn/graph/trace_reader.hpp"

namespace ttnn::graph {

namespace {

// Follows the stack of open functions that the recorder had, one node after the other.
class Nesting {
public:
    int32_t level(const Trace& trace, const Node& node) {
        if (ended_ && !is_output(trace, node)) {
            open_ = std::max(open_ - 1, 0);
            ended_ = false;
        }
        switch (node.type) {
            case NodeType::CAPTURE_START:
            case NodeType::CAPTURE_END: return 0;
            case NodeType::FUNCTION_START: return ++open_;
            case NodeType::FUNCTION_END: ended_ = true; return open_;
            case NodeType::ERROR: return open_ + 1;
            default: return open_;
        }
    }

private:
    // Outputs and their buffers are recorded after a function_end but before the function is left.
    bool is_output(const Trace& trace, const Node& node) const {
        if (node.type == NodeType::TENSOR) {
            return true;
        }
        const bool after_tensor = node.counter > 0 && trace[node.counter - 1].type == NodeType::TENSOR;
        return node.type == NodeType::BUFFER && after_tensor && !node.connections.empty() &&
               node.connections.front() == node.counter - 1;
    }

    int32_t open_ = 0;
    bool ended_ = false;
};

}  // namespace

void derive_levels(Trace& trace, const std::vector<bool>& marked) {
    if (std::find(marked.begin(), marked.end(), true) == marked.end()) {
        return;
    }
    Nesting nesting;
    for (Node& node : trace) {
        const int32_t level = nesting.level(trace, node);
        if (marked[node.counter]) {
            node.stacking_level = level;
        }
    }
}

void derive_input_tensors(Trace& trace, const std::vector<bool>& marked) {
    for (const Node& tensor : trace) {
        if (tensor.type != NodeType::TENSOR) {
            continue;
        }
        for (const uint32_t user : tensor.connections) {
            if (marked[user] && trace[user].type == NodeType::FUNCTION_START) {
                trace[user].input_tensors.push_back(tensor.counter);
            }
        }
    }
}

}  // namespace ttnn::graph
