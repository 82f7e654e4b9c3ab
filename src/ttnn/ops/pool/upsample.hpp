// upsample: images made larger.
#pragma once

#include <cmath>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Upsample {
    static constexpr std::string_view name = "ttnn.upsample";
    static constexpr std::string_view doc =
        "Images that are stored channels last, made larger by a factor or by one for height and one for width.";
    struct Params {
        Tensor input_tensor{};
        FloatOrList scale_factor = 1.0;
        std::string mode = "nearest";
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("[N, H, W, C]; in TILE without padding"),
        arg<&Params::scale_factor>("number or [height, width]; whole ones for bilinear and sharded inputs"),
        kw<&Params::mode>("\"nearest\" or \"bilinear\""),
        kw<&Params::memory_config>("default: the input's, with larger shards"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    // Shares of thirds that cancel leave noise.
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 1, .absolute = 1e-9};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(upsample, Upsample);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

namespace pool {

// torch's interpolation without align_corners along one dimension: two pixels and the share of the second.
struct Between {
    uint32_t first;
    uint32_t second;
    double share;
};
inline Between between(uint32_t output, double scale, uint32_t size) {
    const double at = std::max((output + 0.5) / scale - 0.5, 0.0);
    const auto first = static_cast<uint32_t>(at);
    return {first, first + (first + 1 < size ? 1 : 0), at - first};
}

}  // namespace pool

inline std::vector<reference::Array> Upsample::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    std::vector<double> scale(2);
    if (const auto* list = std::get_if<std::vector<double>>(&params.scale_factor)) {
        scale = *list;
    } else {
        scale.assign(2, std::get<double>(params.scale_factor));
    }
    const uint32_t height = input.shape[1];
    const uint32_t width = input.shape[2];
    const Shape shape{input.shape[0], static_cast<uint32_t>(height * scale[0]), static_cast<uint32_t>(width * scale[1]),
                      input.shape[3]};
    const auto pixel = [&](std::span<const uint32_t> index, uint32_t y, uint32_t x) {
        const uint32_t source[] = {index[0], y, x, index[3]};
        return input.at(source);
    };
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        if (params.mode == "nearest") {
            return pixel(index, static_cast<uint32_t>(index[1] / scale[0]), static_cast<uint32_t>(index[2] / scale[1]));
        }
        const pool::Between y = pool::between(index[1], scale[0], height);
        const pool::Between x = pool::between(index[2], scale[1], width);
        const double upper = pixel(index, y.first, x.first) * (1 - x.share) + pixel(index, y.first, x.second) * x.share;
        const double lower =
            pixel(index, y.second, x.first) * (1 - x.share) + pixel(index, y.second, x.second) * x.share;
        return upper * (1 - y.share) + lower * y.share;
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/pooling.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/pool/halo.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace pool {

struct Scales {
    double height = 1.0;
    double width = 1.0;
    bool whole() const { return height == std::floor(height) && width == std::floor(width); }
    uint32_t area() const { return static_cast<uint32_t>(height) * static_cast<uint32_t>(width); }
};

inline Scales scales_of(const Upsample::Params& params) {
    if (const auto* list = std::get_if<std::vector<double>>(&params.scale_factor)) {
        require(list->size() == 2, "{}: argument 'scale_factor' must be a number or [height, width], got {} numbers",
                Upsample::name, list->size());
        return {list->at(0), list->at(1)};
    }
    const double both = std::get<double>(params.scale_factor);
    return {both, both};
}

inline Shape upsampled_shape(const Shape& shape, const Scales& scales) {
    return {shape[0], static_cast<uint32_t>(shape[1] * scales.height), static_cast<uint32_t>(shape[2] * scales.width),
            shape[3]};
}

// Every pixel of a shard becomes a block of them.
inline MemoryConfig upsampled_shards(const MemoryConfig& config, const Scales& scales) {
    ShardSpec spec = *config.shard_spec();
    spec.shape[0] *= scales.area();
    return config.with_shard_spec(spec);
}

// Whether a config says how it shards, if it does.
inline bool says_all(const MemoryConfig& config) {
    return !config.is_sharded() || config.shard_spec() || config.created_with_nd_shard_spec();
}

// A sharded config without shards of its own takes those of the input, which have grown.
inline MemoryConfig nearest_config(const Upsample::Params& params, const Scales& scales) {
    const MemoryConfig& own = params.input_tensor.memory_config();
    const MemoryConfig& config = params.memory_config ? *params.memory_config : own;
    const bool complete = says_all(config) && (params.memory_config || !config.shard_spec());
    return complete || !own.shard_spec() ? config : upsampled_shards(own, scales);
}

inline Tensor upsample_nearest(const Upsample::Params& params) {
    const Tensor& input = params.input_tensor;
    const Scales scales = scales_of(params);
    const Shape& own = input.logical_shape();
    const Shape shape = upsampled_shape(own, scales);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        if (outputs[0].is_sharded() || input.layout() == Layout::TILE) {
            movement::buffer_for(p, outputs[0], input);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::gather_pixels(inputs[0], outputs[0], [&](uint64_t pixel) {
            const uint64_t x = pixel % shape[2];
            const uint64_t y = pixel / shape[2] % shape[1];
            const uint64_t image = pixel / shape[2] / shape[1];
            const auto row = static_cast<uint64_t>(std::floor(static_cast<double>(y) / scales.height));
            const auto column = static_cast<uint64_t>(std::floor(static_cast<double>(x) / scales.width));
            return (image * own[1] + row) * own[2] + column;
        });
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(scales.height).add(scales.width).add(params.mode).add(params.memory_config);
    };
    return launch(
        {"ttnn::prim::upsample", {&input, 1}, program, kernel, arguments},
        TensorSpec(shape, movement::row_major_dtype(input.dtype()), Layout::ROW_MAJOR, nearest_config(params, scales)));
}

// --- bilinear --------------------------------------------------------------------------------------------------------

// Where an output lies between two pixels: the first of them, -1 before the image, and the share of the other.
struct Spot {
    int64_t first = 0;
    double share = 0;
};
inline Spot spot_of(int64_t output, double scale) {
    const double at = (static_cast<double>(output) + 0.5) / scale - 0.5;
    const double first = std::floor(at);
    return {static_cast<int64_t>(first), at - first};
}

// Images with one pixel of padding around them, whose whole rows are what a core gets.
struct Blend {
    int64_t batch = 1;
    int64_t height = 1;
    int64_t width = 1;
    Scales scales{};

    int64_t out_height() const { return height * static_cast<int64_t>(scales.height); }
    int64_t out_width() const { return width * static_cast<int64_t>(scales.width); }
    Window window() const {
        const auto axis = [](int64_t size) {
            return Axis{.size = size, .kernel = 3, .before = 1, .after = 1, .count = size};
        };
        return {batch, axis(height), axis(width)};
    }
    // The first pixel of row `y` of an image, -1 and `height` being padding.
    int64_t row_begin(int64_t image, int64_t y) const { return (image * (height + 2) + y + 1) * (width + 2); }
    std::vector<PixelRun> runs(uint32_t cores, int64_t share) const {
        const int64_t outputs = batch * out_height() * out_width();
        std::vector<PixelRun> list(cores);
        for (int64_t core = 0; core < cores; ++core) {
            const int64_t first_row = core * share / out_width();
            const int64_t last_row = (std::min((core + 1) * share, outputs) - 1) / out_width();
            if (core * share < outputs) {
                const Spot first = spot_of(first_row % out_height(), scales.height);
                const Spot last = spot_of(last_row % out_height(), scales.height);
                const int64_t begin = row_begin(first_row / out_height(), first.first);
                const int64_t end = row_begin(last_row / out_height(), last.first + 2);
                list[static_cast<size_t>(core)] = {begin, end - begin};
            }
        }
        return list;
    }
};

inline void blend_images(const Blend& blend, std::span<const PixelRun> runs, int64_t share, const Tensor& input,
                         Tensor& output) {
    const size_t channels = output.logical_shape().from_end(0);
    const Dense<float> pixels = read<float>(input);
    Dense<float> values(output.logical_volume());
    const int64_t core_pixels = longest(runs);
    const int64_t outputs = blend.batch * blend.out_height() * blend.out_width();
    for (int64_t at = 0; at < outputs; ++at) {
        if (at % blend.out_width() == 0) {
            checkpoint();
        }
        const int64_t row = at / blend.out_width();
        const Spot y = spot_of(row % blend.out_height(), blend.scales.height);
        const Spot x = spot_of(at % blend.out_width(), blend.scales.width);
        const int64_t core = at / share;
        const auto pixel = [&](int64_t dy, int64_t dx) {
            const int64_t source = std::clamp<int64_t>(y.first + dy, 0, blend.height - 1);
            const int64_t column = std::clamp<int64_t>(x.first + dx, 0, blend.width - 1) + 1;
            const int64_t number = blend.row_begin(row / blend.out_height(), source) + column;
            const int64_t place = core * core_pixels + number - runs[static_cast<size_t>(core)].first;
            return pixels.data() + static_cast<size_t>(place) * channels;
        };
        const compute::PixelShare shares[] = {{pixel(0, 0), (1 - y.share) * (1 - x.share)},
                                              {pixel(0, 1), (1 - y.share) * x.share},
                                              {pixel(1, 0), y.share * (1 - x.share)},
                                              {pixel(1, 1), y.share * x.share}};
        compute::blend_pixels(shares, 0.0, channels, values.data() + static_cast<size_t>(at) * channels);
    }
    write<float>(output, values.span());
}

// As many cores as there are pixels, or all.
inline MemoryConfig shards_for_blend(const Tensor& input) {
    const Shape& shape = input.logical_shape();
    const auto pixels = static_cast<uint32_t>(shape.volume() / shape[3]);
    const CoreCoord grid = input.device()->compute_grid();
    CoreLayout cores{.rows = std::min(grid.x * grid.y, pixels)};
    cores.grid = num_cores_to_corerangeset(cores.rows, grid, true);
    return input_shards(cores, pixels, shape[3], input.layout(), input.dtype());
}

inline void blend_program(Program& program, const Tensor& pixels, const Tensor& output) {
    const ShardSpec& out = *output.memory_config().shard_spec();
    const uint64_t row = round_up<uint64_t>(uint64_t{out.shape[1]} * sizeof(uint16_t), 32);
    movement::shard_buffer(program, pixels);
    for (int reader = 0; reader < 2; ++reader) {  // four pixels and their four shares, doubled
        program.circular_buffer(out.grid, 2 * 4 * row);
        program.circular_buffer(out.grid, 2 * round_up<uint64_t>(4 * sizeof(uint16_t), 32));
    }
    movement::shard_buffer(program, output);
}

inline Tensor upsample_bilinear(const Upsample::Params& params) {
    const Tensor& input = params.input_tensor;
    const Scales scales = scales_of(params);
    const Shape& own = input.logical_shape();
    const Blend blend{own[0], own[1], own[2], scales};
    const Tensor images = reshape(input, {1, 1, int64_t{own[0]} * own[1] * own[2], own[3]});
    const Tensor sharded = images.is_sharded() ? images : to_memory_config(images, shards_for_blend(images));
    const CoreLayout cores = layout_of(sharded.memory_config());
    const MemoryConfig config = upsampled_shards(sharded.memory_config(), scales);
    const int64_t share = config.shard_spec()->shape[0];
    const std::vector<PixelRun> runs = blend.runs(cores.rows, share);
    const Tensor pixels = halo(sharded, blend.window(), cores, runs, 0.0);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { blend_program(p, pixels, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        blend_images(blend, runs, share, inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(pixels).add(scales.height).add(scales.width).add(params.mode).add(config);
    };
    const Tensor result =
        launch({"ttnn::prim::upsample", {&pixels, 1}, program, kernel, arguments},
               TensorSpec(upsampled_shape(own, scales), DataType::BFLOAT16, Layout::ROW_MAJOR, config));
    const bool elsewhere = params.memory_config && says_all(*params.memory_config);
    return elsewhere ? to_memory_config(result, *params.memory_config) : result;
}

inline void check_bilinear(const Upsample::Params& params) {
    const Tensor& input = params.input_tensor;
    check_dtype(Upsample::name, "input_tensor", input, {DataType::BFLOAT16});
    require(!input.is_sharded() || movement::lies_in_nd_shards(input) ||
                input.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'input_tensor' must be HEIGHT_SHARDED or interleaved for mode \"bilinear\", got {}",
            Upsample::name, input.memory_config().memory_layout());
}

}  // namespace pool

inline void Upsample::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const bool sharded = input.is_sharded() && !movement::lies_in_nd_shards(input);
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape.volume() != 0,
            "{}: argument 'input_tensor' must be [N, H, W, C] with elements, got {}", name, shape);
    require(params.mode == "nearest" || params.mode == "bilinear",
            "{}: argument 'mode' must be \"nearest\" or \"bilinear\", got \"{}\"", name, params.mode);
    const pool::Scales scales = pool::scales_of(params);
    for (const double scale : {scales.height, scales.width}) {
        require(scale > 0 && scale <= 65536, "{}: argument 'scale_factor' must be positive, got {}", name, scale);
    }
    require(pool::upsampled_shape(shape, scales).volume() != 0, "{}: argument 'scale_factor' leaves nothing of {}",
            name, shape);
    const bool needs_whole = params.mode == "bilinear" || sharded;
    require(!needs_whole || scales.whole(), "{}: argument 'scale_factor' must be whole for {}, got {} and {}", name,
            sharded ? "a sharded input" : "mode \"bilinear\"", scales.height, scales.width);
    require(!sharded || input.memory_config().shard_spec(),
            "{}: argument 'input_tensor' must have a 2-D shard spec where it is sharded", name);
    check_at_launch([&] {
        require(input.layout() == Layout::ROW_MAJOR || input.padded_shape() == shape,
                "{}: argument 'input_tensor' in TILE must have no padding, got {} padded to {}", name, shape,
                input.padded_shape());
        require(!sharded || input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
                "{}: argument 'input_tensor' must be HEIGHT_SHARDED, BLOCK_SHARDED or interleaved, got WIDTH_SHARDED",
                name);
    });
    if (params.mode == "bilinear") {
        pool::check_bilinear(params);
    }
}

inline Tensor Upsample::run(const Params& params) {
    if (movement::lies_in_nd_shards(params.input_tensor)) {
        Params outside = params;
        outside.input_tensor = movement::out_of_nd_shards(params.input_tensor);
        outside.memory_config = outside.input_tensor.memory_config();
        return to_memory_config(run(outside), params.memory_config.value_or(params.input_tensor.memory_config()));
    }
    return params.mode == "bilinear" ? pool::upsample_bilinear(params) : pool::upsample_nearest(params);
}

inline void Upsample::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 4, 32, 32}), .scale_factor = 2.0});
    make.add(Params{.input_tensor = make.tensor({2, 5, 7, 48}), .scale_factor = std::vector<double>{3, 1}});
    make.add(Params{.input_tensor = make.tensor({1, 3, 32, 64}), .scale_factor = 2.0, .mode = "bilinear"});
    make.add(Params{.input_tensor = make.tensor({2, 5, 6, 40}),
                    .scale_factor = std::vector<double>{2, 3},
                    .mode = "bilinear",
                    .memory_config = MemoryConfig()});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({1, 5, 32, 32}), .scale_factor = 1.5});
        make.add(Params{.input_tensor = make.tensor({1, 9, 14, 20}),
                        .scale_factor = std::vector<double>{0.7, 2.3},
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
