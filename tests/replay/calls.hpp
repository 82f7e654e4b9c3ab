// Arguments of calls for the tests.
#pragma once

#include "tracelift/value/value.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

struct TensorOptions {
    ttnn::DataType dtype = ttnn::DataType::BFLOAT16;
    ttnn::Layout layout = ttnn::Layout::TILE;
    ttnn::MemoryConfig memory{};
};

inline Value tensor_value(const ttnn::Shape& shape, const TensorOptions& options = {}) {
    const ttnn::TensorSpec spec(shape, options.dtype, options.layout, options.memory);
    const auto tensor = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
    return ttnn::type_info<ttnn::Tensor>().encode(&tensor);
}

inline Value memory_value(const ttnn::MemoryConfig& memory) {
    return ttnn::type_info<ttnn::MemoryConfig>().encode(&memory);
}

// On `columns` x `rows` cores from the first on.
inline ttnn::MemoryConfig sharded_memory(ttnn::TensorMemoryLayout layout, uint32_t columns, uint32_t rows,
                                         std::array<uint32_t, 2> shape) {
    const ttnn::CoreRangeSet grid({ttnn::CoreRange({0, 0}, {columns - 1, rows - 1})});
    return ttnn::MemoryConfig(layout, ttnn::BufferType::L1, ttnn::ShardSpec{grid, shape});
}

}  // namespace tracelift
