// concat and stack: tensors joined along a dimension.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Concat {
    static constexpr std::string_view name = "ttnn.concat";
    static constexpr std::string_view doc =
        "Joins tensors along a dimension; with groups, channel group by channel group.";
    struct Params {
        std::vector<Tensor> tensors{};
        int64_t dim = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        int64_t groups = 1;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensors>("tensors of equal rank, dtype and layout"),
                                      opt<&Params::dim>("dimension to join, negative from the end"),
                                      kw<&Params::output_tensor>("not supported, must be None"),
                                      kw<&Params::memory_config>("default: DRAM interleaved"),
                                      kw<&Params::groups>("of two tensors joined along the last dimension"),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Stack {
    static constexpr std::string_view name = "ttnn.stack";
    static constexpr std::string_view doc = "Joins tensors along a new dimension, in DRAM.";
    struct Params {
        std::vector<Tensor> input_tensors{};
        int64_t dim = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensors>("tensors of equal shape, dtype and layout"),
                                      arg<&Params::dim>("its place in the result, negative from the end")};
    static constexpr Tolerance tolerance = Concat::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(concat, Concat);
TTNN_OPERATION(stack, Stack);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

namespace reference {
// One slab after the other along `dim`.
inline Array joined(const std::vector<Array>& parts, size_t dim) {
    Shape shape = parts.front().shape;
    const auto at = static_cast<int64_t>(dim);
    for (size_t i = 1; i < parts.size(); ++i) {
        shape[at] += parts[i].shape[at];
    }
    return generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        size_t part = 0;
        while (source[dim] >= parts[part].shape[at]) {
            source[dim] -= parts[part++].shape[at];
        }
        return parts[part].at(source);
    });
}

// The columns [from, from + count) of the last dimension.
inline Array columns(const Array& input, uint32_t from, uint32_t count) {
    Shape shape = input.shape;
    shape[-1] = count;
    return generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source.back() += from;
        return input.at(source);
    });
}
}  // namespace reference

inline std::vector<reference::Array> Concat::reference(const Params& params) {
    std::vector<reference::Array> parts;
    for (int64_t group = 0; group < params.groups; ++group) {
        for (const Tensor& tensor : params.tensors) {
            const auto input = reference::values(tensor);
            const auto width = static_cast<uint32_t>(input.shape[-1] / params.groups);
            parts.push_back(
                params.groups == 1 ? input : reference::columns(input, static_cast<uint32_t>(group) * width, width));
        }
    }
    return {reference::joined(parts, reference::from_front(params.dim, parts.front().shape.rank()))};
}

inline std::vector<reference::Array> Stack::reference(const Params& params) {
    const auto first = reference::values(params.input_tensors.front());
    const size_t dim = reference::from_front(params.dim, first.shape.rank() + 1);
    std::vector<int64_t> dims(first.shape.begin(), first.shape.end());
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(dim), 1);
    std::vector<reference::Array> parts;
    for (const Tensor& tensor : params.input_tensors) {
        parts.push_back(reference::reshaped(reference::values(tensor), dims));
    }
    return {reference::joined(parts, dim)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

inline Shape joined_shape(std::span<const Tensor> tensors, size_t dim) {
    Shape shape = tensors.front().logical_shape();
    for (const Tensor& tensor : tensors.subspan(1)) {
        shape[static_cast<int64_t>(dim)] += tensor.logical_shape()[static_cast<int64_t>(dim)];
    }
    return shape;
}

// Where tensor i goes: behind the ones before it, in every one of `groups` equal parts of the joined dimension.
inline std::vector<compute::Walk> join_walks(std::span<const Tensor> tensors, size_t dim, uint64_t groups) {
    const Shape shape = joined_shape(tensors, dim);
    uint64_t outer = 1;
    uint64_t inner = 1;
    for (size_t i = 0; i < shape.rank(); ++i) {
        (i < dim ? outer : inner) *= i == dim ? 1 : shape[static_cast<int64_t>(i)];
    }
    const uint64_t total = inner * shape[static_cast<int64_t>(dim)];
    std::vector<compute::Walk> walks;
    uint64_t offset = 0;
    for (const Tensor& tensor : tensors) {
        const uint64_t run = inner * tensor.logical_shape()[static_cast<int64_t>(dim)];
        compute::Walk way;
        way.dims = {{outer, run, total}, {groups, run / groups, total / groups}, {run / groups, 1, 1}};
        way.to = offset / groups;
        offset += run;
        walks.push_back(std::move(way));
    }
    return walks;
}

inline Tensor concat_primitive(std::span<const Tensor> tensors, size_t dim, uint64_t groups,
                               const MemoryConfig& config) {
    const Tensor& first = tensors.front();
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        if (!first.memory_config().shard_spec()) {
            buffer_for(p, outputs[0], outputs[0]);
            return;
        }
        std::ranges::for_each(tensors, [&](const Tensor& tensor) { shard_buffer(p, tensor); });
        shard_buffer(p, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs, join_walks(inputs, dim, groups), outputs[0]);
    };
    const auto along = static_cast<int64_t>(dim);
    const auto parts = static_cast<int64_t>(groups);
    const auto arguments = [&](ArgumentList& list) { list.add(tensors).add(along).add(parts).add(config); };
    return launch({"ttnn::prim::concat", tensors, program, kernel, arguments},
                  TensorSpec(joined_shape(tensors, dim), first.dtype(), first.layout(), config, first.spec().tile()));
}

