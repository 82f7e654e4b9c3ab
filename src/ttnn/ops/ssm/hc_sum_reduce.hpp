// hc_sum_reduce: sums of 32 neighbours along rows, the step of Mamba models that joins hidden states.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct HcSumReduce {
    static constexpr std::string_view name = "ttnn.experimental.hc_sum_reduce";
    static constexpr std::string_view doc = "The sum of every 32 columns, one after the other.";
    struct Params {
        Tensor input{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<MathFidelity> math_fidelity{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("interleaved tile tensor [1, 1, B, N * 1024]: BFLOAT16 or BFLOAT8_B"),
        kw<&Params::memory_config>("interleaved, default: the input's"),
        kw<&Params::dtype>("BFLOAT16 or BFLOAT8_B, default: the input's"),
        kw<&Params::math_fidelity>("no effect here")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<HcSumReduce> hc_sum_reduce{};
}
TTNN_DECLARATION(HcSumReduce);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> HcSumReduce::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    Shape shape = params.input.padded_shape();
    shape[-1] /= 32;
    reference::Array sums(shape);
    std::vector<double> slack(sums.values.size(), 0.0);
    reference::for_each_index(input.shape, [&](std::span<const uint32_t> index) {
        const size_t to = size_t{index[2]} * shape[-1] + index[3] / 32;
        const double value = input.at(index);
        sums.values[to] += value;
        slack[to] += std::abs(value) * 0x1p-19;  // fp32 sums of 32 numbers
    });
    sums.slack = std::move(slack);
    return {sums};
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

inline constexpr uint32_t latent = 32;

inline void check_sum_reduce(const HcSumReduce::Params& params) {
    constexpr std::string_view op = HcSumReduce::name;
    const auto dtypes = {DataType::BFLOAT16, DataType::BFLOAT8_B};
    check_layout(op, "input", params.input, Layout::TILE);
    check_interleaved(op, "input", params.input);
    check_dtype(op, "input", params.input, dtypes);
    require(!params.memory_config || params.memory_config->interleaved(),
            "{}: argument 'memory_config' must be interleaved", op);
    const DataType dtype = params.dtype.value_or(params.input.dtype());
    require(std::ranges::find(dtypes, dtype) != dtypes.end(),
            "{}: argument 'dtype' must be BFLOAT16 or BFLOAT8_B, got {}", op, dtype);
    const Shape& shape = params.input.padded_shape();
    require(shape[0] == 1 && shape[1] == 1 && shape[3] % (latent * latent) == 0,
            "{}: argument 'input' must be [1, 1, B, N * {}], got {}", op, latent * latent,
            params.input.logical_shape());
}

// What only fills tiles counts as zeros.
inline void sum_neighbours(const Tensor& input, Tensor& output) {
    const Dense<float> values = read<float>(input);
    Dense<float> sums(output.logical_volume());
    std::fill(sums.begin(), sums.end(), 0.0F);
    const size_t width = input.logical_shape()[3];
    const size_t parts = output.logical_shape()[3];
    for (size_t row = 0; row < input.logical_shape()[2]; ++row) {
        checkpoint();
        for (size_t column = 0; column < width; ++column) {
            sums[row * parts + column / latent] += values[row * width + column];
        }
    }
    write<float>(output, sums.span());
}

}  // namespace ssm

inline void HcSumReduce::validate(const Params& params) {
    const Shape& shape = params.input.logical_shape();
    require(shape.rank() == 4, "{}: argument 'input' must have rank 4, got {}", name, shape);
    check_at_launch([&] { ssm::check_sum_reduce(params); });
}

inline Tensor HcSumReduce::run(const Params& params) {
    const Tensor& input = params.input;
    const DataType dtype = params.dtype.value_or(input.dtype());
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(std::max(input.padded_shape()[-1] / (ssm::latent * ssm::latent), 1U));
        const uint64_t between = 2 * Tile().bytes(DataType::BFLOAT16);
        p.circular_buffer(cores, 2 * page_bytes(input));
        for (int i = 0; i < 4; ++i) {  // ones, the transposed tile, its sums, the sums of 32 tiles
            p.circular_buffer(cores, between);
        }
        p.circular_buffer(cores, 2 * page_bytes(input));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        ssm::sum_neighbours(inputs[0], outputs[0]);
    };
    const MathFidelity fidelity = params.math_fidelity.value_or(MathFidelity::HiFi4);
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config).add(dtype).add(fidelity); };
    Shape shape = input.padded_shape();
    shape[-1] /= ssm::latent;
    return launch({"ttnn::prim::hc_sum_reduce", {&input, 1}, program, kernel, arguments},
                  TensorSpec(shape, dtype, Layout::TILE, config));
}

inline void HcSumReduce::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 1, 32, 1024})});
    make.add(Params{.input = make.tensor({1, 1, 40, 2048}), .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({1, 1, 64, 1024}), .dtype = DataType::BFLOAT8_B});
}

}  // namespace ttnn

#endif
