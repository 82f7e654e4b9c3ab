// fold: patches of pixels become pixels with more channels.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Fold {
    static constexpr std::string_view name = "ttnn.fold";
    static constexpr std::string_view doc =
        "Space to depth: each patch of stride_h x stride_w pixels becomes one pixel, whose channels are those of the "
        "patch row by row.";
    struct Params {
        Tensor input{};
        int64_t stride_h = 1;
        int64_t stride_w = 1;
        bool use_transpose_as_fold = false;
        std::optional<Shape> output_shape{};
        std::vector<int64_t> padding{0, 0};
        std::optional<CoreRangeSet> grid_size{};
        std::optional<MemoryConfig> override_memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("[N, H, W, C]; with use_transpose_as_fold [N, C, H, W]. The result is BFLOAT16 unless this "
                            "is FLOAT32 or UINT16")
            .also("input_tensor"),
        arg<&Params::stride_h>("height of a patch"),
        arg<&Params::stride_w>("width of a patch"),
        opt<&Params::use_transpose_as_fold>("take channels first, give [N, H / stride_h, W / stride_w, ...]"),
        opt<&Params::output_shape>("with use_transpose_as_fold: what is kept of the result"),
        opt<&Params::padding>("zeros: (h, w), (top, bottom, left, right), or these and (front, back) of channels"),
        opt<&Params::grid_size>("with use_transpose_as_fold: cores of a sharded result, default 2 x 2"),
        opt<&Params::override_memory_config>("with use_transpose_as_fold: where the result goes")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    // Small integers: most become BFLOAT16.
    static Domain domain(const Params& params, std::string_view) {
        return is_integer(params.input.dtype()) ? Domain::integer(0, 100) : Domain();
    }
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fold, Fold);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

namespace pool {

// Zeros before the image: (height, width, channels).
inline std::array<int64_t, 3> zeros_before(const Fold::Params& params) {
    const std::vector<int64_t>& pad = params.padding;
    if (pad.size() >= 4) {
        return {pad[0], pad[2], pad.size() == 6 ? pad[4] : 0};
    }
    const bool at_the_end = params.use_transpose_as_fold && !params.input.is_sharded();
    return {at_the_end ? 0 : pad[0], at_the_end ? 0 : pad[1], 0};
}
inline std::array<int64_t, 3> zeros_after(const Fold::Params& params) {
    const std::vector<int64_t>& pad = params.padding;
    if (pad.size() >= 4) {
        return {pad[1], pad[3], pad.size() == 6 ? pad[5] : 0};
    }
    return {pad[0], pad[1], pad.size() == 3 ? pad[2] : 0};
}

}  // namespace pool

