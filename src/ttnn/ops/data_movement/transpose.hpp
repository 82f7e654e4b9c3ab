// transpose and permute: the dimensions in another order.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Transpose {
    static constexpr std::string_view name = "ttnn.transpose";
    static constexpr std::string_view doc = "Exchanges two dimensions.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim1 = 0;
        int64_t dim2 = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<double> pad_value = 0.0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::dim1>("first dimension, negative from the end"),
                                      arg<&Params::dim2>("second dimension, negative from the end"),
                                      kw<&Params::memory_config>("default: the input's, shards turned with it"),
                                      kw<&Params::pad_value>("fills hidden padding")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Permute {
    static constexpr std::string_view name = "ttnn.permute";
    static constexpr std::string_view doc = "Puts the dimensions into another order.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> dims{};
        std::optional<MemoryConfig> memory_config{};
        double pad_value = 0.0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::dims>("for each dimension of the result the one of the input"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted"),
                                      kw<&Params::pad_value>("fills hidden padding")};
    static constexpr Tolerance tolerance = Transpose::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(transpose, Transpose);
TTNN_OPERATION(permute, Permute);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Transpose::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const size_t a = reference::from_front(params.dim1, input.shape.rank());
    const size_t b = reference::from_front(params.dim2, input.shape.rank());
    Shape shape = input.shape;
    std::swap(shape[static_cast<int64_t>(a)], shape[static_cast<int64_t>(b)]);
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        std::swap(source[a], source[b]);
        return input.at(source);
    })};
}

inline std::vector<reference::Array> Permute::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    Shape shape = input.shape;
    std::vector<size_t> steps(shape.rank());
    size_t step = 1;
    for (size_t i = params.dims.size(); i-- > 0;) {
        const size_t dim = reference::from_front(params.dims[i], steps.size());
        shape[static_cast<int64_t>(i)] = input.shape[static_cast<int64_t>(dim)];
        steps[dim] = step;
        step *= shape[static_cast<int64_t>(i)];
    }
    return {shape.empty() ? input : reference::scattered(input, shape, steps)};
}

}  // namespace ttnn

#else

#include <numeric>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

using Order = std::vector<size_t>;

inline Shape in_order(const Shape& shape, const Order& order) {
    Shape result = shape;
    for (size_t i = 0; i < order.size(); ++i) {
        result[static_cast<int64_t>(i)] = shape[static_cast<int64_t>(order[i])];
    }
    return result;
}

inline Order order_of(std::string_view op, const Shape& shape, std::span<const int64_t> dims) {
    require(dims.size() == shape.rank(),
            "{}: The number of dimensions in the tensor input does not match the length of the desired ordering: "
            "argument 'dims' must have {} entries for {}, got {}",
            op, shape.rank(), shape, dims.size());
    Order order;
    for (const int64_t dim : dims) {
        order.push_back(shape.normalize_dim(dim, fmt::format("{}: argument 'dims'", op)));
        require(std::ranges::count(order, order.back()) == 1, "{}: argument 'dims' names dimension {} twice", op, dim);
    }
    return order;
}

inline Order exchange(size_t rank, size_t a, size_t b) {
    Order order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    std::swap(order[a], order[b]);
    return order;
}

inline bool is_identity(const Order& order) { return std::ranges::is_sorted(order); }

// One primitive that reorders: circular buffers of two pages for the input and, in tiles, for the output.
inline Tensor reorder(std::string_view primitive, const Tensor& input, const Order& order, const TensorSpec& spec,
                      double pad) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        buffer_for(p, input, outputs[0]);
        if (input.layout() == Layout::TILE && order.back() != order.size() - 1) {
            buffer_for(p, outputs[0], outputs[0]);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0], compute::permuted(inputs[0].logical_shape(), order), outputs[0]);
        if (pad != 0 && has_padding(outputs[0])) {
            compute::refill(outputs[0], outputs[0], pad);
        }
    };
    const std::vector<int64_t> dims(order.begin(), order.end());
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(dims).add(spec.memory_config()).add(std::nullopt).add(pad);
    };
    return launch({primitive, {&input, 1}, program, kernel, arguments}, spec);
}

inline Tensor permute_primitive(const Tensor& input, const Order& order, const std::optional<MemoryConfig>& config,
                                double pad) {
    const Shape shape = in_order(input.logical_shape(), order);
    const TensorSpec spec(shape, input.dtype(), input.layout(), fitted_output_config(config, input, shape),
                          input.spec().tile());
    return reorder("ttnn::prim::permute", input, order, spec, pad);
}

inline Shape transposed_padded(const Tensor& input, const Shape& shape, const Order& order) {
    if (input.layout() == Layout::ROW_MAJOR) {
        return shape;
    }
    const bool tiles_stay_whole = order[2] + order[3] == 5;  // the last two keep their places or exchange them
    return tiles_stay_whole ? in_order(input.padded_shape(), order) : tile_padded(shape, input.spec().tile());
}

