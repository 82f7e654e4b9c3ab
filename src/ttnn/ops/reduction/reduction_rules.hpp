// What reductions share: dimensions, steps and output.
#pragma once

#include <algorithm>
#include <utility>

#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn::reduction_rules {

// Per dimension 1 where it disappears, else 0; none given means all.
using DimSet = std::vector<uint8_t>;

inline DimSet dims_of(std::string_view op, const Shape& shape, const std::optional<IntOrList>& dim) {
    DimSet dims(shape.rank(), 0);
    std::vector<int64_t> list;
    if (dim) {
        list = std::holds_alternative<int64_t>(*dim) ? std::vector{std::get<int64_t>(*dim)}
                                                     : std::get<std::vector<int64_t>>(*dim);
    }
    if (list.empty()) {
        std::ranges::fill(dims, 1);
    }
    for (const int64_t index : list) {
        dims[shape.normalize_dim(index, fmt::format("{}: argument 'dim'", op))] = 1;
    }
    return dims;
}

// The shape with reduced dimensions set to 1, or without them.
inline Shape reduced_shape(const Shape& shape, const DimSet& dims, bool keepdim) {
    Shape result;
    for (size_t i = 0; i < shape.rank(); ++i) {
        if (!dims[i]) {
            result.push_back(shape[static_cast<int64_t>(i)]);
        } else if (keepdim) {
            result.push_back(1);
        }
    }
    return result;
}

// One launch: dimensions first..last, next to each other.
struct Step {
    size_t first = 0;
    size_t last = 0;
};

// The last two dimensions alone go in one step; any other set goes dimension by dimension, the last one first.
inline std::vector<Step> steps_of(const Shape& shape, const DimSet& dims) {
    const size_t rank = shape.rank();
    const auto count = static_cast<size_t>(std::ranges::count(dims, 1));
    if (rank >= 2 && count == 2 && dims[rank - 1] && dims[rank - 2]) {
        return {{rank - 2, rank - 1}};
    }
    std::vector<Step> steps;
    for (size_t i = rank; i-- > 0;) {
        if (dims[i]) {
            steps.push_back({i, i});
        }
    }
    return steps;
}

inline Shape shape_after(Shape shape, const Step& step) {
    for (size_t i = step.first; i <= step.last; ++i) {
        shape[static_cast<int64_t>(i)] = 1;
    }
    return shape;
}

// Refilling the padding of a block-float tensor leaves BFLOAT16 behind when its rank is 4 or more.
inline DataType result_dtype(const Tensor& input) {
    const Shape& shape = input.logical_shape();
    const bool aligned = shape.from_end(0) % tile_size == 0 && shape.from_end(1) % tile_size == 0;
    return is_block_float(input.dtype()) && shape.rank() >= 4 && !aligned ? DataType::BFLOAT16 : input.dtype();
}

// N-D shards of an input whose height was summed up: as many rows as a shard had matrices, in whole tiles.
inline MemoryConfig without_height(const MemoryConfig& config, const Shape& before, const Shape& after) {
    const bool reduced = before.from_end(1) != 1 && after.from_end(1) == 1;
    if (!config.created_with_nd_shard_spec() || !reduced || config.nd_shard_spec()->shard_shape.rank() < 2) {
        return config;
    }
    NdShardSpec shards = *config.nd_shard_spec();
    shards.shard_shape[-2] = round_up(div_up(shards.shard_shape[-2], before.from_end(1)), tile_size);
    return MemoryConfig(config.buffer_type(), shards);
}

// A reduced tensor: always tiles; the given memory configuration or the input's, cut anew over its cores.
inline TensorSpec result_spec(const Tensor& input, DataType dtype, const Shape& shape,
                              const std::optional<MemoryConfig>& given) {
    const MemoryConfig own = without_height(input.memory_config(), input.logical_shape(), shape);
    return TensorSpec(shape, dtype, Layout::TILE, given ? *given : movement::fitted(own, shape, dtype, Layout::TILE));
}

}  // namespace ttnn::reduction_rules
