// prod: products of elements; one form returns a new tensor, the other writes into a given one.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/reduction/reduction_rules.hpp"

namespace ttnn {

struct Prod {
    static constexpr std::string_view name = "ttnn.prod";
    static constexpr std::string_view doc = "Product of the elements along a dimension or of all of them.";
    struct Params {
        Tensor input_tensor{};
        std::optional<int64_t> dim{};
        bool keepdim = false;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("BFLOAT16 tensor"),
                                      opt<&Params::dim>("dimension, default: all elements"),
                                      opt<&Params::keepdim>("keep reduced dimensions with size 1"),
                                      kw<&Params::memory_config>("default: of the input")};

    static bool over_all(const Params& params) {
        return !params.dim || params.input_tensor.logical_shape().rank() <= 1;
    }
    static Shape result_shape(const Params& params) {
        const Shape& shape = params.input_tensor.logical_shape();
        if (over_all(params)) {
            return params.keepdim ? Shape::filled(shape.rank(), 1) : Shape{};
        }
        const auto dims = reduction_rules::dims_of(name, shape, IntOrList(*params.dim));
        return reduction_rules::reduced_shape(shape, dims, params.keepdim);
    }
    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view) { return Domain::real(0.5, 1.5); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ProdInto {
    static constexpr std::string_view name = "ttnn.prod";
    static constexpr std::string_view doc = "Product over the first one or two dimensions, written into a tensor.";
    struct Params {
        Tensor input_tensor{};
        Tensor output_tensor{};
        std::vector<int64_t> dims{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 tensor of rank 4"),
        arg<&Params::output_tensor>("written and returned; reduced dimensions are 1").mutates(),
        kwreq<&Params::dims>("0, 1 or both"), kw<&Params::memory_config>("as the output tensor's")};

    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view) { return Domain::real(0.5, 1.5); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_DECLARATION(Prod);
TTNN_DECLARATION(ProdInto);
inline constexpr Overloads<Prod, ProdInto> prod{};

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/reduce.hpp"

namespace ttnn {

inline std::vector<reference::Array> Prod::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    reference::Array result(result_shape(params));
    if (over_all(params)) {
        result.values[0] = reference::product_of(input.values.held());
        return {result};
    }
    const auto dims = reduction_rules::dims_of(name, input.shape, IntOrList(*params.dim));
    result.values = reference::reduce_at_once(input, dims, reference::product_of).values;
    return {result};
}

inline std::vector<reference::Array> ProdInto::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const auto dims = reduction_rules::dims_of(name, input.shape, IntOrList(params.dims));
    return {reference::reduce(input, dims, DataType::BFLOAT16, reference::product_of)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/reduce.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {
namespace prod_detail {

// One launch over dimensions first..last. The specification gives no figures for its buffers; they are those of reduce.
inline Tensor launch_product(const Tensor& input, const compute::ReduceShape& shape, const TensorSpec& spec,
                             const std::optional<Tensor>& output) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(outputs[0]) * tile_columns(outputs[0]), 1));
        p.circular_buffer(cores, 2 * Tile().bytes(input.dtype()));
        p.circular_buffer(cores, 2 * Tile().bytes(outputs[0].dtype()));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> values = read<float>(inputs[0]);
        std::vector<float> result(outputs[0].logical_volume());
        compute::reduce_product(values.data(), shape, 1.0, result.data());
        write<float>(outputs[0], result);
    };
    return launch({"ttnn::prim::prod", {&input, 1}, program, kernel}, spec, output);
}

}  // namespace prod_detail

inline void Prod::validate(const Params& params) {
    check_at_launch([&] { check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16}); });
    if (params.dim) {
        params.input_tensor.logical_shape().normalize_dim(*params.dim, fmt::format("{}: argument 'dim'", name));
    }
}

inline Tensor Prod::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const TensorSpec spec =
        reduction_rules::result_spec(input, input.dtype(), result_shape(params), params.memory_config);
    if (over_all(params)) {
        return prod_detail::launch_product(input, {1, shape.volume(), 1}, spec, std::nullopt);
    }
    const size_t dim = shape.normalize_dim(*params.dim, name);
    return prod_detail::launch_product(input, compute::ReduceShape::of(shape, dim, dim), spec, std::nullopt);
}

inline void Prod::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 32}), .dim = -1});
    make.add(Params{.input_tensor = make.tensor({2, 33, 20}), .dim = 1, .keepdim = true});
    make.add(Params{.input_tensor = make.tensor({3, 2, 32, 40}), .dim = 0});
    make.add(Params{.input_tensor = make.tensor({6, 5})});
    make.add(Params{.input_tensor = make.tensor({2, 6, 5}), .keepdim = true});
    make.add(Params{.input_tensor = make.interleaved({20}, make.dtype(), make.layout()), .dim = 0});
}

inline void ProdInto::validate(const Params& params) {
    check_at_launch([&] {
        check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16});
        check_dtype(name, "output_tensor", params.output_tensor, {DataType::BFLOAT16});
        check_layout(name, "output_tensor", params.output_tensor, Layout::TILE);
    });
    const Shape& shape = params.input_tensor.logical_shape();
    require(shape.rank() == 4, "{}: argument 'input_tensor' must have rank 4, got {}", name, shape);
    require(!params.dims.empty() && std::ranges::all_of(params.dims, [](int64_t dim) { return dim == 0 || dim == 1; }),
            "{}: argument 'dims' must hold 0, 1 or both", name);
    const auto dims = reduction_rules::dims_of(name, shape, IntOrList(params.dims));
    check_at_launch([&] {
        check_preallocated(name, "output_tensor", params.output_tensor,
                           reduction_rules::reduced_shape(shape, dims, true));
    });
}

inline Tensor ProdInto::run(const Params& params) {
    Tensor input = params.input_tensor;
    const auto dims = reduction_rules::dims_of(name, input.logical_shape(), IntOrList(params.dims));
    const auto steps = reduction_rules::steps_of(input.logical_shape(), dims);
    for (const auto& step : steps) {
        const Shape shape = input.logical_shape();
        const TensorSpec spec = reduction_rules::result_spec(
            input, input.dtype(), reduction_rules::shape_after(shape, step), params.memory_config);
        const bool last = &step == &steps.back();
        input = prod_detail::launch_product(input, compute::ReduceShape::of(shape, step.first, step.last), spec,
                                            last ? std::optional(params.output_tensor) : std::nullopt);
    }
    return input;
}

inline void ProdInto::cases(CaseMaker& make) {
    const auto output = [&](const Shape& shape) { return make.interleaved(shape, DataType::BFLOAT16, Layout::TILE); };
    make.add(Params{.input_tensor = make.tensor({3, 2, 32, 40}), .output_tensor = output({1, 2, 32, 40}), .dims = {0}});
    make.add(
        Params{.input_tensor = make.tensor({3, 2, 33, 40}), .output_tensor = output({1, 1, 33, 40}), .dims = {0, 1}});
}

}  // namespace ttnn

#endif