// Shards turn with the matrix: whole matrices per core stay there with their sides exchanged, rows of the one matrix
// become its columns. A given config names layout, buffer type and cores; where rows change, the shape of its shards is
// not looked at.
inline MemoryConfig transposed_config(const Transpose::Params& params, const Tensor& input, const Shape& shape,
                                      const Shape& padded, const Order& order) {
    // As many rows of the same length: nothing has to change, and a given shard spec is used as it is.
    if (order == exchange(4, 1, 2) && input.layout() == Layout::ROW_MAJOR) {
        return params.memory_config ? fitted_output_config(params.memory_config, input, shape) : input.memory_config();
    }
    MemoryConfig fit =
        fitted(fitted_output_config(params.memory_config, input, shape), shape, input.dtype(), input.layout());
    const auto& own = input.memory_config().shard_spec();
    const bool same_cores = own && fit.shard_spec() && fit.memory_layout() == input.memory_config().memory_layout() &&
                            fit.shard_spec()->grid == own->grid;
    const bool given = params.memory_config &&
                       (params.memory_config->shard_spec() ? !same_cores : !params.memory_config->is_sharded());
    const bool by_height = input.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED;
    if (given || !own || !by_height || shape.volume() == 0 || input.memory_config().created_with_nd_shard_spec()) {
        return fit;
    }
    ShardSpec spec = *own;
    const uint32_t height = input.padded_shape().from_end(1);
    const bool matrices = spec.shape[0] % height == 0;
    if (order == exchange(4, 2, 3) && matrices) {
        spec.shape = {spec.shape[0] / height * padded.from_end(1), padded.from_end(0)};
        return fit.with_shard_spec(spec);
    }
    if (order == exchange(4, 2, 3) && input.padded_shape().volume() == uint64_t{height} * spec.shape[1]) {
        spec.shape = {spec.shape[1], spec.shape[0]};
        return MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, fit.buffer_type(), spec);
    }
    if (order == exchange(4, 1, 2) && input.layout() == Layout::TILE && matrices) {
        spec.shape[0] = spec.shape[0] / height * padded.from_end(1);
        const uint64_t rows = padded.volume() / padded.from_end(0);
        return rows <= uint64_t{spec.shape[0]} * spec.num_cores() ? fit.with_shard_spec(spec) : fit;
    }
    return fit;
}

// Rank 4; W/H, H/C or C/N.
inline Tensor transpose_neighbours(const Tensor& input, const Order& order, const Transpose::Params& params) {
    const double pad = params.pad_value.value_or(0.0);
    if (input.layout() == Layout::ROW_MAJOR && !input.is_sharded()) {
        return permute_primitive(input, order, params.memory_config, pad);
    }
    const Shape shape = in_order(input.logical_shape(), order);
    const Shape padded = transposed_padded(input, shape, order);
    const TensorSpec spec =
        TensorSpec::from_padded(shape, padded, input.dtype(), input.layout(),
                                transposed_config(params, input, shape, padded, order), input.spec().tile());
    return reorder("ttnn::prim::transpose", input, order, spec, pad);
}

inline Tensor transpose_4d(const Tensor& input, size_t a, size_t b, const Transpose::Params& params) {
    const Order order = exchange(4, a, b);
    if (b != a + 1) {
        return permute(input, {order.begin(), order.end()},
                       {.memory_config = params.memory_config, .pad_value = params.pad_value.value_or(0.0)});
    }
    if (is_block_float(input.dtype()) && !input.is_sharded() && a == 1) {
        const Tensor wide = transpose_neighbours(typecast(input, DataType::BFLOAT16), order, params);
        return typecast(wide, input.dtype());
    }
    return transpose_neighbours(input, order, params);
}

}  // namespace movement

inline void Transpose::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    shape.normalize_dim(params.dim1, fmt::format("{}: argument 'dim1'", name));
    shape.normalize_dim(params.dim2, fmt::format("{}: argument 'dim2'", name));
}

inline Tensor Transpose::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const size_t rank = shape.rank();
    const size_t a = shape.normalize_dim(params.dim1, name);
    const size_t b = shape.normalize_dim(params.dim2, name);
    const auto [low, high] = std::minmax(a, b);
    const Shape padded = input.padded_shape().to_rank(std::max(rank, input.padded_shape().rank()));
    const auto padded_at = [&](size_t dim) { return padded.from_end(rank - 1 - dim); };
    if (low == high || (padded_at(low) == 1 && padded_at(high) == 1)) {
        const bool stays = !params.memory_config || *params.memory_config == input.memory_config();
        return stays ? input : clone(input, {.memory_config = params.memory_config});
    }
    const auto order = movement::exchange(rank, low, high);
    if (rank > 4) {
        return permute(input, {order.begin(), order.end()},
                       {.memory_config = params.memory_config, .pad_value = params.pad_value.value_or(0.0)});
    }
    const size_t lifted = 4 - rank;
    const Tensor source = movement::viewed(input, shape.to_rank(4));
    const Tensor result = movement::transpose_4d(source, low + lifted, high + lifted, params);
    return movement::viewed(result, movement::in_order(shape, order));
}

