// What the tests of captures share: a device with 8 x 8 cores, tensors on it, and the types of a trace's nodes.
#pragma once

#include <algorithm>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"

namespace ttnn::graph::testing {

// As in the documented sample.
inline std::shared_ptr<Device> device_8x8() { return Device::open({.board = "n150"}); }

inline Tensor l1_tiles(const std::shared_ptr<Device>& device, const Shape& shape) {
    return Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, l1_memory_config()), device);
}

inline std::vector<NodeType> types(const Trace& trace) {
    std::vector<NodeType> list;
    for (const Node& node : trace) {
        list.push_back(node.type);
    }
    return list;
}

inline ptrdiff_t count(const Trace& trace, NodeType type) { return std::ranges::count(trace, type, &Node::type); }

// The trace of a function in either mode; what it returns dies before the capture ends.
inline Trace captured_in(RunMode mode, const std::function<void()>& function) {
    ScopedGraphCapture capture(mode);
    function();
    return capture.end();
}

inline constexpr RunMode both_modes[] = {RunMode::NO_DISPATCH, RunMode::NORMAL};

}  // namespace ttnn::graph::testing
