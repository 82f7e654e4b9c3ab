// repeat_interleave: every element of a dimension several times in a row.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct RepeatInterleave {
    static constexpr std::string_view name = "ttnn.repeat_interleave";
    static constexpr std::string_view doc =
        "Repeats the elements along a dimension, each next to itself; numbers pass through BFLOAT16.";
    struct Params {
        Tensor input_tensor{};
        int64_t repeats = 1;
        int64_t dim = 0;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device").also("input_tensor_a"),
                                      arg<&Params::repeats>("how often each element comes, 1 or more"),
                                      arg<&Params::dim>("dimension, negative from the end"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(repeat_interleave, RepeatInterleave);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"
#include "ttnn/reference/rounding.hpp"

inline std::vector<ttnn::reference::Array> ttnn::RepeatInterleave::reference(const Params& params) {
    auto input = reference::values(params.input_tensor);
    if (params.repeats != 1) {
        input = reference::rounded(input, DataType::BFLOAT16);
    }
    const size_t dim = reference::from_front(params.dim, input.shape.rank());
    Shape shape = input.shape;
    shape[static_cast<int64_t>(dim)] *= static_cast<uint32_t>(params.repeats);
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[dim] /= static_cast<uint32_t>(params.repeats);
        return input.at(source);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

inline void RepeatInterleave::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const size_t dim = shape.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    require(params.repeats >= 1, "{}: argument 'repeats' must be 1 or more, got {}", name, params.repeats);
    const auto most = int64_t{UINT32_MAX} / std::max(shape[static_cast<int64_t>(dim)], 1U);
    require(params.repeats <= most, "{}: argument 'repeats' {} makes dimension {} of {} too large", name,
            params.repeats, params.dim, shape);
}

// In rows of BFLOAT16: a new dimension behind the one that is repeated is joined with itself and folded into it.
inline Tensor RepeatInterleave::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (params.repeats == 1) {
        return to_memory_config(input, params.memory_config.value_or(input.memory_config()));
    }
    const auto dim = static_cast<int64_t>(input.logical_shape().normalize_dim(params.dim, name));
    Shape shape = input.logical_shape();
    shape[dim] *= static_cast<uint32_t>(params.repeats);
    const MemoryConfig target = movement::fitted_output_config(params.memory_config, input, shape);
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, target.buffer_type());
    Tensor tensor = to_memory_config(input, between);
    if (input.dtype() != DataType::BFLOAT16) {
        tensor = typecast(to_layout(tensor, Layout::TILE), DataType::BFLOAT16);
    }
    tensor = unsqueeze(to_layout(tensor, Layout::ROW_MAJOR), dim + 1);
    const std::vector<Tensor> copies(static_cast<size_t>(params.repeats), tensor);
    tensor = concat(copies, {.dim = dim + 1, .memory_config = between});
    tensor = reshape(tensor, movement::ints(shape));
    if (input.dtype() != DataType::BFLOAT16) {
        tensor = typecast(to_layout(tensor, Layout::TILE), input.dtype());
    }
    return to_memory_config(to_layout(tensor, input.layout()), target);
}

inline void RepeatInterleave::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 32, 64}), .repeats = 2, .dim = 1});
    make.add(Params{.input_tensor = make.tensor({2, 33, 48}), .repeats = 3, .dim = -1});
    make.add(Params{.input_tensor = make.tensor({4, 5, 32}), .repeats = 2, .dim = -2});
    make.add(Params{.input_tensor = make.tensor({5, 64}), .repeats = 4, .dim = 0, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .repeats = 1, .dim = 1});
}

}  // namespace ttnn

#endif
