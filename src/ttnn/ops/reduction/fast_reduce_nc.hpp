// fast_reduce_nc: sums over leading dimensions, tile by tile.
#pragma once

#include <algorithm>

#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct FastReduceNC {
    static constexpr std::string_view name = "ttnn.experimental.fast_reduce_nc";
    static constexpr std::string_view doc =
        "Sums over leading dimensions, which stay with size 1; padding comes along.";
    struct Params {
        Tensor input{};
        std::vector<int64_t> dims{};
        std::optional<Tensor> output{};
        MemoryConfig memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B"),
        kw<&Params::dims>("dimensions to sum over, from the front; not the last two, at least one"),
        kw<&Params::output>("preallocated output").mutates(),
        kw<&Params::memory_config>("default: interleaved in DRAM"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<FastReduceNC> fast_reduce_nc{};
}
TTNN_DECLARATION(FastReduceNC);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/reduce.hpp"

// Sums are stored before the next dimension is summed over.
inline std::vector<ttnn::reference::Array> ttnn::FastReduceNC::reference(const Params& params) {
    reference::Array input = reference::padded_values(params.input);
    reference::Dims dims(input.shape.rank(), 0);
    for (const int64_t dim : params.dims) {
        dims[static_cast<size_t>(dim)] = 1;
    }
    reference::Array sums = reference::reduce(input, dims, params.input.dtype(), reference::sum_of);
    if (!params.output || params.output->logical_shape() == sums.shape) {
        return {std::move(sums)};
    }
    reference::Array cropped(params.output->logical_shape());
    reference::for_each_index(cropped.shape,
                              [&](std::span<const uint32_t> index) { cropped.at(index) = sums.at(index); });
    return {std::move(cropped)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/reduce.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {
namespace fast_reduce {

inline Shape summed_shape(Shape shape, size_t dim) {
    shape[static_cast<int64_t>(dim)] = 1;
    return shape;
}

inline Tensor launch_sum(const Tensor& input, size_t dim, const FastReduceNC::Params& params,
                         const std::optional<Tensor>& output) {
    const Shape& padded = input.padded_shape();
    const TensorSpec spec =
        output ? output->spec()
               : TensorSpec(summed_shape(padded, dim), input.dtype(), Layout::TILE, params.memory_config);
    // The input, a tile of zeros, the sum so far and the output.
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(outputs[0].spec().num_pages(), 1));
        for (const uint64_t size :
             {2 * page_bytes(input), page_bytes(input), page_bytes(outputs[0]), 2 * page_bytes(outputs[0])}) {
            p.circular_buffer(cores, size);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> values = read_padded<float>(inputs[0]);
        Dense<float> sums(summed_shape(padded, dim).volume());
        compute::reduce_sum(values.data(), compute::ReduceShape::of(padded, dim, dim), 1.0, sums.data());
        write_padded<float>(outputs[0], sums.span());
    };
    const auto along = static_cast<int64_t>(dim);
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(along).add(output).add(params.memory_config).add(params.compute_kernel_config);
    };
    return launch({"ttnn::prim::fast_reduce_nc", {&input, 1}, program, kernel, arguments}, spec, output);
}

}  // namespace fast_reduce

inline void FastReduceNC::validate(const Params& params) {
    const Shape& shape = params.input.logical_shape();
    require(!params.dims.empty(), "{}: argument 'dims': fast_reduce_nc dims should not be empty", name);
    for (const int64_t dim : params.dims) {
        require(dim >= 0 && dim + 2 < static_cast<int64_t>(shape.rank()),
                "{}: argument 'dims' must hold dimensions from 0 up to the last two of {}, got {}", name, shape, dim);
    }
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::TILE);
        check_dtype(name, "input", params.input, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    });
    if (params.output) {
        Shape sums = params.input.padded_shape();
        for (const int64_t dim : params.dims) {
            sums[dim] = 1;
        }
        check_layout(name, "output", *params.output, Layout::TILE);
        require(params.output->padded_shape() == sums, "{}: argument 'output' must have the padded shape {}, got {}",
                name, sums, params.output->padded_shape());
    }
}

inline Tensor FastReduceNC::run(const Params& params) {
    std::vector<int64_t> dims = params.dims;
    std::ranges::sort(dims);
    Tensor sums = params.input;
    for (; dims.size() > 1; dims.pop_back()) {
        sums = fast_reduce::launch_sum(sums, static_cast<size_t>(dims.back()), params, std::nullopt);
    }
    return fast_reduce::launch_sum(sums, static_cast<size_t>(dims.front()), params, params.output);
}

inline void FastReduceNC::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 4, 32, 96}), .dims = {1}});
    make.add(Params{.input = make.tensor({3, 2, 33, 40}), .dims = {0}, .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({2, 3, 32, 64}), .dims = {1, 0}});
    make.add(Params{.input = make.tensor({5, 40, 32}), .dims = {0}});
    make.add(Params{.input = make.tensor({2, 2, 3, 32, 32}), .dims = {2, 0}});
    make.add(Params{.input = make.tensor({1, 2, 20, 32}),
                    .dims = {1},
                    .output = make.interleaved({1, 1, 20, 32}, make.dtype(), Layout::TILE)});
}

}  // namespace ttnn

#endif