// Tiles that are padded along the joined dimension cannot be joined as they are.
inline bool cuts_tiles(std::span<const Tensor> tensors, size_t dim) {
    const size_t from_end = tensors.front().logical_shape().rank() - 1 - dim;
    return from_end < 2 && std::ranges::any_of(tensors, [&](const Tensor& tensor) {
               return tensor.layout() == Layout::TILE &&
                      tensor.logical_shape().from_end(from_end) != tensor.padded_shape().from_end(from_end);
           });
}

// Untilize, join, tilize; block floats come out as BFLOAT16.
inline Tensor concat_in_row_major(std::span<const Tensor> tensors, size_t dim, uint64_t groups,
                                  const MemoryConfig& config) {
    std::vector<Tensor> rows;
    for (const Tensor& tensor : tensors) {
        const size_t rank = tensor.padded_shape().rank();
        std::vector<int64_t> ends = ints(tensor.logical_shape().to_rank(rank));
        for (int64_t& end : ends) {
            --end;
        }
        rows.push_back(untilize_with_unpadding(tensor, ends, {.memory_config = MemoryConfig()}));
    }
    const size_t lifted = rows.front().logical_shape().rank() - tensors.front().logical_shape().rank();
    const Tensor joined = concat_primitive(rows, dim + lifted, groups, MemoryConfig());
    const Tensor tiles = tilize_with_val_padding(joined, ints(tile_padded(joined.logical_shape())), Scalar(0.0),
                                                 {.memory_config = config});
    return lifted == 0 ? tiles : reshape(tiles, ints(joined_shape(tensors, dim)));
}

inline std::string describe(const Tensor& sharded) {
    const auto& spec = sharded.memory_config().shard_spec();
    return fmt::format("{} on {}", sharded.memory_config().memory_layout(),
                       spec ? spec->grid.to_string() : "N-D shards");
}

// Shards that somebody gave as N-D ones are joined in any way; 2-D ones only where no core gets another one's rows.
inline void validate_concat_shards(std::string_view op, const Concat::Params& params, size_t dim) {
    const Tensor& first = params.tensors.front();
    for (const Tensor& tensor : params.tensors) {
        require(tensor.is_sharded() == first.is_sharded(), "{}: argument 'tensors' mixes sharded and interleaved ones",
                op);
    }
    const bool nd = std::ranges::any_of(
        params.tensors, [](const Tensor& tensor) { return tensor.memory_config().created_with_nd_shard_spec(); });
    if (!first.is_sharded() || params.tensors.size() == 1 || nd) {
        return;
    }
    const size_t from_end = first.logical_shape().rank() - 1 - dim;
    const auto layout = first.memory_config().memory_layout();
    for (const Tensor& tensor : params.tensors) {
        require(tensor.memory_config().memory_layout() == layout && tensor.memory_config().shard_spec() &&
                    tensor.memory_config().shard_spec()->grid == first.memory_config().shard_spec()->grid,
                "{}: sharded tensors must share their memory layout and grid, got {} and {}", op, describe(first),
                describe(tensor));
    }
    const bool by_width = from_end == 0 && layout == TensorMemoryLayout::HEIGHT_SHARDED;
    const bool by_height = from_end == 1 && layout == TensorMemoryLayout::WIDTH_SHARDED && params.tensors.size() != 2;
    require(
        by_width || by_height,
        "{}: sharded tensors are joined along the width when HEIGHT_SHARDED, or along the height when WIDTH_SHARDED "
        "and not exactly two; got {} tensors of {} with dim {}",
        op, params.tensors.size(), layout, params.dim);
}

inline void validate_groups(std::string_view op, const Concat::Params& params, size_t dim) {
    require(params.groups >= 1, "{}: argument 'groups' must be 1 or more, got {}", op, params.groups);
    if (params.groups == 1) {
        return;
    }
    require(params.tensors.size() == 2 && dim + 1 == params.tensors.front().logical_shape().rank(),
            "{}: argument 'groups' needs two tensors joined along the last dimension, got {} along dim {}", op,
            params.tensors.size(), params.dim);
    for (const Tensor& tensor : params.tensors) {
        require(tensor.logical_shape().from_end(0) % params.groups == 0,
                "{}: the last dimension {} must be a multiple of argument 'groups' {}", op,
                tensor.logical_shape().from_end(0), params.groups);
    }
}

}  // namespace movement