inline std::vector<reference::Array> Fold::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    const bool turned = params.use_transpose_as_fold;
    const uint32_t images = input.shape[0];
    const std::array<int64_t, 3> size = {input.shape[turned ? 2 : 1], input.shape[turned ? 3 : 2],
                                         input.shape[turned ? 1 : 3]};
    const auto before = pool::zeros_before(params);
    const auto after = pool::zeros_after(params);
    const auto padded = [&](size_t i) { return size[i] + before[i] + after[i]; };
    const int64_t channels = padded(2);
    Shape shape{images, static_cast<uint32_t>(padded(0) / params.stride_h),
                static_cast<uint32_t>(padded(1) / params.stride_w),
                static_cast<uint32_t>(channels * params.stride_h * params.stride_w)};
    const Shape kept = turned && params.output_shape ? *params.output_shape : shape;
    reference::Array output = reference::generated(kept, [&](std::span<const uint32_t> index) {
        const int64_t c = index[3] % channels - before[2];
        const int64_t x = index[2] * params.stride_w + index[3] / channels % params.stride_w - before[1];
        const int64_t y = index[1] * params.stride_h + index[3] / channels / params.stride_w - before[0];
        if (y < 0 || y >= size[0] || x < 0 || x >= size[1] || c < 0 || c >= size[2]) {
            return 0.0;
        }
        const auto at = [](int64_t i) { return static_cast<uint32_t>(i); };
        const std::array<uint32_t, 4> source =
            turned ? std::array{index[0], at(c), at(y), at(x)} : std::array{index[0], at(y), at(x), at(c)};
        return input.at(source);
    });
    if (!turned && params.input.memory_config().is_l1()) {
        output.shape = Shape{1, 1, kept[0] * kept[1] * kept[2], kept[3]};
    }
    return {output};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace pool {

// (before, after) of height, width and channels.
struct FoldPadding {
    std::array<int64_t, 2> h{};
    std::array<int64_t, 2> w{};
    std::array<int64_t, 2> c{};
};

inline FoldPadding fold_padding(const Fold::Params& params) {
    const std::vector<int64_t>& pad = params.padding;
    const bool legacy = params.use_transpose_as_fold;
    require(pad.size() == 2 || pad.size() == 4 || pad.size() == 6 || (legacy && pad.size() == 3),
            "{}: argument 'padding' must be (h, w), (top, bottom, left, right) or these and (front, back), got {} "
            "numbers",
            Fold::name, pad.size());
    require(std::ranges::all_of(pad, [](int64_t number) { return number >= 0 && number <= INT32_MAX; }),
            "{}: argument 'padding' must not hold negative numbers", Fold::name);
    FoldPadding result;
    if (pad.size() >= 4) {
        result.h = {pad[0], pad[1]};
        result.w = {pad[2], pad[3]};
        result.c = pad.size() == 6 ? std::array{pad[4], pad[5]} : std::array<int64_t, 2>{};
        return result;
    }
    const bool at_the_end = legacy && !params.input.is_sharded();
    result.h = {at_the_end ? 0 : pad[0], pad[0]};
    result.w = {at_the_end ? 0 : pad[1], pad[1]};
    result.c = {0, pad.size() == 3 ? pad[2] : 0};
    return result;
}

// [N, H, W, C] of the padded images.
inline Shape fold_images(const Fold::Params& params) {
    const FoldPadding pad = fold_padding(params);
    const Shape& own = params.input.logical_shape();
    const bool turned = params.use_transpose_as_fold;
    const auto size = [](uint32_t dim, const std::array<int64_t, 2>& zeros) {
        return static_cast<uint32_t>(dim + zeros[0] + zeros[1]);
    };
    return {own[0], size(own[turned ? 2 : 1], pad.h), size(own[turned ? 3 : 2], pad.w),
            size(own[turned ? 1 : 3], pad.c)};
}

inline Shape folded_images(const Fold::Params& params) {
    const Shape images = fold_images(params);
    return {images[0], static_cast<uint32_t>(images[1] / params.stride_h),
            static_cast<uint32_t>(images[2] / params.stride_w),
            static_cast<uint32_t>(images[3] * params.stride_h * params.stride_w)};
}

inline bool is_height_sharded(const Tensor& tensor) {
    return tensor.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED;
}

// A patch's rows are runs of the input and of the output.
inline compute::Walk patches(const Shape& images, uint64_t stride_h, uint64_t stride_w) {
    const uint64_t row = uint64_t{images[2]} * images[3];
    const uint64_t run = stride_w * images[3];
    const uint64_t patch = stride_h * run;
    compute::Walk way;
    way.dims = {{uint64_t{images[0]} * images[1] / stride_h, stride_h * row, images[2] / stride_w * patch},
                {stride_h, row, run},
                {images[2] / stride_w, run, patch},
                {run, 1, 1}};
    return way;
}

inline Tensor fold_primitive(const Tensor& images, int64_t stride_h, int64_t stride_w, const Shape& shape,
                             const MemoryConfig& config) {
    const compute::Walk way =
        patches(images.logical_shape(), static_cast<uint64_t>(stride_h), static_cast<uint64_t>(stride_w));
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, images, outputs[0]);
        if (outputs[0].is_sharded()) {
            movement::buffer_for(p, outputs[0], outputs[0]);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0], way, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(images).add(stride_h).add(stride_w); };
    return launch({"ttnn::prim::fold", {&images, 1}, program, kernel, arguments},
                  TensorSpec(shape, images.dtype(), Layout::ROW_MAJOR, config));
}

