// The norms of diffusion transformers whose rows are spread over chips: their statistics, and the layer norm.
#pragma once

#include "ttnn/core/error.hpp"
#include "ttnn/ops/normalization/norm_post_all_gather.hpp"
#include "ttnn/ops/normalization/norm_pre_all_gather.hpp"

namespace ttnn {

namespace dit_rules {

inline void check_interleaved_input(std::string_view op, const Tensor& input) {
    require(!input.is_sharded(), "{}: argument 'input_tensor' must be interleaved, got {}", op, input.memory_config());
}

template <class Params>
inline constexpr FieldList pre_fields{kw<&Params::dtype>("of the statistics"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::memory_config>("no effect: statistics lie where the input does")};

}  // namespace dit_rules

struct DitLayerNormPreAllGather {
    static constexpr std::string_view name = "ttnn.experimental.dit_layernorm_pre_allgather";
    static constexpr std::string_view doc = "Sums and sums of squares of the rows of one chip.";
    struct Params {
        Tensor input_tensor{};
        std::optional<Tensor> recip_tensor{};
        DataType dtype = DataType::BFLOAT16;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("interleaved tile tensor of rank 4: FLOAT32, BFLOAT16 or BFLOAT8_B"),
                  opt<&Params::recip_tensor>("reciprocals of create_layer_norm_reciprocals, no effect here")} +
        dit_rules::pre_fields<Params>;
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PreArguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .dtype = p.dtype,
                .compute_kernel_config = p.compute_kernel_config,
                .reciprocals = p.recip_tensor,
                .primitive = "ttnn::prim::dit_layernorm_pre_all_gather",
                .sum_first = true};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct DitLayerNormPostAllGather {
    static constexpr std::string_view name = "ttnn.experimental.dit_layernorm_post_allgather";
    static constexpr std::string_view doc = "layer_norm of rows of which each chip has a part.";
    struct Params {
        Tensor input_tensor{};
        Tensor stats{};
        double epsilon = 1e-5;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("interleaved tile tensor of rank 4: FLOAT32, BFLOAT16 or BFLOAT8_B"),
        arg<&Params::stats>(distributed_norm::statistics_doc),
        kw<&Params::epsilon>("added to the variance"),
        kw<&Params::weight>("W factors: TILE [1, 1, 1, W] or ROW_MAJOR [1, 1, W/32, 32]"),
        kw<&Params::bias>("W addends, in the weight's layout"),
        kw<&Params::memory_config>("default: of the input"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::dtype>("default: of the input")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PostArguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .stats = p.stats,
                .epsilon = p.epsilon,
                .weight = p.weight,
                .bias = p.bias,
                .memory_config = p.memory_config,
                .compute_kernel_config = p.compute_kernel_config,
                .dtype = p.dtype,
                .primitive = "ttnn::prim::dit_layernorm_post_all_gather",
                .sum_first = true};
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return distributed_norm::post_domain(params.input_tensor, field);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct WanRmsNormPreAllGather {
    static constexpr std::string_view name = "ttnn.experimental.wan_fused_rmsnorm_pre_allgather";
    static constexpr std::string_view doc = "Sums of squares of the rows of one chip.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::BFLOAT16;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("interleaved tile tensor of rank 4: FLOAT32, BFLOAT16 or BFLOAT8_B")} +
        dit_rules::pre_fields<Params>;
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PreArguments arguments(const Params& p) {
        return {.op = name,
                .center = false,
                .input = p.input_tensor,
                .dtype = p.dtype,
                .compute_kernel_config = p.compute_kernel_config,
                .primitive = "ttnn::prim::fused_rmsnorm_pre_all_gather"};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<DitLayerNormPreAllGather> dit_layernorm_pre_allgather{};
inline constexpr Op<DitLayerNormPostAllGather> dit_layernorm_post_allgather{};
inline constexpr Op<WanRmsNormPreAllGather> wan_fused_rmsnorm_pre_allgather{};
}  // namespace experimental
TTNN_DECLARATION(DitLayerNormPreAllGather);
TTNN_DECLARATION(DitLayerNormPostAllGather);
TTNN_DECLARATION(WanRmsNormPreAllGather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

namespace ttnn {

inline std::vector<reference::Array> DitLayerNormPreAllGather::reference(const Params& params) {
    return {distributed_norm::statistics(arguments(params))};
}
inline std::vector<reference::Array> DitLayerNormPostAllGather::reference(const Params& params) {
    return {distributed_norm::normalized(arguments(params))};
}
inline std::vector<reference::Array> WanRmsNormPreAllGather::reference(const Params& params) {
    return {distributed_norm::statistics(arguments(params))};
}

}  // namespace ttnn

#else

namespace ttnn {

inline void DitLayerNormPreAllGather::validate(const Params& params) {
    dit_rules::check_interleaved_input(name, params.input_tensor);
    distributed_norm::validate(arguments(params));
}
inline void DitLayerNormPostAllGather::validate(const Params& params) {
    dit_rules::check_interleaved_input(name, params.input_tensor);
    distributed_norm::validate(arguments(params));
}
inline void WanRmsNormPreAllGather::validate(const Params& params) {
    dit_rules::check_interleaved_input(name, params.input_tensor);
    distributed_norm::validate(arguments(params));
}

inline Tensor DitLayerNormPreAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }
inline Tensor DitLayerNormPostAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }
inline Tensor WanRmsNormPreAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }

inline void DitLayerNormPreAllGather::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}),
                    .recip_tensor = make.interleaved({1, 96}, DataType::FLOAT32, Layout::ROW_MAJOR)});
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 50}), .dtype = DataType::FLOAT32});
}
inline void DitLayerNormPostAllGather::cases(CaseMaker& make) {
    const auto stats = [&](uint32_t height) {
        return make.interleaved({1, 1, height, 256}, DataType::BFLOAT16, Layout::TILE);
    };
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .stats = stats(64)});
    make.add(Params{.input_tensor = make.tensor({1, 1, 40, 64}),
                    .stats = stats(40),
                    .epsilon = 1e-3,
                    .weight = make.interleaved({1, 64}, DataType::BFLOAT16, Layout::TILE),
                    .bias = make.interleaved({1, 64}, DataType::BFLOAT16, Layout::TILE),
                    .dtype = DataType::FLOAT32});
}
inline void WanRmsNormPreAllGather::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 50}), .dtype = DataType::FLOAT32});
}

}  // namespace ttnn

#endif
