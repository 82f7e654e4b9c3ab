// Rules that the rotary embeddings share.
#pragma once

#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::rotary {

// fp32 sums of 32 products of numbers below 1, which may cancel.
inline constexpr Tolerance close{.absolute = 1e-5};
inline constexpr std::string_view compute_doc = "precision, no effect on results here";

inline uint64_t tile_bytes(const Tensor& tensor) { return tensor.spec().tile().bytes(tensor.dtype()); }

inline void check_rank(std::string_view op, std::string_view argument, const Tensor& tensor, size_t rank = 4) {
    require(tensor.logical_shape().rank() == rank, "{}: argument '{}' must have {} dimensions, got {}", op, argument,
            rank, tensor.logical_shape());
}
inline void check_head_dim(std::string_view op, std::string_view argument, const Tensor& input,
                           const std::optional<ComputeKernelConfig>& config) {
    const uint32_t width = input.logical_shape()[-1];
    const uint32_t most = config && config->fp32_dest_acc_en ? 128 : 256;
    require(width > 0 && width % tile_size == 0 && width <= most,
            "{}: argument '{}' must have rows of whole tiles, up to {} columns, got {}", op, argument, most, width);
}
inline void check_equal_shapes(std::string_view op, const Tensor& cosines, const Tensor& sines) {
    require(cosines.logical_shape() == sines.logical_shape(),
            "{}: arguments 'cos_cache' and 'sin_cache' must have the same shape, got {} and {}", op,
            cosines.logical_shape(), sines.logical_shape());
}
inline void check_height_sharded(std::string_view op, std::string_view argument, const Tensor& tensor) {
    require(tensor.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED &&
                tensor.memory_config().shard_spec(),
            "{}: argument '{}' must be height sharded, got {}", op, argument, tensor.memory_config());
}
// One 32 x 32 matrix for each of so many users.
inline void check_matrices(std::string_view op, const Tensor& matrices, uint32_t users) {
    check_rank(op, "trans_mat", matrices);
    const Shape& shape = matrices.logical_shape();
    require(shape[0] == 1 && shape[1] == 1 && shape[2] >= uint64_t{users} * tile_size && shape[3] == tile_size,
            "{}: argument 'trans_mat' must be [1, 1, 32 * {}, 32], got {}", op, users, shape);
    const auto& shards = matrices.memory_config().shard_spec();
    require(!shards || shards->shape == std::array{tile_size, tile_size},
            "{}: argument 'trans_mat' must have shards of one tile, got {}", op, matrices.memory_config());
}

}  // namespace ttnn::rotary