// Of the integers only UINT16 is kept. Rows that a typecast does not take become tiles on the way.
inline Tensor as_folded(const Tensor& input) {
    if (!is_integer(input.dtype()) || input.dtype() == DataType::UINT16) {
        return input;
    }
    const bool castable = input.layout() == Layout::TILE || input.logical_shape().from_end(0) % tile_size == 0;
    return typecast(castable ? input : to_layout(input, Layout::TILE), DataType::BFLOAT16);
}

// What the primitive refuses, once images and padding are in rows.
inline void check_fold(const Fold::Params& params) {
    const Tensor& input = params.input;
    check_dtype(Fold::name, "input", input,
                {DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    require(params.use_transpose_as_fold || !input.is_sharded() || is_height_sharded(input),
            "{}: argument 'input' must be HEIGHT_SHARDED or interleaved, got {}", Fold::name,
            input.memory_config().memory_layout());
}

// Shards that hold whole rows of patches.
inline Tensor whole_patches(const Tensor& images, int64_t stride_h) {
    ShardSpec spec = *images.memory_config().shard_spec();
    const Shape& shape = images.logical_shape();
    const auto unit = static_cast<uint32_t>(stride_h * shape[2]);
    if (spec.shape[0] % unit == 0) {
        return images;
    }
    const uint32_t rows = shape[0] * shape[1] / static_cast<uint32_t>(stride_h);
    spec.shape[0] = div_up(rows, spec.num_cores()) * unit;
    return to_memory_config(images, images.memory_config().with_shard_spec(spec));
}

inline Tensor fold_channels_last(const Fold::Params& params) {
    const FoldPadding pads = fold_padding(params);
    Tensor images = to_layout(params.input, Layout::ROW_MAJOR);
    if (fold_images(params) != images.logical_shape()) {
        images = pad(images, {{0, 0}, pads.h, pads.w, pads.c}, 0.0);
    }
    Shape shape = folded_images(params);
    if (images.memory_config().is_l1()) {
        shape = {1, 1, shape[0] * shape[1] * shape[2], shape[3]};
    }
    MemoryConfig config = movement::fitted(images.memory_config(), shape, images.dtype(), Layout::ROW_MAJOR);
    if (images.memory_config().is_l1() && is_height_sharded(images)) {
        images = whole_patches(images, params.stride_h);
        const auto patch = static_cast<uint32_t>(params.stride_h * params.stride_w);
        ShardSpec spec = *images.memory_config().shard_spec();
        spec.shape = {spec.shape[0] / patch, spec.shape[1] * patch};
        config = images.memory_config().with_shard_spec(spec);
    }
    check_at_launch([&] { check_fold(params); });
    return fold_primitive(images, params.stride_h, params.stride_w, shape, config);
}

// Where the result of a fold that began with channels first goes.
inline std::optional<MemoryConfig> turned_config(const Fold::Params& params, const Shape& shape, DataType dtype) {
    if (params.override_memory_config || !params.input.is_sharded()) {
        return params.override_memory_config;
    }
    const CoreRangeSet cores = params.grid_size.value_or(CoreRangeSet(CoreRange({0, 0}, {1, 1})));
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, ShardSpec{cores, {}});
    const auto rows = static_cast<uint32_t>(shape.volume() / shape[3]);
    const auto unit = static_cast<uint32_t>(16 / element_size(dtype));
    return config.with_shard_spec(ShardSpec{cores, {div_up(rows, cores.num_cores()), round_up(shape[3], unit)}});
}

inline Tensor fold_channels_first(const Fold::Params& params) {
    const FoldPadding pads = fold_padding(params);
    const Tensor own = params.input.is_sharded() ? to_memory_config(params.input, MemoryConfig()) : params.input;
    Tensor images = to_layout(own, Layout::ROW_MAJOR);
    const Padding padding{{0, 0}, pads.c, pads.h, pads.w};
    if (std::ranges::any_of(padding, [](const auto& zeros) { return zeros[0] + zeros[1] != 0; })) {
        images = pad(images, padding, 0.0);
    }
    images = permute(images, {0, 2, 3, 1});
    const Shape shape = folded_images(params);
    check_at_launch([&] { check_fold(params); });
    Tensor result = fold_primitive(images, params.stride_h, params.stride_w, shape, images.memory_config());
    if (params.output_shape && *params.output_shape != shape) {
        result = slice(result, {0, 0, 0, 0}, movement::ints(*params.output_shape), {.slice_step = {{1, 1, 1, 1}}});
    }
    const auto config = turned_config(params, result.logical_shape(), result.dtype());
    return config ? to_memory_config(result, *config) : result;
}

}  // namespace pool

