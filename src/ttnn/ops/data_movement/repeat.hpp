// repeat: the tensor several times side by side.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Repeat {
    static constexpr std::string_view name = "ttnn.repeat";
    static constexpr std::string_view doc = "Repeats a tensor along its dimensions, like torch.Tensor.repeat.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> repeat_dims{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"),
        arg<&Params::repeat_dims>("how often, per dimension; a short list is padded with ones in front"),
        kw<&Params::memory_config>("default: the input's, shards refitted")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(repeat, Repeat);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Repeat::reference(const Params& params) {
    auto input = reference::values(params.input_tensor);
    const size_t rank = std::max(input.shape.rank(), params.repeat_dims.size());
    input.shape = input.shape.to_rank(rank);
    Shape shape = input.shape;
    for (size_t i = 0; i < params.repeat_dims.size(); ++i) {
        shape[static_cast<int64_t>(rank - params.repeat_dims.size() + i)] *=
            static_cast<uint32_t>(params.repeat_dims[i]);
    }
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        for (size_t i = 0; i < rank; ++i) {
            source[i] %= input.shape[static_cast<int64_t>(i)];
        }
        return input.at(source);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

// One dimension, whole pages: the documented flavour runs a primitive per dimension.
inline Tensor repeat_dim(const Tensor& input, size_t dim, uint32_t count, const MemoryConfig& config) {
    Shape factors = Shape::filled(input.logical_shape().rank(), 1);
    factors[static_cast<int64_t>(dim)] = count;
    Shape shape = input.logical_shape();
    shape[static_cast<int64_t>(dim)] *= count;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { buffer_for(p, outputs[0], outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0], compute::repeated(inputs[0].logical_shape(), factors.view()), outputs[0]);
    };
    const int64_t along = static_cast<int64_t>(dim);
    const int64_t times = count;
    const bool last = dim + 1 == shape.rank();
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(along).add(times).add(last).add(config); };
    return launch({"ttnn::prim::repeat", {&input, 1}, program, kernel, arguments, false},
                  TensorSpec(shape, input.dtype(), input.layout(), config, input.spec().tile()));
}

// A dimension of tiles that does not end with a tile cannot be repeated tile by tile.
inline bool repeats_part_of_tile(const Tensor& tensor, const Shape& factors) {
    if (tensor.layout() != Layout::TILE) {
        return false;
    }
    const Shape& shape = tensor.logical_shape();
    const Tile& tile = tensor.spec().tile();
    return (factors.from_end(0) != 1 && shape.from_end(0) % tile.width() != 0) ||
           (factors.from_end(1) != 1 && shape.from_end(1) % tile.height() != 0);
}

inline Tensor repeat_interleaved_memory(const Tensor& input, const Shape& factors, const MemoryConfig& config) {
    Tensor tensor = input;
    const bool detour = repeats_part_of_tile(input, factors);
    if (detour) {
        tensor = to_layout(is_block_float(tensor.dtype()) ? typecast(tensor, DataType::BFLOAT16) : tensor,
                           Layout::ROW_MAJOR);
    }
    for (size_t dim = 0; dim < factors.rank(); ++dim) {
        if (const uint32_t count = factors[static_cast<int64_t>(dim)]; count != 1) {
            tensor = repeat_dim(tensor, dim, count, config);
        }
    }
    if (detour) {
        tensor = to_layout(tensor, Layout::TILE);
        tensor = tensor.dtype() == input.dtype() ? tensor : typecast(tensor, input.dtype());
    }
    return tensor;
}

}  // namespace movement

inline void Repeat::validate(const Params& params) {
    for (const int64_t count : params.repeat_dims) {
        require(count >= 0, "{}: argument 'repeat_dims' must not hold negative numbers, got {}", name, count);
    }
}

inline Tensor Repeat::run(const Params& params) {
    const size_t rank = std::max(params.input_tensor.logical_shape().rank(), params.repeat_dims.size());
    const Shape own = params.input_tensor.logical_shape().to_rank(rank);
    const Shape factors = Shape::from_ints(params.repeat_dims).to_rank(rank);
    const Tensor input = movement::viewed(params.input_tensor, own);
    if (factors == Shape::filled(rank, 1)) {
        return to_memory_config(input, params.memory_config.value_or(input.memory_config()));
    }
    Shape shape = own;
    for (size_t i = 0; i < rank; ++i) {
        shape[static_cast<int64_t>(i)] *= factors[static_cast<int64_t>(i)];
    }
    const MemoryConfig target = movement::fitted_output_config(params.memory_config, input, shape);
    if (shape.volume() == 0) {
        return Tensor::allocate_on_device(TensorSpec(shape, input.dtype(), input.layout(), target), input.device());
    }
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, target.buffer_type());
    const Tensor source = input.is_sharded() ? sharded_to_interleaved(input, {.memory_config = between}) : input;
    const Tensor result = movement::repeat_interleaved_memory(source, factors, between);
    return target.is_sharded() ? to_memory_config(result, target) : result;
}

inline void Repeat::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 3, 32, 32}), .repeat_dims = {4, 1, 1, 1}});
    make.add(Params{.input_tensor = make.tensor({2, 33, 48}), .repeat_dims = {2, 1, 3}});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .repeat_dims = {2, 1, 2, 1}});
    make.add(Params{.input_tensor = make.tensor({3, 5, 48}), .repeat_dims = {2}, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({5, 64}), .repeat_dims = {3, 1}});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .repeat_dims = {1, 1}});
}

}  // namespace ttnn

#endif
