// wan_fused_rmsnorm_post_allgather: rms_norm of rows that are spread over chips, cut into heads that may be rotated.
#pragma once

#include "ttnn/ops/normalization/norm_post_all_gather.hpp"

namespace ttnn {

struct WanRmsNormPostAllGather {
    static constexpr std::string_view name = "ttnn.experimental.wan_fused_rmsnorm_post_allgather";
    static constexpr std::string_view doc =
        "rms_norm of rows of which each chip has a part, as heads; with a rotation x * cos + (x @ matrix) * sin.";
    struct Params {
        Tensor input_tensor{};
        Tensor stats{};
        double epsilon = 1e-5;
        int64_t num_heads_per_device = 1;
        std::optional<Tensor> weight{};
        std::optional<Tensor> transformation_mat{};
        std::optional<Tensor> rope_cos{};
        std::optional<Tensor> rope_sin{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("interleaved tile tensor [1, 1, S, heads * D]"),
        arg<&Params::stats>(distributed_norm::statistics_doc),
        kw<&Params::epsilon>("added to the mean of squares"),
        kw<&Params::num_heads_per_device>("heads that a row is cut into"),
        kw<&Params::weight>("factors: TILE [1, 1, 1, heads * D] or ROW_MAJOR [1, 1, heads * D / 32, 32]"),
        kw<&Params::transformation_mat>("[1, 1, 32, 32], applied to 32 columns at a time; with rope_cos and rope_sin"),
        kw<&Params::rope_cos>("[1, 1, S, D]"),
        kw<&Params::rope_sin>("[1, 1, S, D]"),
        kw<&Params::memory_config>("default: of the input"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::dtype>("default: of the input")};
    // What is rotated was rounded to fp32.
    static constexpr Tolerance tolerance{.ulp_float32 = 4, .absolute = 1e-6};

    static distributed_norm::PostArguments arguments(const Params& p) {
        return {.op = name,
                .center = false,
                .input = p.input_tensor,
                .stats = p.stats,
                .epsilon = p.epsilon,
                .weight = p.weight,
                .memory_config = p.memory_config,
                .compute_kernel_config = p.compute_kernel_config,
                .dtype = p.dtype,
                .primitive = "ttnn::prim::fused_rmsnorm_post_all_gather"};
    }
    static void validate(const Params& params);
    static void check_rotation(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return distributed_norm::post_domain(params.input_tensor, field);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<WanRmsNormPostAllGather> wan_fused_rmsnorm_post_allgather{};
}
TTNN_DECLARATION(WanRmsNormPostAllGather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"
#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::WanRmsNormPostAllGather::reference(const Params& params) {
    const reference::Array normal = distributed_norm::normalized(arguments(params));
    const auto heads_count = static_cast<uint32_t>(params.num_heads_per_device);
    const uint32_t width = normal.shape[3] / heads_count;
    const Shape shape{normal.shape[0], heads_count, normal.shape[2], width};
    const reference::Array heads = reference::generated(shape, [&](std::span<const uint32_t> index) {
        return normal.at(std::vector<uint32_t>{index[0], 0, index[2], index[1] * width + index[3]});
    });
    if (!params.rope_cos) {
        return {heads};
    }
    // Blocks of 32 columns as rows, times the matrix.
    const auto rows = static_cast<int64_t>(shape.volume() / tile_size);
    const reference::Array matrix = reference::reshaped(reference::values(*params.transformation_mat), {32, 32});
    const reference::Array turned =
        reference::matmul(reference::reshaped(heads, {rows, static_cast<int64_t>(tile_size)}), matrix);
    const reference::Array sine = reference::reshaped(
        turned, {shape[0], static_cast<int64_t>(heads_count), shape[2], static_cast<int64_t>(width)});
    const auto multiply = [](double a, double b) { return a * b; };
    return {reference::zip(reference::zip(heads, reference::values(*params.rope_cos), multiply),
                           reference::zip(sine, reference::values(*params.rope_sin), multiply),
                           [](double a, double b) { return a + b; })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

inline void WanRmsNormPostAllGather::check_rotation(const Params& params) {
    const Shape& input = params.input_tensor.logical_shape();
    require(input[0] == 1 && input[1] == 1, "{}: argument 'input_tensor' must be [1, 1, S, W], got {}", name, input);
    const auto heads = params.num_heads_per_device;
    require(heads > 0 && input[3] % (heads * tile_size) == 0,
            "{}: argument 'num_heads_per_device' must cut {} columns into heads of whole tiles, got {}", name, input[3],
            heads);
    const bool any = params.transformation_mat || params.rope_cos || params.rope_sin;
    const bool all = params.transformation_mat && params.rope_cos && params.rope_sin;
    require(any == all, "{}: arguments 'transformation_mat', 'rope_cos' and 'rope_sin' go together", name);
    if (!all) {
        return;
    }
    const Shape angles{1, 1, input[2], static_cast<uint32_t>(input[3] / heads)};
    require(params.rope_cos->logical_shape() == angles && params.rope_sin->logical_shape() == angles,
            "{}: arguments 'rope_cos' and 'rope_sin' must be {}, got {} and {}", name, angles,
            params.rope_cos->logical_shape(), params.rope_sin->logical_shape());
    require(params.transformation_mat->logical_volume() == uint64_t{tile_size} * tile_size,
            "{}: argument 'transformation_mat' must be [1, 1, 32, 32], got {}", name,
            params.transformation_mat->logical_shape());
    for (const auto& [argument, tensor] :
         {std::pair("transformation_mat", params.transformation_mat), std::pair("rope_cos", params.rope_cos),
          std::pair("rope_sin", params.rope_sin)}) {
        check_layout(name, argument, *tensor, Layout::TILE);
    }
}

inline void WanRmsNormPostAllGather::validate(const Params& params) {
    require(!params.input_tensor.is_sharded(), "{}: argument 'input_tensor' must be interleaved, got {}", name,
            params.input_tensor.memory_config());
    distributed_norm::validate(arguments(params));
    check_rotation(params);
}

inline Tensor WanRmsNormPostAllGather::run(const Params& params) {
    const auto optional = [](const std::optional<Tensor>& tensor) { return tensor.value_or(Tensor()); };
    const distributed_norm::HeadsArguments heads{.count = static_cast<uint32_t>(params.num_heads_per_device),
                                                 .matrix = optional(params.transformation_mat),
                                                 .cosines = optional(params.rope_cos),
                                                 .sines = optional(params.rope_sin)};
    return distributed_norm::run(arguments(params), heads);
}

inline void WanRmsNormPostAllGather::cases(CaseMaker& make) {
    const auto tile = [&](const Shape& shape) { return make.interleaved(shape, DataType::BFLOAT16, Layout::TILE); };
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 192}),
                    .stats = tile({1, 1, 64, 128}),
                    .num_heads_per_device = 3,
                    .weight = tile({1, 192})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 40, 128}),
                    .stats = tile({1, 1, 40, 64}),
                    .num_heads_per_device = 2,
                    .transformation_mat = tile({1, 1, 32, 32}),
                    .rope_cos = tile({1, 1, 40, 64}),
                    .rope_sin = tile({1, 1, 40, 64}),
                    .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64}), .stats = tile({1, 1, 32, 32})});
}

}  // namespace ttnn

#endif
