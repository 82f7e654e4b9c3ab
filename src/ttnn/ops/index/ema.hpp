// ema: running averages along rows.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Ema {
    static constexpr std::string_view name = "ttnn.ema";
    static constexpr std::string_view doc =
        "Exponential moving average along the last dimension: y[0] = x[0], y[t] = alpha * y[t-1] + (1 - alpha) * x[t].";
    struct Params {
        Tensor input_tensor{};
        double alpha = 0.0;
        std::optional<Tensor> out{};
        std::optional<CoreGrid> core_grid{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved BFLOAT16 [1, B, C, T] in TILE"),
                                      arg<&Params::alpha>("weight of what was before"),
                                      kw<&Params::out>("written into and returned").mutates(),
                                      kw<&Params::core_grid>("cores to use"),
                                      kw<&Params::memory_config>("interleaved; default: the input's"),
                                      kw<&Params::compute_kernel_config>("no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 4, .ulp_bfloat16 = 1, .ulp_block_float = 1, .absolute = 1e-12};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(ema, Ema);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/lines.hpp"

namespace ttnn {

// The recurrence written out: sums of powers of the weight, so that nothing runs along the row.
inline std::vector<reference::Array> Ema::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const reference::Lines lines(input.shape, input.shape.rank() - 1);
    reference::Array result(input.shape);
    for (size_t row = 0; row < lines.count(); ++row) {
        for (size_t t = 0; t < lines.length(); ++t) {
            double sum = std::pow(params.alpha, static_cast<double>(t)) * input.values[lines.at(row, 0)];
            for (size_t i = 1; i <= t; ++i) {
                sum += (1 - params.alpha) * std::pow(params.alpha, static_cast<double>(t - i)) *
                       input.values[lines.at(row, i)];
            }
            result.values[lines.at(row, t)] = sum;
        }
    }
    return {result};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/cumulative.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

inline void check_ema(const Ema::Params& params) {
    const std::string_view name = Ema::name;
    check_layout(name, "input_tensor", params.input_tensor, Layout::TILE);
    check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16});
    check_interleaved(name, "input_tensor", params.input_tensor);
    if (params.out) {
        check_dtype(name, "out", *params.out, {DataType::BFLOAT16});
        check_layout(name, "out", *params.out, Layout::TILE);
    }
}

}  // namespace indexing

inline void Ema::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1, "{}: argument 'input_tensor' must be [1, B, C, T], got {}", name,
            shape);
    if (params.out) {
        check_preallocated(name, "out", *params.out, shape);
    }
    check_at_launch([&] { indexing::check_ema(params); });
}

inline Tensor Ema::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const MemoryConfig config = output_memory_config(params.memory_config, params.out, input);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet grid = params.core_grid ? CoreRangeSet({params.core_grid->range()}) : p.full_grid();
        const CoreRangeSet cores = indexing::cores_for(p, grid, tile_rows(input));
        p.circular_buffer(cores, 2 * page_bytes(input));
        p.circular_buffer(cores, 2 * page_bytes(outputs[0]));
        p.circular_buffer(cores, page_bytes(outputs[0]));  // the last tile of averages
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::average_rows(inputs[0], params.alpha, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.alpha).add(params.core_grid).add(config).add(params.compute_kernel_config);
        list.add(params.out);
    };
    return launch({"ttnn::prim::ema", {&input, 1}, program, kernel, arguments},
                  TensorSpec(input.logical_shape(), input.dtype(), Layout::TILE, config, input.spec().tile()),
                  params.out);
}

inline void Ema::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 32, 128}), .alpha = 0.9});
    make.add(Params{.input_tensor = make.tensor({1, 1, 33, 40}), .alpha = 0.25, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 32}),
                    .alpha = 0.5,
                    .out = make.interleaved({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE)});
}

}  // namespace ttnn

#endif
