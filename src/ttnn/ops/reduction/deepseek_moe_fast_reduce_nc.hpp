// deepseek_moe_fast_reduce_nc: the sum of what the experts of a token give, cut into parts for the chips.
#pragma once

#include "ttnn/ops/reduction/fast_reduce_nc.hpp"

namespace ttnn {

struct DeepseekMoeFastReduceNC {
    static constexpr std::string_view name = "ttnn.experimental.deepseek_moe_fast_reduce_nc";
    static constexpr std::string_view doc =
        "Sums over a leading dimension, which stays with size 1, and cuts the columns into parts; padding comes along.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        int64_t split_size = 0;
        MemoryConfig output_memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B"),
        arg<&Params::dim>("dimension to sum over, negative from the end; not one of the last two"),
        kwreq<&Params::split_size>("columns of a part; all of them have as many"),
        kw<&Params::output_memory_config>("default: interleaved in DRAM"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    static constexpr Tolerance tolerance = FastReduceNC::tolerance;

    static FastReduceNC::Params sum(const Params& p) {
        const auto rank = static_cast<int64_t>(p.input_tensor.logical_shape().rank());
        return {.input = p.input_tensor,
                .dims = {p.dim < 0 ? p.dim + rank : p.dim},
                .memory_config = p.output_memory_config,
                .compute_kernel_config = p.compute_kernel_config};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<DeepseekMoeFastReduceNC> deepseek_moe_fast_reduce_nc{};
}
TTNN_DECLARATION(DeepseekMoeFastReduceNC);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

inline std::vector<ttnn::reference::Array> ttnn::DeepseekMoeFastReduceNC::reference(const Params& params) {
    const reference::Array whole = FastReduceNC::reference(sum(params))[0];
    const auto count = static_cast<uint32_t>(whole.shape[-1] / params.split_size);
    std::vector<reference::Array> parts;
    for (uint32_t i = 0; i < count; ++i) {
        parts.push_back(reference::slice_of(whole, -1, count, i));
    }
    return parts;
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/split.hpp"

namespace ttnn {

inline void DeepseekMoeFastReduceNC::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const size_t dim = shape.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    require(dim + 2 < shape.rank(), "{}: argument 'dim' must not be one of the last two of {}, got {}", name, shape,
            params.dim);
    const uint32_t width = params.input_tensor.padded_shape()[-1];
    require(params.split_size > 0 && params.split_size % tile_size == 0 && width % params.split_size == 0,
            "{}: argument 'split_size' must cut {} columns into equal parts of whole tiles, got {}", name, width,
            params.split_size);
}

inline std::vector<Tensor> DeepseekMoeFastReduceNC::run(const Params& params) {
    const Tensor whole = experimental::fast_reduce_nc.with(sum(params));
    return split(whole, IntOrList(params.split_size),
                 {.dim = -1, .memory_config = std::optional(params.output_memory_config)});
}

inline void DeepseekMoeFastReduceNC::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({4, 1, 32, 128}), .dim = 0, .split_size = 64});
    make.add(Params{.input_tensor = make.tensor({1, 3, 33, 96}),
                    .dim = -3,
                    .split_size = 32,
                    .output_memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({3, 40, 64}), .dim = 0, .split_size = 64});
}

}  // namespace ttnn

#endif
