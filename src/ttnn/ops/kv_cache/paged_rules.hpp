// Rules that the operations on caches share: what a cache and what goes into it look like, which chips of a mesh take
// part, circular buffers.
#pragma once

#include <vector>

#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn::caches {

inline constexpr Tolerance exact{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
inline constexpr std::string_view page_table_doc =
    "row-major INT32 [users, blocks]: the block of the cache that holds each part of a user's sequence";
inline constexpr std::string_view mesh_coords_doc = "chips that take part, default: all; the others keep their cache";
inline constexpr std::string_view compute_doc = "precision, no effect on results here";

inline uint64_t tile_bytes(const Tensor& tensor) { return Tile().bytes(tensor.dtype()); }
inline uint64_t tiles_wide(const Tensor& tensor) { return div_up(tensor.padded_shape().from_end(0), tile_size); }
inline uint64_t tiles_high(const Tensor& tensor) { return div_up(tensor.padded_shape().from_end(1), tile_size); }
// A row-major page as circular buffers hold it.
inline uint64_t stick_bytes(const Tensor& tensor) {
    return round_up(tensor.spec().page_size(),
                    uint64_t{tensor.device()->alignment(tensor.memory_config().buffer_type())});
}
// Tiles that are neither of the input nor of the cache.
inline uint64_t intermediate_bytes(const std::optional<ComputeKernelConfig>& config) {
    return Tile().bytes(config && config->fp32_dest_acc_en ? DataType::FLOAT32 : DataType::BFLOAT16);
}

inline void check_tiles(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_layout(op, argument, tensor, Layout::TILE);
    require(tensor.spec().tile() == Tile(), "{}: argument '{}' must have tiles of 32 x 32, got {}", op, argument,
            tensor.spec().tile().to_string());
}
inline void check_rank(std::string_view op, std::string_view argument, const Tensor& tensor, size_t rank) {
    require(tensor.logical_shape().rank() == rank, "{}: argument '{}' must have {} dimensions, got {}", op, argument,
            rank, tensor.logical_shape());
}
inline constexpr auto all_floats = {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B};
inline void check_operand(std::string_view op, std::string_view argument, const Tensor& tensor,
                          std::initializer_list<DataType> dtypes = all_floats) {
    check_rank(op, argument, tensor, 4);
    check_tiles(op, argument, tensor);
    check_dtype(op, argument, tensor, dtypes);
}
inline void check_cache(std::string_view op, std::string_view argument, const Tensor& cache,
                        std::initializer_list<DataType> dtypes = all_floats) {
    check_operand(op, argument, cache, dtypes);
    check_interleaved(op, argument, cache);
}
inline void check_width(std::string_view op, std::string_view argument, const Tensor& input, const Tensor& cache) {
    const uint32_t own = input.padded_shape().from_end(0);
    const uint32_t wide = cache.padded_shape().from_end(0);
    require(own == wide && own % tile_size == 0,
            "{}: argument '{}' must be as wide as the cache and whole tiles, got a width of {} for {}", op, argument,
            own, wide);
}
inline void check_coordinates(std::string_view op, const Tensor& cache,
                              const std::optional<MeshCoordinateSet>& coords) {
    if (coords) {
        ccl::check_whole(op, "cache_tensor", cache);
        for (const MeshCoordinate& place : coords->members()) {
            ccl::chip_at(op, "mesh_coords", cache, place);
        }
    }
}

// Whether only some chips take part: the kernel looks at them itself then.
inline bool is_limited(const Tensor& cache, const std::optional<MeshCoordinateSet>& coords) {
    return coords && cache.device()->num_chips() > 1;
}
// Calls `work` with the tensors of every chip that takes part, or with those that are given.
template <class Work>
void on_chips(const std::optional<MeshCoordinateSet>& coords, std::span<const Tensor> inputs, std::span<Tensor> outputs,
              Work work) {
    const Tensor& first = outputs[0];
    if (!is_limited(first, coords)) {
        if (!coords || coords->contains(first.device()->mesh().coordinate_of(0))) {
            work(inputs, outputs);
        }
        return;
    }
    const auto parts = [](std::span<const Tensor> tensors, uint32_t chip) {
        std::vector<Tensor> result;
        for (const Tensor& tensor : tensors) {
            result.push_back(tensor && tensor.num_parts() > 1 ? tensor.part(chip) : tensor);
        }
        return result;
    };
    for (const MeshCoordinate& place : coords->members()) {
        const uint32_t chip = first.device()->mesh().index_of(place);
        const std::vector<Tensor> own = parts(inputs, chip);
        std::vector<Tensor> results = parts(outputs, chip);
        work(std::span<const Tensor>(own), std::span<Tensor>(results));
    }
}

}  // namespace ttnn::caches
