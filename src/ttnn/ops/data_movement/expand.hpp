// expand: dimensions of size one enlarged.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Expand {
    static constexpr std::string_view name = "ttnn.expand";
    static constexpr std::string_view doc = "Enlarges dimensions of size 1 by repeating them; -1 keeps a dimension.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> output_shape{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::output_shape>("shape of the result, compared from the left"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(expand, Expand);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Expand::reference(const Params& params) {
    auto input = reference::values(params.input_tensor);
    std::vector<int64_t> dims = params.output_shape;
    for (size_t i = 0; i < dims.size(); ++i) {
        dims[i] = dims[i] == -1 ? int64_t{input.shape[static_cast<int64_t>(i)]} : dims[i];
    }
    input.shape = input.shape.to_rank(dims.size());
    return {reference::generated(Shape::from_ints(dims), [&](std::span<const uint32_t> index) {
        return reference::broadcast_at(input, index);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/repeat.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline std::vector<int64_t> expansion_factors(const Expand::Params& params) {
    const Shape& own = params.input_tensor.logical_shape();
    const std::vector<int64_t>& wanted = params.output_shape;
    require(wanted.size() >= own.rank(), "{}: argument 'output_shape' must have {} entries or more, got {}",
            Expand::name, own.rank(), wanted.size());
    const bool raises_rank = wanted.size() > own.rank();
    std::vector<int64_t> factors;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const int64_t size = i < own.rank() ? own[static_cast<int64_t>(i)] : 1;
        const bool kept = wanted[i] == -1 || wanted[i] == size;
        require(wanted[i] >= -1 && (kept || size == 1) && (!raises_rank || size == 1),
                "{}: Only size 1 dimensions can be expanded in the output shape; got {} in dimension {} of {}",
                Expand::name, wanted[i], i, own);
        factors.push_back(kept ? 1 : wanted[i]);
    }
    return factors;
}

}  // namespace movement

inline void Expand::validate(const Params& params) { movement::expansion_factors(params); }

inline Tensor Expand::run(const Params& params) {
    return repeat(params.input_tensor, movement::expansion_factors(params), {.memory_config = params.memory_config});
}

inline void Expand::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 32, 64}), .output_shape = {3, 2, 32, 64}});
    make.add(Params{.input_tensor = make.tensor({2, 1, 48}), .output_shape = {-1, 33, -1}});
    make.add(
        Params{.input_tensor = make.tensor({40, 1}), .output_shape = {40, 70}, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 1}), .output_shape = {2, 3, 4}});
}

}  // namespace ttnn

#endif
