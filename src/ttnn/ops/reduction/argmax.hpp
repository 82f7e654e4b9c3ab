// argmax: where the greatest element is.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct Argmax {
    static constexpr std::string_view name = "ttnn.argmax";
    static constexpr std::string_view doc = "Index of the first greatest element along the last dimension or overall.";
    struct Params {
        Tensor input_tensor{};
        std::optional<int64_t> dim{};
        bool keepdim = false;
        std::optional<CoreRangeSet> sub_core_grids{};
        bool use_multicore = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("interleaved: row-major, or tiles of BFLOAT16 or FLOAT32"),
        opt<&Params::dim>("the last dimension; default: all elements of a row-major tensor"),
        opt<&Params::keepdim>("keep reduced dimensions with size 1"),
        kw<&Params::sub_core_grids>("no effect on results"),
        kw<&Params::use_multicore>("use several cores; row-major only"),
        kw<&Params::memory_config>("interleaved, default: of the input"),
        kw<&Params::output_tensor>("UINT32 row-major tensor, written and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    // The input's shape without its last dimension or, over all elements, without any.
    static Shape result_shape(const Params& params) {
        const Shape& input = params.input_tensor.logical_shape();
        Shape shape;
        for (size_t i = 0; i < input.rank(); ++i) {
            if (params.dim && i + 1 < input.rank()) {
                shape.push_back(input[static_cast<int64_t>(i)]);
            } else if (params.keepdim) {
                shape.push_back(1);
            }
        }
        return shape;
    }
    static void validate(const Params& params);
    static void check_input(const Params& params);
    static void check_output(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(argmax, Argmax);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <algorithm>

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Argmax::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    reference::Array result(result_shape(params));
    const size_t count = params.dim ? input.shape.from_end(0) : input.values.size();
    for (size_t row = 0; row < result.values.size(); ++row) {
        const auto begin = input.values.begin() + static_cast<std::ptrdiff_t>(row * count);
        const auto end = begin + static_cast<std::ptrdiff_t>(count);
        result.values[row] = static_cast<double>(std::max_element(begin, end) - begin);
    }
    return {result};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/reduce.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {

inline void Argmax::check_input(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_interleaved(name, "input_tensor", input);
    if (input.layout() == Layout::TILE) {
        check_dtype(name, "input_tensor", input, {DataType::BFLOAT16, DataType::FLOAT32});
        require(params.dim.has_value() && !params.use_multicore,
                "{}: a TILE 'input_tensor' needs argument 'dim' and does not take 'use_multicore'", name);
    } else {
        check_dtype(name, "input_tensor", input,
                    {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16});
    }
}

inline void Argmax::check_output(const Params& params) {
    require(!params.memory_config || params.memory_config->interleaved(),
            "{}: argument 'memory_config' must be interleaved", name);
    if (params.output_tensor) {
        check_dtype(name, "output_tensor", *params.output_tensor, {DataType::UINT32});
        check_layout(name, "output_tensor", *params.output_tensor, Layout::ROW_MAJOR);
        check_interleaved(name, "output_tensor", *params.output_tensor);
        check_preallocated(name, "output_tensor", *params.output_tensor, result_shape(params));
    }
}

inline void Argmax::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    check_at_launch([&] { check_input(params); });
    if (params.dim && shape.rank() > 0) {
        const size_t dim = shape.normalize_dim(*params.dim, fmt::format("{}: argument 'dim'", name));
        require(dim + 1 == shape.rank(), "{}: argument 'dim' must be the last dimension, got {} of {}", name,
                *params.dim, shape);
    }
    const uint64_t count = params.dim && shape.rank() > 0 ? shape[-1] : shape.volume();
    require(count > 0, "{}: there is no largest element: a reduced dimension of {} has size 0", name, shape);
    check_at_launch([&] { check_output(params); });
}

inline Tensor Argmax::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    // The specification gives no figures: a page of the input and one of the output.
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(params.use_multicore ? std::max<uint64_t>(input.spec().num_pages(), 1) : 1);
        p.circular_buffer(cores, page_bytes(input));
        p.circular_buffer(cores, page_bytes(outputs[0]));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Dense<uint32_t> result(outputs[0].logical_volume());
        const size_t rows = result.size();
        const size_t count = rows == 0 ? 0 : input.logical_volume() / rows;
        if (is_integer(input.dtype())) {
            compute::row_argmax(read<uint32_t>(inputs[0]).data(), rows, count, input.dtype() == DataType::INT32,
                                result.data());
        } else {
            compute::row_argmax(read<float>(inputs[0]).data(), rows, count, result.data());
        }
        write<uint32_t>(outputs[0], result.span());
    };
    const TensorSpec spec(result_shape(params), DataType::UINT32, Layout::ROW_MAJOR,
                          params.memory_config.value_or(input.memory_config()));
    return launch({"ttnn::prim::argmax", {&input, 1}, program, kernel}, spec, params.output_tensor);
}

inline void Argmax::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96}), .dim = -1});
    make.add(Params{.input_tensor = make.tensor({64, 32}), .dim = 1, .keepdim = true, .memory_config = MemoryConfig()});
    make.add(Params{.input_tensor = make.tensor({3, 33, 65}), .dim = 2, .use_multicore = true});
    make.add(Params{.input_tensor = make.tensor({3, 33, 65})});
    make.add(Params{.input_tensor = make.tensor({5, 7}), .keepdim = true});
    make.add(Params{.input_tensor = make.tensor({32, 64}),
                    .dim = -1,
                    .output_tensor = make.interleaved({32}, DataType::UINT32, Layout::ROW_MAJOR)});
}

}  // namespace ttnn

#endif