inline void Fold::validate(const Params& params) {
    const Tensor& input = params.input;
    const Shape& own = input.logical_shape();
    require(own.rank() == 4 && own.volume() != 0, "{}: argument 'input' must have 4 dimensions with elements, got {}",
            name, own);
    require(params.stride_h > 0 && params.stride_w > 0 && std::max(params.stride_h, params.stride_w) <= INT32_MAX,
            "{}: arguments 'stride_h' and 'stride_w' must be positive, got {} and {}", name, params.stride_h,
            params.stride_w);
    const Shape images = pool::fold_images(params);
    require(images[1] % params.stride_h == 0 && images[2] % params.stride_w == 0,
            "{}: images of {} x {} (padding included) must be multiples of the strides {} x {}", name, images[1],
            images[2], params.stride_h, params.stride_w);
    if (!params.use_transpose_as_fold) {
        require(!input.is_sharded() || input.memory_config().shard_spec() || movement::lies_in_nd_shards(input),
                "{}: argument 'input' must have a 2-D shard spec where it is sharded", name);
    } else if (params.output_shape) {
        const Shape shape = pool::folded_images(params);
        bool inside = params.output_shape->rank() == 4;
        for (int64_t i = 0; inside && i < 4; ++i) {
            inside = (*params.output_shape)[i] > 0 && (*params.output_shape)[i] <= shape[i];
        }
        require(inside, "{}: argument 'output_shape' must lie inside of {}, got {}", name, shape, *params.output_shape);
    }
}

inline Tensor Fold::run(const Params& params) {
    Params kept = params;
    // With channels first every sharded input goes through DRAM anyway.
    kept.input =
        pool::as_folded(params.use_transpose_as_fold ? params.input : movement::out_of_nd_shards(params.input));
    return params.use_transpose_as_fold ? pool::fold_channels_first(kept) : pool::fold_channels_last(kept);
}

inline void Fold::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({2, 8, 8, 16}), .stride_h = 2, .stride_w = 2});
    make.add(Params{.input = make.tensor({1, 8, 12, 32}), .stride_h = 4, .stride_w = 3});
    make.add(Params{.input = make.tensor({1, 7, 14, 8}), .stride_h = 3, .stride_w = 2, .padding = {1, 1}});
    make.add(Params{.input = make.tensor({2, 5, 6, 3}), .stride_h = 2, .stride_w = 2, .padding = {1, 0, 0, 2, 0, 5}});
    make.add(Params{.input = make.tensor({2, 3, 32, 64}),
                    .stride_h = 2,
                    .stride_w = 2,
                    .use_transpose_as_fold = true,
                    .output_shape = Shape{2, 17, 33, 16},
                    .padding = {2, 2, 1}});
    make.add(Params{.input = make.tensor({1, 4, 10, 16}), .stride_h = 2, .stride_w = 4, .use_transpose_as_fold = true});
}

}  // namespace ttnn

#endif
