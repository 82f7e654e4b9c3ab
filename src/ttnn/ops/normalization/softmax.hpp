// softmax and its forms with scale and mask, some of which write into their input.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/normalization/softmax_rules.hpp"

namespace ttnn {

struct Softmax {
    static constexpr std::string_view name = "ttnn.softmax";
    static constexpr std::string_view doc = "exp(x) / sum(exp(x)) over one dimension.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = -1;
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool numeric_stable = true;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B"),
                                      opt<&Params::dim>("dimension to normalise, negative from the end"),
                                      kw<&Params::memory_config>("default: of the input"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::numeric_stable>("subtract the greatest element first")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static softmax_rules::Arguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .dim = p.dim,
                .memory_config = p.memory_config,
                .compute_kernel_config = p.compute_kernel_config,
                .numeric_stable = p.numeric_stable};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct SoftmaxInPlace {
    static constexpr std::string_view name = "ttnn.softmax_in_place";
    static constexpr std::string_view doc = "softmax over the last dimension, written into the input.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = -1;
        SoftmaxProgramConfig program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool numeric_stable = true;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B, rank up to 4").mutates(),
        opt<&Params::dim>("the last dimension"), kw<&Params::program_config>("how a sharded input is cut"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::numeric_stable>("subtract the greatest element first")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static softmax_rules::Arguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .dim = p.dim,
                .in_place = true,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config,
                .numeric_stable = p.numeric_stable};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ScaleMaskSoftmax {
    static constexpr std::string_view name = "ttnn.scale_mask_softmax";
    static constexpr std::string_view doc = "softmax of input * scale + mask over the last dimension.";
    struct Params {
        Tensor input_tensor{};
        std::optional<double> scale{};
        std::optional<Tensor> mask{};
        std::optional<MemoryConfig> memory_config{};
        bool is_causal_mask = false;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool numeric_stable = true;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor [N, C, H, W]: FLOAT32, BFLOAT16 or BFLOAT8_B"),
        opt<&Params::scale>("factor of the input; needs a mask"),
        opt<&Params::mask>("added to the scaled input: [N, 1, 1, W], row-major [N, 1, W/32, 32], or [N, 1, H, W]"),
        kw<&Params::memory_config>("default: of the input"),
        kw<&Params::is_causal_mask>("the mask has a row for every row of the input"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::numeric_stable>("subtract the greatest element first")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static softmax_rules::Arguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .scale = p.scale,
                .mask = p.mask,
                .mask_form = softmax_rules::mask_form(p.mask, p.is_causal_mask),
                .memory_config = p.memory_config,
                .compute_kernel_config = p.compute_kernel_config,
                .numeric_stable = p.numeric_stable};
    }
    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ScaleMaskSoftmaxInPlace {
    static constexpr std::string_view name = "ttnn.scale_mask_softmax_in_place";
    static constexpr std::string_view doc = "softmax of input * scale + mask, written into the input.";
    struct Params {
        Tensor input_tensor{};
        std::optional<double> scale{};
        std::optional<Tensor> mask{};
        SoftmaxProgramConfig program_config{};
        bool is_causal_mask = false;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool numeric_stable = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor [N, C, H, W]: FLOAT32, BFLOAT16 or BFLOAT8_B").mutates(),
        opt<&Params::scale>("factor of the input; needs a mask"),
        opt<&Params::mask>("added to the scaled input: [N, 1, 1, W], row-major [N, 1, W/32, 32], or [N, 1, H, W]"),
        kw<&Params::program_config>("how a sharded input is cut"),
        kw<&Params::is_causal_mask>("the mask has a row for every row of the input"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::numeric_stable>("subtract the greatest element first")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static softmax_rules::Arguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .scale = p.scale,
                .mask = p.mask,
                .mask_form = softmax_rules::mask_form(p.mask, p.is_causal_mask),
                .in_place = true,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config,
                .numeric_stable = p.numeric_stable};
    }
    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ScaleCausalMaskHwDimsSoftmaxInPlace {
    static constexpr std::string_view name = "ttnn.scale_causal_mask_hw_dims_softmax_in_place";
    static constexpr std::string_view doc =
        "softmax of a sharded input * scale + one mask for all its matrices, in place.";
    struct Params {
        Tensor input_tensor{};
        std::optional<double> scale{};
        std::optional<Tensor> mask{};
        SoftmaxProgramConfig program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool numeric_stable = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("sharded tile tensor [N, C, H, W]: FLOAT32, BFLOAT16 or BFLOAT8_B").mutates(),
        opt<&Params::scale>("factor of the input"),
        opt<&Params::mask>("interleaved tile tensor [1, 1, H, W], added to the scaled input"),
        kw<&Params::program_config>("how the input is cut"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::numeric_stable>("subtract the greatest element first")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static softmax_rules::Arguments arguments(const Params& p) {
        return {.op = name,
                .input = p.input_tensor,
                .scale = p.scale,
                .mask = p.mask,
                .mask_form = softmax_rules::MaskForm::SHARED,
                .in_place = true,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config,
                .numeric_stable = p.numeric_stable};
    }
    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(softmax, Softmax);
TTNN_OPERATION(softmax_in_place, SoftmaxInPlace);
TTNN_OPERATION(scale_mask_softmax, ScaleMaskSoftmax);
TTNN_OPERATION(scale_mask_softmax_in_place, ScaleMaskSoftmaxInPlace);
TTNN_OPERATION(scale_causal_mask_hw_dims_softmax_in_place, ScaleCausalMaskHwDimsSoftmaxInPlace);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/normalize.hpp"

namespace ttnn {

inline std::vector<reference::Array> Softmax::reference(const Params& params) {
    return {reference::softmax(reference::values(params.input_tensor), params.dim)};
}
inline std::vector<reference::Array> SoftmaxInPlace::reference(const Params& params) {
    return {reference::softmax(reference::values(params.input_tensor), params.dim)};
}
inline std::vector<reference::Array> ScaleMaskSoftmax::reference(const Params& params) {
    return {reference::masked_softmax(params.input_tensor, params.scale, params.mask, params.is_causal_mask)};
}
inline std::vector<reference::Array> ScaleMaskSoftmaxInPlace::reference(const Params& params) {
    return {reference::masked_softmax(params.input_tensor, params.scale, params.mask, params.is_causal_mask)};
}
inline std::vector<reference::Array> ScaleCausalMaskHwDimsSoftmaxInPlace::reference(const Params& params) {
    return {reference::masked_softmax(params.input_tensor, params.scale, params.mask, true)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/normalization/softmax_program.hpp"

namespace ttnn {

inline void Softmax::validate(const Params& params) { softmax_program::validate(arguments(params)); }
inline void SoftmaxInPlace::validate(const Params& params) { softmax_program::validate(arguments(params)); }
inline void ScaleMaskSoftmax::validate(const Params& params) { softmax_program::validate(arguments(params)); }
inline void ScaleMaskSoftmaxInPlace::validate(const Params& params) { softmax_program::validate(arguments(params)); }
inline void ScaleCausalMaskHwDimsSoftmaxInPlace::validate(const Params& params) {
    softmax_program::validate_shared_mask(arguments(params));
}

// The original brings the result back to the input's rank, here always its own.
inline Tensor Softmax::run(const Params& params) {
    return reshape(softmax_program::run(arguments(params)), movement::ints(params.input_tensor.logical_shape()));
}
inline Tensor SoftmaxInPlace::run(const Params& params) { return softmax_program::run(arguments(params)); }
inline Tensor ScaleMaskSoftmax::run(const Params& params) { return softmax_program::run(arguments(params)); }
inline Tensor ScaleMaskSoftmaxInPlace::run(const Params& params) { return softmax_program::run(arguments(params)); }
inline Tensor ScaleCausalMaskHwDimsSoftmaxInPlace::run(const Params& params) {
    return softmax_program::run(arguments(params));
}

inline Domain ScaleMaskSoftmax::domain(const Params&, std::string_view field) {
    return field == "mask" ? Domain::mask() : Domain::real(-2.0, 2.0);
}
inline Domain ScaleMaskSoftmaxInPlace::domain(const Params&, std::string_view field) {
    return field == "mask" ? Domain::mask() : Domain::real(-2.0, 2.0);
}
inline Domain ScaleCausalMaskHwDimsSoftmaxInPlace::domain(const Params&, std::string_view field) {
    return field == "mask" ? Domain::mask() : Domain::real(-2.0, 2.0);
}

inline void Softmax::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 65}), .dim = 1});
    make.add(Params{.input_tensor = make.tensor({3, 2, 32, 40}), .dim = 0, .numeric_stable = false});
    make.add(Params{.input_tensor = make.tensor({40, 33}), .dim = -1, .memory_config = MemoryConfig()});
    make.add(Params{.input_tensor = make.interleaved({50}, make.dtype(), make.layout())});
}

inline void SoftmaxInPlace::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({33, 65}), .dim = 1, .numeric_stable = false});
    if (make.memory() == MemoryKind::HEIGHT_SHARDED) {
        const SoftmaxShardedMultiCoreProgramConfig config{{2, 1}, 1, 2, 3};
        make.add(Params{.input_tensor = make.tensor({1, 4, 64, 96}), .program_config = config});
    }
}

inline void ScaleMaskSoftmax::cases(CaseMaker& make) {
    const auto mask = [&](const Shape& shape, Layout layout) {
        return make.interleaved(shape, layout == Layout::TILE ? make.dtype() : DataType::BFLOAT16, layout);
    };
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96})});
    make.add(
        Params{.input_tensor = make.tensor({2, 2, 64, 96}), .scale = 0.5, .mask = mask({2, 1, 1, 96}, Layout::TILE)});
    make.add(Params{.input_tensor = make.tensor({2, 3, 32, 64}),
                    .scale = 0.125,
                    .mask = mask({2, 1, 2, 32}, Layout::ROW_MAJOR),
                    .numeric_stable = false});
    make.add(Params{.input_tensor = make.tensor({2, 3, 40, 50}),
                    .scale = 2.0,
                    .mask = mask({2, 1, 40, 50}, Layout::TILE),
                    .is_causal_mask = true});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .mask = mask({1, 64}, Layout::TILE)});
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 64}), .scale = 1.5, .mask = make.tensor({1, 2, 64, 64})});
}

inline void ScaleMaskSoftmaxInPlace::cases(CaseMaker& make) {
    const auto mask = [&](const Shape& shape) { return make.interleaved(shape, DataType::BFLOAT16, Layout::TILE); };
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96}), .scale = 0.5, .mask = mask({2, 1, 1, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 3, 40, 50}),
                    .mask = mask({2, 1, 40, 50}),
                    .is_causal_mask = true,
                    .numeric_stable = true});
}

inline void ScaleCausalMaskHwDimsSoftmaxInPlace::cases(CaseMaker& make) {
    make.only_if(make.memory() == MemoryKind::HEIGHT_SHARDED);
    const SoftmaxShardedMultiCoreProgramConfig config{{4, 1}, 1, 2, 3};
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96}),
                    .scale = 0.5,
                    .mask = make.interleaved({1, 1, 64, 96}, DataType::BFLOAT16, Layout::TILE),
                    .program_config = config});
}

}  // namespace ttnn

#endif
