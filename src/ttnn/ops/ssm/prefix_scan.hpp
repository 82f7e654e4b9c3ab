// prefix_scan: the recurrence of state-space models, run along a sequence.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct PrefixScan {
    static constexpr std::string_view name = "ttnn.experimental.prefix_scan";
    static constexpr std::string_view doc =
        "h[t] = a[t] * h[t-1] + bx[t] for every column of [1, 1, L, D]; h_prev comes before the first and holds the "
        "last one afterwards.";
    struct Params {
        Tensor a{};
        Tensor bx{};
        Tensor h_prev{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<MathFidelity> math_fidelity{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::a>("sharded tile tensor [1, 1, L, D], whole columns in every shard"),
                                      arg<&Params::bx>("of the same shape, dtype and shards"),
                                      arg<&Params::h_prev>("sharded BFLOAT16 [1, 1, 1, D] in ROW_MAJOR").mutates(),
                                      kw<&Params::memory_config>("sharded, default: that of a"),
                                      kw<&Params::dtype>("of the result, default: that of a"),
                                      kw<&Params::math_fidelity>("no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<PrefixScan> prefix_scan{};
}
TTNN_DECLARATION(PrefixScan);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <functional>

#include "ttnn/reference/array.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {

// Products and states are stored in BFLOAT16 on their way.
inline std::vector<reference::Array> PrefixScan::reference(const Params& params) {
    const reference::Array a = reference::values(params.a);
    const reference::Array bx = reference::values(params.bx);
    const Shape row{1, 1, 1, a.shape[3]};
    const auto row_of = [&](const reference::Array& array, size_t t) {
        reference::Array part(row);
        for (size_t i = 0; i < part.values.size(); ++i) {
            part.values[i] = array.values[t * part.values.size() + i];
        }
        return part;
    };
    reference::Array state = reference::values(params.h_prev);
    reference::Array states(a.shape);
    for (size_t t = 0; t < a.shape[2]; ++t) {
        const auto product =
            reference::rounded(reference::zip(row_of(a, t), state, std::multiplies()), DataType::BFLOAT16);
        state = reference::rounded(reference::zip(product, row_of(bx, t), std::plus()), DataType::BFLOAT16);
        for (size_t i = 0; i < state.values.size(); ++i) {
            states.values[t * state.values.size() + i] = state.values[i];
        }
    }
    return {states};
}

inline reference::Array PrefixScan::mutated_reference(const Params& params, std::string_view) {
    const reference::Array states = reference(params).front();
    reference::Array last = reference::values(params.h_prev);
    for (size_t i = 0; i < last.values.size(); ++i) {
        last.values[i] = states.values[states.values.size() - last.values.size() + i];
    }
    return last;
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/tensor/pack.hpp"

namespace ttnn {

namespace ssm {

inline void check_shards(std::string_view argument, const Tensor& tensor, const PrefixScan::Params& params) {
    const auto& shards = tensor.memory_config().shard_spec();
    require(tensor.is_sharded() && shards && shards->orientation == ShardOrientation::ROW_MAJOR,
            "{}: argument '{}' must be sharded in ROW_MAJOR orientation, got {}", PrefixScan::name, argument,
            tensor.memory_config());
    const auto& whole = params.a.memory_config().shard_spec();
    require(shards->grid == whole->grid && shards->shape[1] == whole->shape[1],
            "{}: argument '{}' must have the columns of 'a' on the same cores, got {} instead of {}", PrefixScan::name,
            argument, tensor.memory_config(), params.a.memory_config());
}

inline void check_scan(const PrefixScan::Params& params) {
    constexpr std::string_view op = PrefixScan::name;
    for (const auto& [argument, tensor] : {std::pair("a", &params.a), std::pair("bx", &params.bx)}) {
        check_layout(op, argument, *tensor, Layout::TILE);
        check_dtype(op, argument, *tensor, {DataType::BFLOAT16, DataType::BFLOAT8_B});
    }
    check_dtype(op, "bx", params.bx, {params.a.dtype()});
    check_dtype(op, "h_prev", params.h_prev, {DataType::BFLOAT16});
    check_layout(op, "h_prev", params.h_prev, Layout::ROW_MAJOR);
    check_shards("a", params.a, params);
    check_shards("bx", params.bx, params);
    check_shards("h_prev", params.h_prev, params);
    require(params.a.memory_config().shard_spec()->shape[0] == params.a.padded_shape()[2],
            "{}: argument 'a' must have whole columns in every shard, got {}", op, params.a.memory_config());
    require(params.a.logical_shape()[2] % tile_size == 0,
            "{}: argument 'a' must have a number of rows that is a multiple of {}, got {}", op, tile_size,
            params.a.logical_shape());
    require(!params.memory_config || params.memory_config->is_sharded(), "{}: argument 'memory_config' must be sharded",
            op);
}

inline void scan(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Dense<float> a = read<float>(inputs[0]);
    const Dense<float> bx = read<float>(inputs[1]);
    Dense<float> state = read<float>(inputs[2]);
    Dense<float> states(a.size());
    const size_t width = state.size();
    for (size_t first = 0; first < a.size(); first += width) {
        checkpoint();
        for (size_t i = 0; i < width; ++i) {
            const float product = pack::from_bfloat16(pack::to_bfloat16(a[first + i] * state[i]));
            state[i] = pack::from_bfloat16(pack::to_bfloat16(product + bx[first + i]));
            states[first + i] = state[i];
        }
    }
    write<float>(outputs[0], states.span());
    write<float>(outputs[1], state.span());
}

}  // namespace ssm

inline void PrefixScan::validate(const Params& params) {
    const Shape& shape = params.a.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1 && shape[1] == 1, "{}: argument 'a' must be [1, 1, L, D], got {}", name,
            shape);
    require(params.bx.logical_shape() == shape, "{}: argument 'bx' must be {}, got {}", name, shape,
            params.bx.logical_shape());
    require(params.h_prev.logical_shape() == Shape({1, 1, 1, shape[3]}),
            "{}: argument 'h_prev' must be [1, 1, 1, {}], got {}", name, shape[3], params.h_prev.logical_shape());
    check_at_launch([&] { ssm::check_scan(params); });
}

inline Tensor PrefixScan::run(const Params& params) {
    const Tensor inputs[] = {params.a, params.bx, params.h_prev};
    const DataType dtype = params.dtype.value_or(params.a.dtype());
    const MemoryConfig config = params.memory_config.value_or(params.a.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const ShardSpec shards = params.a.memory_config().shard_spec().value_or(ShardSpec{});
        const uint64_t tile = Tile().bytes(DataType::BFLOAT16);
        for (const Tensor& input : inputs) {
            movement::shard_buffer(p, input);
        }
        for (int i = 0; i < 3; ++i) {  // 32 rows as tiles: of a, of bx, of the result
            p.circular_buffer(shards.grid, 32 * tile);
        }
        for (int i = 0; i < 3; ++i) {  // the last state, its product with a, the next state
            p.circular_buffer(shards.grid, 2 * tile);
        }
        p.circular_buffer(shards.grid, div_up<uint64_t>(shards.shape[1], 32 * tile_size) * tile);
        movement::shard_buffer(p, outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> tensors, std::span<Tensor> outputs) { ssm::scan(tensors, outputs); };
    const MathFidelity fidelity = params.math_fidelity.value_or(MathFidelity::HiFi4);
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.a).add(params.bx).add(params.h_prev).add(config).add(dtype);
        list.add(fidelity);
    };
    const OutputSlot slots[] = {{.spec = TensorSpec(params.a.logical_shape(), dtype, Layout::TILE, config)},
                                {.spec = params.h_prev.spec(), .preallocated = params.h_prev}};
    return launch({"ttnn::prim::prefix_scan", inputs, program, kernel, arguments}, slots).front();
}

inline void PrefixScan::cases(CaseMaker& make) {
    make.only_if(make.memory() == MemoryKind::WIDTH_SHARDED || make.memory() == MemoryKind::DRAM);
    const auto add = [&](uint32_t rows, uint32_t width, std::optional<DataType> dtype) {
        const Tensor a = make.tensor({1, 1, rows, width});
        const auto& shards = a.memory_config().shard_spec();
        make.only_if(shards.has_value());
        const ShardSpec row{shards->grid, {1, shards->shape[1]}};
        make.add(Params{.a = a,
                        .bx = make.tensor({1, 1, rows, width}),
                        .h_prev = Tensor::allocate_on_device(
                            TensorSpec(Shape({1, 1, 1, width}), DataType::BFLOAT16, Layout::ROW_MAJOR,
                                       MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1, row)),
                            make.device()),
                        .dtype = dtype});
    };
    add(32, 128, std::nullopt);
    add(96, 256, DataType::BFLOAT16);
}

}  // namespace ttnn

#endif
