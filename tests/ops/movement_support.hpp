// What the tests of data movement share: tensors with known elements, and the names of the steps of a call.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::testing {

// Elements 0, 1, 2, ... (exact in BFLOAT16 up to 256; larger ones repeat after 128).
inline std::vector<float> counting(uint64_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 128);
    }
    return values;
}

inline Tensor counted(const std::shared_ptr<Device>& device, const Shape& shape, DataType dtype, Layout layout,
                      const MemoryConfig& config = {}) {
    const TensorSpec spec(shape, dtype, layout, config);
    Tensor tensor = device ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
    write<float>(tensor, counting(tensor.logical_volume()));
    return tensor;
}

inline std::vector<float> elements(const Tensor& tensor) {
    const Dense<float> values = read<float>(tensor);
    return {values.begin(), values.end()};
}

inline MemoryConfig height_sharded(uint32_t cores, std::array<uint32_t, 2> shard) {
    return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                        ShardSpec{CoreRangeSet(CoreRange({0, 0}, {cores - 1, 0})), shard});
}
inline MemoryConfig width_sharded(uint32_t cores, std::array<uint32_t, 2> shard) {
    return MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                        ShardSpec{CoreRangeSet(CoreRange({0, 0}, {cores - 1, 0})), shard});
}

// Names of operations and primitives in the order in which they begin, and their circular buffers.
class Steps : public Observer {
public:
    bool watches_steps() const override { return true; }
    void operation_begin(const OpInfo& op, const void*) override { names.push_back(op.cpp_name()); }
    void function_begin(const FunctionCall& call) override {
        if (call.name.starts_with("ttnn::")) {
            names.emplace_back(call.name);
        }
    }
    void circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer> placed, bool) override {
        for (const auto& buffer : placed) {
            buffers.push_back({buffer.request->size, buffer.request->cores.num_cores()});
        }
    }
    std::vector<std::string> names;
    std::vector<std::pair<uint64_t, uint32_t>> buffers;  // bytes, cores
};

template <class Call>
std::shared_ptr<Steps> steps_of(Call call) {
    auto steps = std::make_shared<Steps>();
    attach(steps);
    call();
    detach(steps);
    return steps;
}

// The text of the error that a call ends with, empty if it does not.
template <class Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace ttnn::testing
