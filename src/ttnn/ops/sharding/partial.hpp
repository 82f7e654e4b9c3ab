// interleaved_to_sharded_partial and sharded_to_interleaved_partial: one of several equal ranges of rows in shards, and
// back. Rows are those of the padded tensor seen as a matrix.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct InterleavedToShardedPartial {
    static constexpr std::string_view name = "ttnn.interleaved_to_sharded_partial";
    static constexpr std::string_view doc = "Puts one of num_slices equal ranges of rows into L1 shards.";
    struct Params {
        Tensor input_tensor{};
        GridOrSet grid{};
        std::array<uint32_t, 2> shard_shape{};
        int64_t num_slices = 1;
        int64_t slice_index = 0;
        TensorMemoryLayout shard_scheme = TensorMemoryLayout::HEIGHT_SHARDED;
        ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;
        std::optional<DataType> output_dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved tensor on a device"),
                                      arg<&Params::grid>("size of the grid from (0, 0), or the cores themselves"),
                                      arg<&Params::shard_shape>("height and width in elements"),
                                      arg<&Params::num_slices>("into how many ranges the rows are cut"),
                                      arg<&Params::slice_index>("which of them, from 0"),
                                      arg<&Params::shard_scheme>("HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED"),
                                      arg<&Params::shard_orientation>("order of the cores"),
                                      kw<&Params::output_dtype>("TILE only; default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ShardedToInterleavedPartial {
    static constexpr std::string_view name = "ttnn.sharded_to_interleaved_partial";
    static constexpr std::string_view doc =
        "Writes shards into one of num_slices equal ranges of rows of an interleaved tensor, which is returned.";
    struct Params {
        Tensor input_tensor{};
        Tensor cache_tensor{};
        int64_t num_slices = 1;
        int64_t slice_index = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> output_dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor sharded in L1"),
                                      arg<&Params::cache_tensor>("interleaved; written into and returned").mutates(),
                                      arg<&Params::num_slices>("into how many ranges its rows are cut"),
                                      arg<&Params::slice_index>("which of them, from 0"),
                                      kw<&Params::memory_config>("that of the cache; no effect here"),
                                      kw<&Params::output_dtype>("must be the cache's")};
    static constexpr Tolerance tolerance = InterleavedToShardedPartial::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(interleaved_to_sharded_partial, InterleavedToShardedPartial);
TTNN_OPERATION(sharded_to_interleaved_partial, ShardedToInterleavedPartial);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> InterleavedToShardedPartial::reference(const Params& params) {
    const auto input = reference::padded_values(params.input_tensor);
    const uint32_t width = input.shape[-1];
    const auto rows = static_cast<uint32_t>(input.values.size() / width / static_cast<size_t>(params.num_slices));
    return {reference::generated({1, 1, rows, width}, [&](std::span<const uint32_t> index) {
        const auto row = static_cast<size_t>(params.slice_index) * rows + index[2];
        return input.values[row * width + index[3]];
    })};
}

inline std::vector<reference::Array> ShardedToInterleavedPartial::reference(const Params& params) {
    const auto input = reference::padded_values(params.input_tensor);
    const auto cache = reference::padded_values(params.cache_tensor);
    const size_t share = cache.values.size() / static_cast<size_t>(params.num_slices);
    const size_t first = static_cast<size_t>(params.slice_index) * share;
    const Shape& shape = params.cache_tensor.logical_shape();
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> place(cache.shape.rank() - index.size(), 0);
        place.insert(place.end(), index.begin(), index.end());
        const size_t at = cache.offset(place);
        return at >= first && at < first + share ? input.values[at - first] : cache.values[at];
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"

namespace ttnn {

namespace movement {

inline MemoryConfig sharded_config(const InterleavedToShardedPartial::Params& params) {
    return sharded_config(InterleavedToShardedGrid::Params{.grid = params.grid,
                                                           .shard_shape = params.shard_shape,
                                                           .shard_scheme = params.shard_scheme,
                                                           .shard_orientation = params.shard_orientation});
}

// Rows of one range of the padded matrix.
inline uint32_t range_rows(std::string_view op, std::string_view argument, const Tensor& tensor, int64_t ranges,
                           int64_t index) {
    require(ranges >= 1, "{}: argument 'num_slices' must be 1 or more, got {}", op, ranges);
    require(index >= 0 && index < ranges, "{}: argument 'slice_index' must be in [0, {}), got {}", op, ranges, index);
    const uint64_t rows = tensor.spec().physical_shape().height;
    const uint32_t unit = tensor.layout() == Layout::TILE ? tensor.spec().tile().height() : 1;
    require(tensor.logical_volume() != 0 && rows % (static_cast<uint64_t>(ranges) * unit) == 0,
            "{}: the {} rows of argument '{}' cannot be cut into {} equal ranges{}", op, rows, argument, ranges,
            unit == 1 ? "" : " of whole tiles");
    return static_cast<uint32_t>(rows / static_cast<uint64_t>(ranges));
}

template <class T>
void take_range(const Tensor& input, Tensor& output, size_t first) {
    const Dense<T> values = read_padded<T>(input);
    write<T>(output, values.span().subspan(first, output.logical_volume()));
}

template <class T>
void put_range(const Tensor& input, Tensor& output, size_t first) {
    Dense<T> values = read_padded<T>(output);
    const Dense<T> part = read_padded<T>(input);
    std::ranges::copy(part, values.begin() + static_cast<std::ptrdiff_t>(first));
    write_padded<T>(output, values.span());
}

inline void check_put_range(const ShardedToInterleavedPartial::Params& params, uint32_t rows) {
    const std::string_view name = ShardedToInterleavedPartial::name;
    const Tensor& input = params.input_tensor;
    const Tensor& cache = params.cache_tensor;
    validate_to_interleaved(name, input, cache.memory_config(), cache.dtype());
    check_layout(name, "cache_tensor", cache, input.layout());
    const auto& own = input.spec().physical_shape();
    const auto& target = cache.spec().physical_shape();
    require(own.height == rows && own.width == target.width,
            "{}: argument 'input_tensor' has {} rows of {}, but a range of argument 'cache_tensor' has {} of {}", name,
            own.height, own.width, rows, target.width);
    output_dtype(name, params.output_dtype, cache, cache.dtype());
}

}  // namespace movement

inline void InterleavedToShardedPartial::validate(const Params& params) {
    require(params.shard_scheme != TensorMemoryLayout::INTERLEAVED,
            "{}: argument 'shard_scheme' must be HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED, got {}", name,
            params.shard_scheme);
    movement::range_rows(name, "input_tensor", params.input_tensor, params.num_slices, params.slice_index);
    const MemoryConfig config = movement::sharded_config(params);
    check_at_launch([&] {
        movement::validate_to_sharded(name, params.input_tensor, config,
                                      params.output_dtype.value_or(params.input_tensor.dtype()));
    });
}

inline Tensor InterleavedToShardedPartial::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const uint32_t rows = movement::range_rows(name, "input_tensor", input, params.num_slices, params.slice_index);
    const auto width = static_cast<uint32_t>(input.spec().physical_shape().width);
    const DataType dtype = params.output_dtype.value_or(input.dtype());
    const MemoryConfig config = movement::sharded_config(params);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::to_sharded_program(p, input, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const size_t first = static_cast<size_t>(params.slice_index) * rows * width;
        is_integer(dtype) && is_integer(inputs[0].dtype())
            ? movement::take_range<uint32_t>(inputs[0], outputs[0], first)
            : movement::take_range<float>(inputs[0], outputs[0], first);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.num_slices).add(params.slice_index).add(config).add(dtype);
    };
    return launch({"ttnn::prim::interleaved_to_sharded_partial", {&input, 1}, program, kernel, arguments},
                  TensorSpec({1, 1, rows, width}, dtype, input.layout(), config, input.spec().tile()));
}

inline void InterleavedToShardedPartial::cases(CaseMaker& make) {
    make.only_if(make.sharded());
    const auto add = [&](const Shape& shape, const Shape& range, int64_t ranges, int64_t index,
                         std::optional<DataType> dtype) {
        const MemoryConfig config = make.memory_config(range);
        make.add(Params{.input_tensor = make.interleaved(shape, make.dtype(), make.layout()),
                        .grid = config.shard_spec()->grid,
                        .shard_shape = config.shard_spec()->shape,
                        .num_slices = ranges,
                        .slice_index = index,
                        .shard_scheme = config.memory_layout(),
                        .output_dtype = dtype});
    };
    add({1, 1, 256, 64}, {1, 1, 128, 64}, 2, 1, std::nullopt);
    add({2, 3, 64, 96}, {1, 1, 96, 96}, 4, 2, std::nullopt);
    add({2, 33, 64}, {1, 1, make.layout() == Layout::TILE ? 64U : 33U, 64}, 2, 1, std::nullopt);
    if (make.floating()) {
        add({1, 1, 192, 64}, {1, 1, 64, 64}, 3, 0, DataType::BFLOAT16);
    }
}

inline void ShardedToInterleavedPartial::validate(const Params& params) {
    const uint32_t rows =
        movement::range_rows(name, "cache_tensor", params.cache_tensor, params.num_slices, params.slice_index);
    check_at_launch([&] { movement::check_put_range(params, rows); });
}

inline Tensor ShardedToInterleavedPartial::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Tensor& cache = params.cache_tensor;
    const auto& physical = cache.spec().physical_shape();
    const size_t first = static_cast<size_t>(params.slice_index) * physical.height * physical.width /
                         static_cast<size_t>(params.num_slices);
    const auto program = [&](Program& p, std::span<const Tensor>) {
        movement::shard_buffer(p, input);
        if (cache.dtype() != input.dtype() && input.memory_config().shard_spec()) {
            p.circular_buffer(input.memory_config().shard_spec()->grid,
                              input.pages().slots_per_bank() * page_bytes(cache));
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        is_integer(inputs[0].dtype()) && is_integer(outputs[0].dtype())
            ? movement::put_range<uint32_t>(inputs[0], outputs[0], first)
            : movement::put_range<float>(inputs[0], outputs[0], first);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(cache).add(params.num_slices).add(params.slice_index).add(params.memory_config);
        list.add(params.output_dtype);
    };
    return launch({"ttnn::prim::sharded_to_interleaved_partial", {&input, 1}, program, kernel, arguments}, cache.spec(),
                  cache);
}

inline void ShardedToInterleavedPartial::cases(CaseMaker& make) {
    const auto cache = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{make.tensor({1, 1, 128, 64}), cache({1, 1, 256, 64}), 2, 1});
    make.add(Params{make.tensor({1, 1, 96, 96}), cache({2, 3, 64, 96}), 4, 2});
    const uint32_t rows = make.layout() == Layout::TILE ? 64 : 33;
    make.add(Params{make.tensor({1, 1, rows, 64}), cache({2, 33, 64}), 2, 0});
    if (make.floating()) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 64, 64}),
                        .cache_tensor = make.interleaved({1, 1, 192, 64}, DataType::BFLOAT16, make.layout()),
                        .num_slices = 3,
                        .slice_index = 2,
                        .memory_config = MemoryConfig(),
                        .output_dtype = DataType::BFLOAT16});
    }
}

}  // namespace ttnn

#endif
