// Operations that work on interleaved memory only, given tensors in N-D shards.
#pragma once

#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn::movement {

inline bool lies_in_nd_shards(const Tensor& tensor) { return tensor.memory_config().created_with_nd_shard_spec(); }

// The same elements, interleaved in the same kind of memory if they lay in N-D shards.
inline Tensor out_of_nd_shards(const Tensor& tensor) {
    if (!lies_in_nd_shards(tensor)) {
        return tensor;
    }
    return to_memory_config(tensor,
                            MemoryConfig(TensorMemoryLayout::INTERLEAVED, tensor.memory_config().buffer_type()));
}

// What these operations refuse.
inline void check_interleaved_or_nd(std::string_view op, std::string_view argument, const Tensor& tensor) {
    if (!lies_in_nd_shards(tensor)) {
        check_interleaved(op, argument, tensor);
    }
}

}  // namespace ttnn::movement
