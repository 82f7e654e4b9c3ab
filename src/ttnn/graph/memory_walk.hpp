// The one walk over the memory events of a trace that peaks, tables and explanations share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

// What a walk tells; the defaults listen to nothing.
struct MemoryVisitor {
    // A buffer first seen as argument of a top-level function. False: the function's other inputs do not matter.
    bool input(const Node&) { return false; }
    void begin(const Node&) {}
    void end() {}
    void allocate(const Node&) {}
    void deallocate(const Node& /*event*/, const Node& /*buffer*/) {}
    void circular_buffer(const Node&) {}
    void release_circular_buffers() {}
    // After everything that the node has caused.
    void after(const Node&, size_t /*index*/) {}
};

// A buffer that the next node allocates was not there before.
inline bool is_allocated_next(const Trace& trace, size_t buffer) {
    const size_t next = buffer + 1;
    return next < trace.size() && trace[next].type == NodeType::BUFFER_ALLOCATE && !trace[next].connections.empty() &&
           trace[next].connections.front() == trace[buffer].counter;
}

// The recorder puts a function's inputs, tensors and new buffers, directly behind its function_start.
template <class Visitor>
void visit_inputs(const Trace& trace, size_t start, Visitor& visitor) {
    for (size_t i = start + 1; i < trace.size(); ++i) {
        const bool goes_on =
            trace[i].type == NodeType::TENSOR ||
            (trace[i].type == NodeType::BUFFER && !is_allocated_next(trace, i) && visitor.input(trace[i]));
        if (!goes_on) {
            return;
        }
    }
}

// Visits the first `steps` nodes. Functions need not balance: ends without a beginning are passed over, and exceptions
// end what they left open.
template <class Visitor>
void walk_memory(const Trace& trace, Visitor& visitor, size_t steps) {
    OpenFunctions open(trace);
    for (size_t i = 0; i < steps; ++i) {
        const Node& node = trace[i];
        switch (node.type) {
            case NodeType::FUNCTION_START:
                if (open.empty()) {
                    visit_inputs(trace, i, visitor);
                }
                open.begin(node);
                visitor.begin(node);
                break;
            case NodeType::FUNCTION_END:
                if (open.end()) {
                    visitor.end();
                }
                break;
            case NodeType::ERROR: open.error([&](const Node&) { visitor.end(); }); break;
            case NodeType::BUFFER_ALLOCATE: visitor.allocate(node); break;
            case NodeType::BUFFER_DEALLOCATE: visitor.deallocate(node, buffer_of(trace, node)); break;
            case NodeType::CIRCULAR_BUFFER_ALLOCATE: visitor.circular_buffer(node); break;
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: visitor.release_circular_buffers(); break;
            default: break;
        }
        visitor.after(node, i);
    }
}

template <class Visitor>
void walk_memory(const Trace& trace, Visitor& visitor) {
    walk_memory(trace, visitor, trace.size());
}

// Functions that every operation goes through: what happens in them is put down to the operation around them.
inline bool is_machinery(std::string_view name) {
    return name == "Device Operation" || name.ends_with("DeviceOperation") || name == "create_device_tensor" ||
           name == "tt::tt_metal::create_device_tensor" || name == "ttnn::prim::old_infra_device_operation";
}

// The open functions, by the name that events in them are put down to.
class OperationStack {
public:
    void push(const Node& function) {
        const std::string_view name = function.text("name");
        names_.push_back(is_machinery(name) && !names_.empty() ? names_.back() : name);
    }
    void pop() { names_.pop_back(); }
    std::string current() const { return names_.empty() ? std::string() : std::string(names_.back()); }

private:
    std::vector<std::string_view> names_;
};

}  // namespace ttnn::graph