inline void Concat::validate(const Params& params) {
    require(!params.tensors.empty(), "{}: argument 'tensors' must not be empty", name);
    require(!params.output_tensor, "{}: argument 'output_tensor' is not supported and must be None", name);
    const Tensor& first = params.tensors.front();
    const size_t dim = first.logical_shape().normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    for (const Tensor& tensor : params.tensors) {
        check_at_launch([&] {
            require(tensor.dtype() == first.dtype(), "{}: argument 'tensors' mixes {} and {}", name, first.dtype(),
                    tensor.dtype());
            require(tensor.layout() == first.layout(), "{}: argument 'tensors' mixes {} and {}", name, first.layout(),
                    tensor.layout());
        });
        Shape shape = tensor.logical_shape();
        require(shape.rank() == first.logical_shape().rank(), "{}: argument 'tensors' mixes ranks: {} and {}", name,
                first.logical_shape(), shape);
        shape[static_cast<int64_t>(dim)] = first.logical_shape()[static_cast<int64_t>(dim)];
        require(shape == first.logical_shape(), "{}: argument 'tensors' must agree in all dimensions but {}: {} and {}",
                name, dim, first.logical_shape(), tensor.logical_shape());
    }
    check_at_launch([&] { movement::validate_concat_shards(name, params, dim); });
    movement::validate_groups(name, params, dim);
}

inline Tensor Concat::run(const Params& params) {
    const Tensor& first = params.tensors.front();
    if (params.tensors.size() == 1) {
        return to_memory_config(first, params.memory_config.value_or(MemoryConfig()));
    }
    const size_t dim = first.logical_shape().normalize_dim(params.dim, name);
    const MemoryConfig config = movement::fitted_output_config(params.memory_config.value_or(MemoryConfig()), first,
                                                               movement::joined_shape(params.tensors, dim));
    const auto groups = static_cast<uint64_t>(params.groups);
    if (movement::cuts_tiles(params.tensors, dim) || (groups > 1 && first.layout() == Layout::TILE)) {
        return movement::concat_in_row_major(params.tensors, dim, groups, config);
    }
    return movement::concat_primitive(params.tensors, dim, groups, config);
}

inline void Concat::cases(CaseMaker& make) {
    const auto three = [&](const Shape& a, const Shape& b, const Shape& c) {
        return std::vector<Tensor>{make.tensor(a), make.tensor(b), make.tensor(c)};
    };
    make.add(Params{.tensors = three({1, 2, 64, 32}, {1, 2, 64, 64}, {1, 2, 64, 32}), .dim = -1});
    make.add(Params{.tensors = three({2, 32, 96}, {2, 64, 96}, {2, 32, 96}), .dim = 1});
    make.add(Params{.tensors = three({1, 33, 48}, {2, 33, 48}, {1, 33, 48})});
    make.add(Params{.tensors = three({5, 48}, {40, 48}, {1, 48}), .dim = 0, .memory_config = l1_memory_config()});
    make.add(Params{.tensors = {make.tensor({3, 4, 16}), make.tensor({3, 4, 48})}, .dim = 2});
    make.add(Params{.tensors = {make.tensor({1, 1, 32, 64})}, .dim = 3});
    make.add(Params{.tensors = {make.tensor({1, 1, 64, 32}), make.tensor({1, 1, 64, 64})}, .dim = 3, .groups = 4});
}

inline void Stack::validate(const Params& params) {
    require(!params.input_tensors.empty(), "{}: argument 'input_tensors' must not be empty", name);
    const Shape& first = params.input_tensors.front().logical_shape();
    for (const Tensor& tensor : params.input_tensors) {
        require(tensor.logical_shape() == first, "{}: argument 'input_tensors' must have equal shapes, got {} and {}",
                name, first, tensor.logical_shape());
    }
}

inline Tensor Stack::run(const Params& params) {
    std::vector<Tensor> parts;
    for (const Tensor& tensor : params.input_tensors) {
        parts.push_back(unsqueeze(tensor, params.dim));
    }
    return concat(parts, {.dim = params.dim});
}

inline void Stack::cases(CaseMaker& make) {
    make.add(Params{{make.tensor({32, 64}), make.tensor({32, 64})}, 0});
    make.add(Params{{make.tensor({3, 33, 48}), make.tensor({3, 33, 48}), make.tensor({3, 33, 48})}, 1});
    make.add(Params{{make.tensor({4, 32}), make.tensor({4, 32})}, -1});
}

}  // namespace ttnn

#endif
