// repeat_and_interleave_eltwise_mul: the outer products of Mamba models, row by row.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct RepeatAndInterleaveEltwiseMul {
    static constexpr std::string_view name = "ttnn.experimental.repeat_and_interleave_eltwise_mul";
    static constexpr std::string_view doc =
        "a * b with 163840 columns: 32 columns of a are repeated 5120 times, each of 5120 columns of b 32 times.";
    struct Params {
        Tensor a{};
        Tensor b{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<MathFidelity> math_fidelity{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::a>("interleaved tile tensor [1, 1, U, 32] or [1, 1, U, 163840]: BFLOAT16 or BFLOAT8_B"),
        arg<&Params::b>("the same with 5120 or 163840 columns, but not as many as a"),
        kw<&Params::memory_config>("interleaved, default: that of a"),
        kw<&Params::dtype>("BFLOAT16 or BFLOAT8_B, default: that of a"), kw<&Params::math_fidelity>("no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<RepeatAndInterleaveEltwiseMul> repeat_and_interleave_eltwise_mul{};
}
TTNN_DECLARATION(RepeatAndInterleaveEltwiseMul);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> RepeatAndInterleaveEltwiseMul::reference(const Params& params) {
    const reference::Array a = reference::values(params.a);
    const reference::Array b = reference::values(params.b);
    const size_t hidden = 5120;
    Shape shape = params.a.padded_shape();
    shape[3] = 32 * static_cast<uint32_t>(hidden);
    reference::Array result(shape);
    for (size_t row = 0; row < a.shape[2] && row < b.shape[2]; ++row) {
        for (size_t i = 0; i < hidden * 32; ++i) {
            const size_t of_a = a.shape[3] == 32 ? row * 32 + i % 32 : row * hidden * 32 + i;
            const size_t of_b = b.shape[3] == hidden ? row * hidden + i / 32 : row * hidden * 32 + i;
            result.values[row * hidden * 32 + i] = a.values[of_a] * b.values[of_b];
        }
    }
    return {result};
}

}  // namespace ttnn

#else

#include <algorithm>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

namespace ssm {

inline constexpr uint32_t states = 32;
inline constexpr uint32_t hidden = 5120;
inline constexpr uint32_t all_columns = states * hidden;

inline void check_factor(std::string_view argument, const Tensor& tensor, uint32_t narrow) {
    constexpr std::string_view op = RepeatAndInterleaveEltwiseMul::name;
    check_layout(op, argument, tensor, Layout::TILE);
    check_interleaved(op, argument, tensor);
    check_dtype(op, argument, tensor, {DataType::BFLOAT16, DataType::BFLOAT8_B});
    const Shape& shape = tensor.logical_shape();
    require(shape[0] == 1 && shape[1] == 1 && (shape[3] == narrow || shape[3] == all_columns),
            "{}: argument '{}' must be [1, 1, U, {}] or [1, 1, U, {}], got {}", op, argument, narrow, all_columns,
            shape);
}

inline void check_factors(const RepeatAndInterleaveEltwiseMul::Params& params) {
    constexpr std::string_view op = RepeatAndInterleaveEltwiseMul::name;
    check_factor("a", params.a, states);
    check_factor("b", params.b, hidden);
    require(!params.memory_config || params.memory_config->interleaved(),
            "{}: argument 'memory_config' must be interleaved", op);
    const DataType dtype = params.dtype.value_or(params.a.dtype());
    require(dtype == DataType::BFLOAT16 || dtype == DataType::BFLOAT8_B,
            "{}: argument 'dtype' must be BFLOAT16 or BFLOAT8_B, got {}", op, dtype);
    require(params.a.padded_shape()[2] == params.b.padded_shape()[2] &&
                params.a.logical_shape()[3] != params.b.logical_shape()[3],
            "{}: arguments 'a' and 'b' must have the same rows and not the same columns, got {} and {}", op,
            params.a.logical_shape(), params.b.logical_shape());
}

// Rows that only fill the tile hold zeros.
inline void multiply_rows(const Tensor& first, const Tensor& second, Tensor& output) {
    const Dense<float> a = read<float>(first);
    const Dense<float> b = read<float>(second);
    const uint32_t a_width = first.logical_shape()[3];
    const uint32_t b_width = second.logical_shape()[3];
    Dense<float> products(output.logical_volume());
    std::fill(products.begin(), products.end(), 0.0F);
    for (size_t row = 0; row < std::min(first.logical_shape()[2], second.logical_shape()[2]); ++row) {
        checkpoint();
        const float* from_a = a.data() + row * a_width;
        const float* from_b = b.data() + row * b_width;
        float* to = products.data() + row * all_columns;
        for (uint32_t i = 0; i < all_columns; ++i) {
            to[i] = from_a[a_width == states ? i % states : i] * from_b[b_width == hidden ? i / states : i];
        }
    }
    write<float>(output, products.span());
}

}  // namespace ssm

inline void RepeatAndInterleaveEltwiseMul::validate(const Params& params) {
    for (const auto& [argument, tensor] : {std::pair("a", &params.a), std::pair("b", &params.b)}) {
        require(tensor->logical_shape().rank() == 4, "{}: argument '{}' must have rank 4, got {}", name, argument,
                tensor->logical_shape());
    }
    check_at_launch([&] { ssm::check_factors(params); });
}

inline Tensor RepeatAndInterleaveEltwiseMul::run(const Params& params) {
    const Tensor inputs[] = {params.a, params.b};
    const DataType dtype = params.dtype.value_or(params.a.dtype());
    const MemoryConfig config = params.memory_config.value_or(params.a.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_columns(inputs[1]), 1));
        for (const Tensor& tensor : {inputs[0], inputs[1], outputs[0]}) {
            p.circular_buffer(cores, 2 * page_bytes(tensor));
        }
        for (int i = 0; i < 4; ++i) {  // both factors transposed, a row of b spread over a tile, the transposed product
            p.circular_buffer(cores, 2 * Tile().bytes(DataType::BFLOAT16));
        }
    };
    const auto kernel = [](std::span<const Tensor> factors, std::span<Tensor> outputs) {
        ssm::multiply_rows(factors[0], factors[1], outputs[0]);
    };
    const MathFidelity fidelity = params.math_fidelity.value_or(MathFidelity::HiFi4);
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.a).add(params.b).add(config).add(dtype);
        list.add(fidelity).add(std::nullopt);
    };
    Shape shape = params.a.padded_shape();
    shape[3] = ssm::all_columns;
    return launch({"ttnn::prim::repeat_and_interleave_eltwise_mul", inputs, program, kernel, arguments},
                  TensorSpec(shape, dtype, Layout::TILE, config));
}

// A result has at least 5 million elements: each form as seldom as can be.
inline void RepeatAndInterleaveEltwiseMul::cases(CaseMaker& make) {
    make.only_if(make.memory() != MemoryKind::L1);
    make.add(Params{.a = make.tensor({1, 1, 32, ssm::states}), .b = make.tensor({1, 1, 32, ssm::hidden})});
    make.only_if(make.dtype() == DataType::BFLOAT16 && make.layout() == Layout::TILE &&
                 make.memory() == MemoryKind::DRAM);
    make.add(Params{.a = make.tensor({1, 1, 20, ssm::all_columns}),
                    .b = make.tensor({1, 1, 20, ssm::hidden}),
                    .dtype = DataType::BFLOAT8_B});
    make.add(Params{.a = make.tensor({1, 1, 32, ssm::states}),
                    .b = make.tensor({1, 1, 32, ssm::all_columns}),
                    .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
