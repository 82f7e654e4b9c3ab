// What the programs of both steps of a norm over several chips share.
#pragma once

#include <algorithm>
#include <iterator>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/normalization/blocks.hpp"
#include "ttnn/ops/normalization/distributed_norm_rules.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"

namespace ttnn::distributed_norm {

using normalization::tile_bytes;

template <class Arguments>
std::string_view primitive_of(const Arguments& args) {
    return args.input.is_sharded() ? norm_rules::primitive_name : args.primitive;
}

inline std::vector<Tensor> given(std::span<const Tensor> tensors) {
    std::vector<Tensor> list;
    std::ranges::copy_if(tensors, std::back_inserter(list), [](const Tensor& tensor) { return bool(tensor); });
    return list;
}

// What both steps ask of the input and what goes with it; the same as a norm on one chip does.
inline void check_common(const norm_rules::Arguments& args) {
    const Shape& shape = args.input.logical_shape();
    require(shape.rank() == 4, "{}: argument 'input_tensor' must have rank 4, got {}", args.op, shape);
    check_layout(args.op, "input_tensor", args.input, Layout::TILE);
    norm_rules::check(args);
    require(!args.input.is_sharded() || args.input.padded_shape()[-2] == tile_size,
            "{}: a sharded 'input_tensor' must be one tile high, got {}", args.op, args.input.padded_shape());
    require(args.center || !uses_welford(args.program_config),
            "{}: argument 'program_config': Welford's algorithm (use_welford) is not supported for rms norm", args.op);
}

inline uint64_t inner_bytes(const std::optional<ComputeKernelConfig>& config, const Tensor& input) {
    return tile_bytes(normalization::fp32_accumulation(config, input.dtype()) ? DataType::FLOAT32 : DataType::BFLOAT16);
}

// Tiles of a row that a core has to do with.
inline uint64_t own_columns(const Tensor& input) {
    const auto& shards = input.memory_config().shard_spec();
    const uint64_t width = shards ? shards->shape[1] : input.logical_shape().from_end(0);
    return std::max<uint64_t>(div_up<uint64_t>(width, tile_size), 1);
}

// `sizes(row)` gives the buffers where row buffers hold `row` tiles: all of a row, or as many as fit.
inline void declare_rows(Program& program, const Tensor& input,
                         FunctionRef<std::vector<uint64_t>(uint64_t row)> sizes) {
    uint64_t row = own_columns(input);
    while (row > 1 && norm_rules::total(sizes(row)) > program.device().board().cb_limit()) {
        row = div_up<uint64_t>(row, 2);
    }
    const CoreRangeSet cores = program.split(std::max<uint64_t>(tile_rows(input), 1), true);
    for (const uint64_t size : sizes(row)) {
        program.circular_buffer(cores, size);
    }
}

inline void shard_buffer(Program& program, const Tensor& tensor) {
    if (tensor && tensor.memory_config().shard_spec() && tensor.memory_config().is_l1()) {
        program.global_circular_buffer(tensor, shard_bytes(tensor));
    }
}

}  // namespace ttnn::distributed_norm
