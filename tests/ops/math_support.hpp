// What the tests of compute-heavy operations share: tensors with known values, and a recorder of what a call launches.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/circular_buffer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::test {

inline Tensor tensor(const std::shared_ptr<Device>& device, const TensorSpec& spec, const std::vector<float>& values) {
    Tensor result = Tensor::allocate_on_device(spec, device);
    write<float>(result, values);
    return result;
}

// 0, 1, 2, ... modulo `period`, in tiles.
inline Tensor counting(const std::shared_ptr<Device>& device, const Shape& shape, DataType dtype = DataType::BFLOAT16,
                       const MemoryConfig& memory = {}, size_t period = 8, Layout layout = Layout::TILE) {
    std::vector<float> values(shape.volume());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % period);
    }
    return tensor(device, TensorSpec(shape, dtype, layout, memory), values);
}

inline std::vector<float> values_of(const Tensor& tensor) {
    const Dense<float> numbers = read<float>(tensor);
    return {numbers.begin(), numbers.end()};
}

inline MemoryConfig sharded(TensorMemoryLayout layout, CoreCoord grid, std::array<uint32_t, 2> shape,
                            BufferType buffer = BufferType::L1) {
    return MemoryConfig(layout, buffer, ShardSpec{CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1})), shape});
}

// The text of the error that `call` throws, or "" when it does not.
template <class Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// Names of operations and steps in order, and the bytes per core that each launch's own circular buffers take.
class Recorder : public Observer {
public:
    bool watches_steps() const override { return true; }
    std::vector<std::string> names;
    std::vector<uint64_t> circular_buffer_bytes;
    std::vector<uint64_t> sizes;  // of the last launch, globally allocated ones left out

    void operation_begin(const OpInfo& op, const void*) override { names.push_back(op.cpp_name()); }
    void function_begin(const FunctionCall& call) override { names.emplace_back(call.name); }
    void circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer> placed, bool) override {
        sizes.clear();
        uint64_t total = 0;
        for (const PlacedCircularBuffer& buffer : placed) {
            if (buffer.request->global == nullptr) {
                sizes.push_back(buffer.request->size);
                total += buffer.request->size;
            }
        }
        circular_buffer_bytes.push_back(total);
    }
};

// Records while it lives.
class Recording {
public:
    Recording() { attach(recorder_); }
    ~Recording() { detach(recorder_); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    const Recorder* operator->() const { return recorder_.get(); }

private:
    std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

}  // namespace ttnn::test
