// Rules that the operations on attention heads share: how wide a head is, what inputs look like.
#pragma once

#include <algorithm>

#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::heads {

inline constexpr Tolerance exact{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
inline constexpr std::string_view memory_doc = "default: the input's";
inline constexpr std::string_view outputs_doc = "three tensors that are written into and returned";

// Numbers of heads, and columns of one.
struct Counts {
    uint32_t q = 1;
    uint32_t kv = 1;
    uint32_t head_dim = 0;
    // Columns of a head in tiles of its own.
    uint32_t padded_dim() const { return round_up(head_dim, tile_size); }
};

inline uint32_t count_of(std::string_view op, std::string_view argument, int64_t number) {
    constexpr int64_t most = 1 << 20;
    require(number >= 1 && number <= most, "{}: argument '{}' must be between 1 and {}, got {}", op, argument, most,
            number);
    return static_cast<uint32_t>(number);
}
// Of rows that `heads` heads of some kind share evenly.
inline uint32_t head_dim_of(std::string_view op, std::string_view argument, const Tensor& rows, uint64_t heads) {
    const uint32_t width = rows.padded_shape().from_end(0);
    require(width % heads == 0 && width > 0,
            "{}: argument '{}' has rows of {} columns, which {} heads cannot share evenly", op, argument, width, heads);
    return static_cast<uint32_t>(width / heads);
}
// Rows hold all heads of queries, keys and values, or those of queries only where keys and values come apart.
inline Counts counts_of(std::string_view op, std::string_view argument, const Tensor& rows, int64_t q,
                        const std::optional<int64_t>& kv, bool apart) {
    Counts counts{.q = count_of(op, "num_heads", q), .kv = count_of(op, "num_kv_heads", kv.value_or(q))};
    counts.head_dim = head_dim_of(op, argument, rows, counts.q + (apart ? 0 : 2 * uint64_t{counts.kv}));
    return counts;
}

inline void check_rank(std::string_view op, std::string_view argument, const Tensor& tensor, size_t rank) {
    require(tensor.logical_shape().rank() == rank, "{}: argument '{}' must have {} dimensions, got {}", op, argument,
            rank, tensor.logical_shape());
}
inline void check_tiles(std::string_view op, std::string_view argument, const Tensor& tensor,
                        std::initializer_list<DataType> dtypes = {DataType::FLOAT32, DataType::BFLOAT16,
                                                                  DataType::BFLOAT8_B}) {
    check_layout(op, argument, tensor, Layout::TILE);
    check_dtype(op, argument, tensor, dtypes);
}
inline void check_one_row(std::string_view op, std::string_view argument, const Tensor& tensor) {
    require(tensor.padded_shape()[1] == 1, "{}: argument '{}' must be [batch, 1, rows, width], got {}", op, argument,
            tensor.padded_shape());
}
inline void check_interleaved_output(std::string_view op, const MemoryConfig& config) {
    require(config.interleaved(), "{}: argument 'memory_config' must be interleaved, got {}", op, config);
}

inline TensorSpec spec(const Tensor& input, const Shape& shape, const MemoryConfig& config) {
    return TensorSpec(shape, input.dtype(), Layout::TILE, config);
}

// Of padded rows: what fills the last tiles counts.
inline Tensor with_padding(const Tensor& input) {
    return input.logical_shape() == input.padded_shape()
               ? input
               : input.view_as(spec(input, input.padded_shape(), input.memory_config()));
}

inline uint64_t tile_bytes(const Tensor& tensor) { return tensor.spec().tile().bytes(tensor.dtype()); }

// The first cores of a set, row by row from the first one on.
inline CoreRangeSet first_cores(const CoreRangeSet& set, uint32_t skipped, uint32_t count) {
    std::vector<CoreRange> ranges;
    const std::vector<CoreCoord> cores = set.cores(true);
    for (uint32_t i = skipped; i < std::min<size_t>(skipped + count, cores.size()); ++i) {
        ranges.emplace_back(cores[i]);
    }
    return CoreRangeSet().merge(CoreRangeSet(std::move(ranges)));
}

// Queries, keys and values that the caller gave to write into.
inline void check_outputs(std::string_view op, const std::optional<std::vector<Tensor>>& outputs,
                          std::span<const Shape> shapes, DataType dtype) {
    if (!outputs) {
        return;
    }
    require(outputs->size() == shapes.size(), "{}: argument 'output_tensors' must have {} tensors, got {}", op,
            shapes.size(), outputs->size());
    for (size_t i = 0; i < shapes.size(); ++i) {
        check_preallocated(op, "output_tensors", (*outputs)[i], shapes[i]);
        check_layout(op, "output_tensors", (*outputs)[i], Layout::TILE);
        check_dtype(op, "output_tensors", (*outputs)[i], {dtype});
    }
}

}  // namespace ttnn::heads
