// squeeze, unsqueeze, unsqueeze_to_4D: dimensions of size one taken away or put in.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Squeeze {
    static constexpr std::string_view name = "ttnn.squeeze";
    static constexpr std::string_view doc = "Removes dimensions of size 1; named ones that are larger are kept.";
    struct Params {
        Tensor input_tensor{};
        std::optional<IntOrList> dim{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      opt<&Params::dim>("dimension or dimensions; default: all of size 1")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Unsqueeze {
    static constexpr std::string_view name = "ttnn.unsqueeze";
    static constexpr std::string_view doc = "Inserts a dimension of size 1.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      arg<&Params::dim>("its place in the result, negative from the end")};
    static constexpr Tolerance tolerance = Squeeze::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct UnsqueezeTo4d {
    static constexpr std::string_view name = "ttnn.unsqueeze_to_4D";
    static constexpr std::string_view doc = "Puts dimensions of size 1 in front until there are four.";
    struct Params {
        Tensor tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on a device or on the host").also("input_tensor")};
    static constexpr Tolerance tolerance = Squeeze::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(squeeze, Squeeze);
TTNN_OPERATION(unsqueeze, Unsqueeze);
TTNN_OPERATION(unsqueeze_to_4D, UnsqueezeTo4d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Squeeze::reference(const Params& params) {
    auto output = reference::values(params.input_tensor);
    std::vector<int64_t> named;
    if (params.dim && std::holds_alternative<int64_t>(*params.dim)) {
        named = {std::get<int64_t>(*params.dim)};
    } else if (params.dim) {
        named = std::get<std::vector<int64_t>>(*params.dim);
    }
    const Shape shape = output.shape;
    output.shape = Shape();
    for (size_t i = 0; i < shape.rank(); ++i) {
        const bool asked = !params.dim || std::ranges::any_of(named, [&](int64_t dim) {
            return reference::from_front(dim, shape.rank()) == i;
        });
        if (!asked || shape[static_cast<int64_t>(i)] != 1) {
            output.shape.push_back(shape[static_cast<int64_t>(i)]);
        }
    }
    return {output};
}

inline std::vector<reference::Array> Unsqueeze::reference(const Params& params) {
    auto output = reference::values(params.input_tensor);
    std::vector<int64_t> dims(output.shape.begin(), output.shape.end());
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(reference::from_front(params.dim, dims.size() + 1)), 1);
    return {reference::reshaped(output, dims)};
}

inline std::vector<reference::Array> UnsqueezeTo4d::reference(const Params& params) {
    auto output = reference::values(params.tensor);
    output.shape = output.shape.to_rank(4);
    return {output};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline std::vector<size_t> squeezed_dims(const Squeeze::Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    std::vector<int64_t> dims;
    if (!params.dim) {
        for (size_t i = 0; i < shape.rank(); ++i) {
            dims.push_back(static_cast<int64_t>(i));
        }
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&*params.dim)) {
        dims = *list;
    } else {
        dims = {std::get<int64_t>(*params.dim)};
    }
    std::vector<size_t> result;
    for (const int64_t dim : dims) {
        result.push_back(shape.normalize_dim(dim, fmt::format("{}: argument 'dim'", Squeeze::name)));
        require(std::ranges::count(result, result.back()) == 1, "{}: argument 'dim' names dimension {} twice",
                Squeeze::name, dim);
    }
    return result;
}

}  // namespace movement

inline void Squeeze::validate(const Params& params) {
    if (!params.input_tensor.logical_shape().empty()) {
        movement::squeezed_dims(params);
    }
}

inline Tensor Squeeze::run(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    if (shape.empty()) {
        return params.input_tensor;
    }
    const auto dims = movement::squeezed_dims(params);
    std::vector<int64_t> kept;
    for (size_t i = 0; i < shape.rank(); ++i) {
        const int64_t size = shape[static_cast<int64_t>(i)];
        if (size != 1 || std::ranges::find(dims, i) == dims.end()) {
            kept.push_back(size);
        }
    }
    return kept.size() == shape.rank() ? params.input_tensor : reshape(params.input_tensor, kept);
}

inline void Squeeze::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 3, 33, 48})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .dim = IntOrList(int64_t{0})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 33, 48}), .dim = IntOrList(std::vector<int64_t>{0, -3, 2})});
    make.add(Params{.input_tensor = make.tensor({2, 1, 32}), .dim = IntOrList(int64_t{-2})});
}

inline void Unsqueeze::validate(const Params& params) {
    const auto rank = static_cast<int64_t>(params.input_tensor.logical_shape().rank());
    require(params.dim >= -(rank + 1) && params.dim <= rank, "{}: argument 'dim' must be in [{}, {}], got {}", name,
            -(rank + 1), rank, params.dim);
}

inline Tensor Unsqueeze::run(const Params& params) {
    std::vector<int64_t> dims = movement::ints(params.input_tensor.logical_shape());
    const auto rank = static_cast<int64_t>(dims.size());
    dims.insert(dims.begin() + (params.dim < 0 ? params.dim + rank + 1 : params.dim), 1);
    return reshape(params.input_tensor, dims);
}

inline void Unsqueeze::cases(CaseMaker& make) {
    make.add(Params{make.tensor({3, 33, 48}), 0});
    make.add(Params{make.tensor({2, 32, 64}), 1});
    make.add(Params{make.tensor({4, 48}), -1});
    make.add(Params{make.tensor({4, 48}), -2});
}

inline void UnsqueezeTo4d::validate(const Params& params) {
    require(params.tensor.logical_shape().rank() <= 4, "{}: argument 'tensor' must have a rank of 4 or less, got {}",
            name, params.tensor.logical_shape());
}

inline Tensor UnsqueezeTo4d::run(const Params& params) {
    const Tensor& tensor = params.tensor;
    if (tensor.logical_shape().rank() == 4) {
        return tensor;
    }
    return reshape(tensor, tensor.logical_shape().to_rank(4), tensor.padded_shape().to_rank(4));
}

inline void UnsqueezeTo4d::cases(CaseMaker& make) {
    make.add(Params{make.tensor({1, 32, 64})});
    make.add(Params{make.tensor({33, 48})});
    make.add(Params{make.tensor({2, 3, 5, 32})});
    if (!make.sharded()) {
        make.add(Params{make.tensor({32})});
    }
}

}  // namespace ttnn

#endif
