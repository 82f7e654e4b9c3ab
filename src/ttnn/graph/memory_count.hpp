// The two ways of counting a device's memory, and the first step at which each is highest.
#pragma once

#include <cstdint>

#include "ttnn/graph/memory_walk.hpp"

namespace ttnn::graph {

struct Peak {
    int64_t bytes = 0;
    size_t step = 0;

    void raise(int64_t now, size_t index) {
        if (now > bytes) {
            bytes = now;
            step = index;
        }
    }
};

// L1 buffers and circular buffers, inputs included.
class L1Count : public MemoryVisitor {
public:
    bool input(const Node& buffer) {
        if (is_l1(buffer)) {
            add_bytes(buffers_, bytes(buffer, "size"), buffer);
            return true;
        }
        return false;
    }
    void allocate(const Node& node) {
        if (is_l1(node)) {
            add_bytes(buffers_, bytes(node, "size"), node);
        }
    }
    void deallocate(const Node& event, const Node& buffer) {
        if (is_l1(buffer)) {
            add_bytes(buffers_, -bytes(buffer, "size"), event);
        }
    }
    void circular_buffer(const Node& node) { add_bytes(circular_buffers_, bytes(node, "size"), node); }
    void release_circular_buffers() { circular_buffers_ = 0; }
    void after(const Node& node, size_t index) {
        int64_t now = buffers_;
        add_bytes(now, circular_buffers_, node);
        peak_.raise(now, index);
    }

    Peak peak() const { return peak_; }

private:
    int64_t buffers_ = 0;
    int64_t circular_buffers_ = 0;
    Peak peak_;
};

// DRAM buffers that the trace allocates.
class DramCount : public MemoryVisitor {
public:
    void allocate(const Node& node) {
        if (is_dram(node)) {
            add_bytes(allocated_, bytes(node, "size"), node);
        }
    }
    void deallocate(const Node& event, const Node& buffer) {
        if (is_dram(buffer)) {
            add_bytes(deallocated_, bytes(buffer, "size"), event);
        }
    }
    void after(const Node&, size_t index) { peak_.raise(allocated_ - deallocated_, index); }

    Peak peak() const { return peak_; }
    int64_t allocated() const { return allocated_; }
    int64_t deallocated() const { return deallocated_; }

private:
    int64_t allocated_ = 0;  // neither falls, so that their difference cannot overflow
    int64_t deallocated_ = 0;
    Peak peak_;
};

}  // namespace ttnn::graph