inline void Transpose::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96}), .dim1 = 2, .dim2 = 3});
    make.add(Params{.input_tensor = make.tensor({1, 1, 128, 64}), .dim1 = -1, .dim2 = -2});
    make.add(Params{.input_tensor = make.tensor({2, 3, 33, 48}), .dim1 = 1, .dim2 = 2});
    make.add(
        Params{.input_tensor = make.tensor({2, 3, 33, 48}), .dim1 = 0, .dim2 = 1, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 3, 5, 48}), .dim1 = 0, .dim2 = -1});
    make.add(Params{.input_tensor = make.tensor({40, 64}), .dim1 = 0, .dim2 = 1});
    make.add(Params{.input_tensor = make.tensor({3, 32, 48}), .dim1 = 0, .dim2 = 1});
    make.add(Params{.input_tensor = make.tensor({2, 2, 1, 4, 32}), .dim1 = 0, .dim2 = 3});
    make.add(Params{.input_tensor = make.tensor({2, 32, 32}), .dim1 = 1, .dim2 = 1});
}

inline void Permute::validate(const Params& params) {
    movement::order_of(name, params.input_tensor.logical_shape(), params.dims);
}

namespace movement {

// Without a config of its own the result lies where shards come to lie that turn with each exchange of neighbours.
inline std::optional<Tensor> permute_shards(const Permute::Params& params, const Order& order) {
    const Tensor& input = params.input_tensor;
    if (params.memory_config || order.size() != 4 || order[0] != 0 || !input.memory_config().shard_spec() ||
        input.memory_config().created_with_nd_shard_spec()) {
        return std::nullopt;
    }
    const auto rows = [&](const Tensor& tensor) {
        return transpose(tensor, 1, -2, {.memory_config = tensor.memory_config(), .pad_value = params.pad_value});
    };
    const auto matrix = [&](const Tensor& tensor) {
        return transpose(tensor, -2, -1, {.memory_config = tensor.memory_config(), .pad_value = std::nullopt});
    };
    if (order == Order{0, 1, 3, 2}) {
        return matrix(input);
    }
    if (order == Order{0, 2, 1, 3}) {
        return rows(input);
    }
    if (order == Order{0, 2, 3, 1}) {
        return matrix(rows(input));
    }
    if (order == Order{0, 3, 1, 2}) {
        return rows(matrix(input));
    }
    return matrix(rows(matrix(input)));
}

}  // namespace movement

inline Tensor Permute::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto order = movement::order_of(name, input.logical_shape(), params.dims);
    if (movement::is_identity(order)) {
        return to_memory_config(input, params.memory_config.value_or(input.memory_config()));
    }
    if (order.size() == 4 && !input.is_sharded()) {
        for (const size_t dim : {2, 1, 0}) {
            if (order == movement::exchange(4, dim, dim + 1)) {
                return transpose(input, static_cast<int64_t>(dim), static_cast<int64_t>(dim + 1),
                                 {.memory_config = params.memory_config, .pad_value = params.pad_value});
            }
        }
    }
    if (const auto turned = movement::permute_shards(params, order)) {
        return *turned;
    }
    if (is_block_float(input.dtype())) {
        const Tensor wide = movement::permute_primitive(typecast(input, DataType::BFLOAT16), order,
                                                        params.memory_config, params.pad_value);
        return typecast(wide, input.dtype());
    }
    return movement::permute_primitive(input, order, params.memory_config, params.pad_value);
}

inline void Permute::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 3, 33, 48}), .dims = {0, 2, 1, 3}});
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 32}), .dims = {0, 1, 3, 2}});
    make.add(Params{.input_tensor = make.tensor({2, 3, 4, 32}), .dims = {3, 0, -2, 1}});
    make.add(Params{.input_tensor = make.tensor({3, 40, 64}), .dims = {2, 0, 1}, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 1, 3, 5, 16}), .dims = {4, 2, 0, 1, 3}});
    make.add(Params{.input_tensor = make.tensor({64, 32}), .dims = {1, 0}});
    make.add(Params{.input_tensor = make.tensor({64, 32}), .dims = {0, 1}});
    make.add(Params{.input_tensor = make.tensor({1, 4, 5, 32}), .dims = {0, 2, 1, 3}, .pad_value = 3.0});
}

}  // namespace ttnn

#endif
