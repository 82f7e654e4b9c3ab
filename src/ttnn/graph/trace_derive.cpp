// Fields that older flavours do not write, from those that they do.
#include <algorithm>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/trace_reader.hpp"

namespace ttnn::graph {

namespace {

// Follows the stack of open functions that the recorder had, one node after the other.
class Nesting {
public:
    explicit Nesting(const Trace& trace) : trace_(trace), open_(trace) {}

    int32_t level(const Node& node) {
        if (ended_ && !is_output(node)) {
            open_.end();
            ended_ = false;
        }
        const auto around = static_cast<int32_t>(open_.size());
        switch (node.type) {
            case NodeType::CAPTURE_START:
            case NodeType::CAPTURE_END: return 0;
            case NodeType::FUNCTION_START: open_.begin(node); return around + 1;
            case NodeType::FUNCTION_END: ended_ = true; return around;
            case NodeType::ERROR: open_.error([&](const Node&) { left_open_ = true; }); return around + 1;
            default: return around;
        }
    }
    // Whether an exception did so.
    bool left_open() const { return left_open_; }

private:
    // Outputs and their buffers are recorded after a function_end but before the function is left.
    bool is_output(const Node& node) const {
        if (node.type == NodeType::TENSOR) {
            return true;
        }
        const bool after_tensor = node.counter > 0 && trace_[node.counter - 1].type == NodeType::TENSOR;
        return node.type == NodeType::BUFFER && after_tensor && !node.connections.empty() &&
               node.connections.front() == node.counter - 1;
    }

    const Trace& trace_;
    OpenFunctions open_;
    bool ended_ = false;
    bool left_open_ = false;
};

}  // namespace

void derive_levels(Trace& trace, const std::vector<bool>& marked) {
    if (std::find(marked.begin(), marked.end(), true) == marked.end()) {
        return;
    }
    Nesting nesting(trace);
    for (Node& node : trace) {
        const int32_t level = nesting.level(node);
        if (marked[node.counter]) {
            node.stacking_level = level;
        }
    }
}

std::optional<Trace> with_levels_after_errors(const Trace& trace) {
    Nesting nesting(trace);
    std::vector<int32_t> levels;
    for (const Node& node : trace) {
        if (node.counter != levels.size()) {
            return std::nullopt;  // a trace that is refused anyway
        }
        levels.push_back(nesting.level(node));
    }
    if (!nesting.left_open()) {
        return std::nullopt;
    }
    Trace corrected = trace;
    for (size_t i = 0; i < trace.size(); ++i) {
        corrected[i].stacking_level = levels[i];
    }
    return corrected;
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
