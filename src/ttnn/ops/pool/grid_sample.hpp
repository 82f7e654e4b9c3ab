// grid_sample: images read at the points of a grid.
#pragma once

#include <bit>
#include <cmath>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct GridSample {
    static constexpr std::string_view name = "ttnn.grid_sample";
    static constexpr std::string_view doc =
        "Reads images that are stored channels last at the points of a grid; outside of the image there are zeros.";
    struct Params {
        Tensor input_tensor{};
        Tensor grid{};
        std::string mode = "bilinear";
        std::string padding_mode = "zeros";
        bool align_corners = false;
        bool use_precomputed_grid = false;
        bool batch_output_channels = false;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("ROW_MAJOR [N, H, W, C], BFLOAT16 or FLOAT32"),
        arg<&Params::grid>("ROW_MAJOR [N, Hg, Wg, 2 K]: K points (x, y) from -1 to 1; 6 K numbers if precomputed"),
        kw<&Params::mode>("\"bilinear\" or \"nearest\""),
        kw<&Params::padding_mode>("\"zeros\""),
        kw<&Params::align_corners>("-1 and 1 are the centres of the corner pixels"),
        kw<&Params::use_precomputed_grid>("the grid comes from prepare_grid_sample_grid"),
        kw<&Params::batch_output_channels>("give [N, Hg, Wg, K C] instead of [N, Hg, Wg K, C]"),
        kw<&Params::memory_config>("default: the cores of a sharded grid, else the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1, .absolute = 1e-9};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(grid_sample, GridSample);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/grid_points.hpp"
#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> GridSample::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const reference::Array grid = reference::values(params.grid);
    const int64_t height = input.shape[1];
    const int64_t width = input.shape[2];
    const uint32_t channels = input.shape[3];
    const size_t numbers = params.use_precomputed_grid ? 6 : 2;
    const auto points = static_cast<uint32_t>(grid.shape[3] / numbers);
    const auto pixel = [&](uint32_t image, int64_t y, int64_t x, uint32_t channel) {
        if (y < 0 || y >= height || x < 0 || x >= width) {
            return 0.0;
        }
        const uint32_t at[] = {image, static_cast<uint32_t>(y), static_cast<uint32_t>(x), channel};
        return input.at(at);
    };
    const Shape shape = params.batch_output_channels
                            ? Shape{grid.shape[0], grid.shape[1], grid.shape[2], points * channels}
                            : Shape{grid.shape[0], grid.shape[1], grid.shape[2] * points, channels};
    size_t at = 0;
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        const size_t element = at++;
        const auto channel = static_cast<uint32_t>(element % channels);
        const auto number = [&](size_t i) { return grid.values[element / channels * numbers + i]; };
        if (params.use_precomputed_grid) {
            const int64_t y = reference::bits_of_number(number(0));
            const int64_t x = reference::bits_of_number(number(1));
            return number(2) * pixel(index[0], y, x, channel) + number(3) * pixel(index[0], y, x + 1, channel) +
                   number(4) * pixel(index[0], y + 1, x, channel) + number(5) * pixel(index[0], y + 1, x + 1, channel);
        }
        const double x = reference::pixel_coordinate(number(0), static_cast<double>(width), params.align_corners);
        const double y = reference::pixel_coordinate(number(1), static_cast<double>(height), params.align_corners);
        if (params.mode == "nearest") {
            return pixel(index[0], std::llrint(y), std::llrint(x), channel);
        }
        double sum = 0;
        for (const double row : {std::floor(y), std::floor(y) + 1}) {
            for (const double column : {std::floor(x), std::floor(x) + 1}) {
                const double weight = (1 - std::abs(y - row)) * (1 - std::abs(x - column));
                sum += weight * pixel(index[0], static_cast<int64_t>(row), static_cast<int64_t>(column), channel);
            }
        }
        return sum;
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/pooling.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/pool/grid_rules.hpp"

namespace ttnn {

namespace pool {

inline uint32_t numbers_per_point(const GridSample::Params& params) { return params.use_precomputed_grid ? 6 : 2; }

inline Shape sampled_shape(const GridSample::Params& params) {
    const Shape& grid = params.grid.logical_shape();
    const uint32_t channels = params.input_tensor.logical_shape()[3];
    const uint32_t points = grid[3] / numbers_per_point(params);
    return params.batch_output_channels ? Shape{grid[0], grid[1], grid[2], points * channels}
                                        : Shape{grid[0], grid[1], grid[2] * points, channels};
}

inline MemoryConfig sampled_config(const GridSample::Params& params) {
    if (params.memory_config) {
        return *params.memory_config;
    }
    const MemoryConfig& grid = params.grid.memory_config();
    if (!grid.is_sharded() || !grid.shard_spec()) {
        return params.input_tensor.memory_config();
    }
    const Shape shape = sampled_shape(params);
    ShardSpec spec = *grid.shard_spec();
    const auto unit = static_cast<uint32_t>(16 / element_size(params.input_tensor.dtype()));
    spec.shape[0] *= shape[2] / params.grid.logical_shape()[2];
    spec.shape[1] = round_up(shape[3], unit);
    return grid.with_shard_spec(spec);
}

// The numbers of a precomputed grid: two integers in the bits of BFLOAT16 numbers, then the weights.
inline Corner prepared_corner(const double* numbers) {
    const auto integer = [](double number) {
        return static_cast<int64_t>(static_cast<int16_t>(std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16));
    };
    return {integer(numbers[0]), integer(numbers[1]), {numbers[2], numbers[3], numbers[4], numbers[5]}};
}

inline void sample(const GridSample::Params& params, const Tensor& input, const Tensor& grid, Tensor& output) {
    const Shape& images = input.logical_shape();
    const size_t channels = images[3];
    const GridRules rules = rules_of(params.mode, params.align_corners, images[1], images[2]);
    const Dense<float> pixels = read<float>(input);
    const Dense<double> numbers = read<double>(grid);
    const uint32_t step = numbers_per_point(params);
    const size_t points = numbers.size() / step;
    const size_t per_image = points / images[0];
    Dense<float> values(output.logical_volume());
    for (size_t point = 0; point < points; ++point) {
        checkpoint();
        const double* at = numbers.data() + point * step;
        const Corner corner = params.use_precomputed_grid ? prepared_corner(at) : rules.corner(at[0], at[1]);
        std::array<compute::PixelShare, 4> shares;
        size_t used = 0;
        for (int64_t i = 0; i < 4; ++i) {
            const int64_t y = corner.y + i / 2;
            const int64_t x = corner.x + i % 2;
            if (rules.inside(y, x)) {
                const auto image = static_cast<int64_t>(point / per_image);
                const int64_t pixel = (image * rules.height + y) * rules.width + x;
                shares.at(used++) = {pixels.data() + static_cast<size_t>(pixel) * channels,
                                     corner.weights.at(static_cast<size_t>(i))};
            }
        }
        compute::blend_pixels({shares.data(), used}, 0.0, channels, values.data() + point * channels);
    }
    write<float>(output, values.span());
}

inline void sample_program(Program& program, const Tensor& input, const Tensor& grid, const Tensor& output) {
    const uint64_t row = round_up<uint64_t>(page_bytes(input), 32);
    const bool sharded = grid.is_sharded() && grid.memory_config().shard_spec() && grid.memory_config().is_l1();
    const CoreRangeSet cores = sharded ? grid.memory_config().shard_spec()->grid
                                       : program.split(std::max<uint64_t>(grid.spec().num_pages(), 1));
    movement::buffer_for(program, grid, grid, 1);
    program.circular_buffer(cores, 2 * 4 * row);                           // four pixels
    program.circular_buffer(cores, 2 * Tile().bytes(DataType::BFLOAT16));  // their weights
    if (output.is_sharded() && output.memory_config().shard_spec()) {
        movement::shard_buffer(program, output);
    } else {
        program.circular_buffer(cores, 2 * round_up<uint64_t>(page_bytes(output), 32));
    }
}

}  // namespace pool

inline void GridSample::validate(const Params& params) {
    const Shape& images = params.input_tensor.logical_shape();
    const Shape& grid = params.grid.logical_shape();
    const uint32_t step = pool::numbers_per_point(params);
    pool::check_modes(name, params.mode, params.padding_mode);
    require(images.rank() == 4 && images.volume() != 0,
            "{}: argument 'input_tensor' must be [N, H, W, C] with elements, got {}", name, images);
    require(grid.rank() == 4 && grid.volume() != 0 && grid[0] == images[0] && grid[3] % step == 0,
            "{}: argument 'grid' must be [{}, Hg, Wg, {} * K], got {}", name, images[0], step, grid);
    check_at_launch([&] {
        check_layout(name, "input_tensor", params.input_tensor, Layout::ROW_MAJOR);
        check_layout(name, "grid", params.grid, Layout::ROW_MAJOR);
        check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16, DataType::FLOAT32});
        if (params.use_precomputed_grid) {
            check_dtype(name, "grid", params.grid, {DataType::BFLOAT16});
        } else {
            check_dtype(name, "grid", params.grid, {DataType::BFLOAT16, DataType::FLOAT32});
        }
        check_interleaved(name, "input_tensor", params.input_tensor);
    });
    require(!params.grid.is_sharded() ||
                (params.grid.memory_config().shard_spec() &&
                 params.grid.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED),
            "{}: argument 'grid' must be interleaved or HEIGHT_SHARDED, got {}", name,
            params.grid.memory_config().memory_layout());
}

inline Tensor GridSample::run(const Params& params) {
    const Tensor tensors[] = {params.input_tensor, params.grid};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        pool::sample_program(p, params.input_tensor, params.grid, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        pool::sample(params, inputs[0], inputs[1], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input_tensor).add(params.grid).add(params.mode).add(params.padding_mode);
        list.add(params.align_corners).add(params.use_precomputed_grid).add(params.batch_output_channels);
        list.add(params.memory_config);
    };
    return launch({"ttnn::prim::grid_sample", tensors, program, kernel, arguments},
                  TensorSpec(pool::sampled_shape(params), params.input_tensor.dtype(), Layout::ROW_MAJOR,
                             pool::sampled_config(params)));
}

inline Domain GridSample::domain(const Params&, std::string_view field) {
    return field == "grid" ? Domain::real(-1.25, 1.25) : Domain::real(-1.0, 1.0);
}

inline void GridSample::cases(CaseMaker& make) {
    const auto image = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    for (const bool align : {false, true}) {
        make.add(
            Params{.input_tensor = image({2, 7, 9, 32}), .grid = make.tensor({2, 4, 5, 2}), .align_corners = align});
        make.add(Params{.input_tensor = image({1, 8, 8, 48}),
                        .grid = make.tensor({1, 6, 7, 2}),
                        .mode = "nearest",
                        .align_corners = align});
    }
    make.add(Params{.input_tensor = image({1, 5, 6, 40}),
                    .grid = make.tensor({1, 3, 8, 8}, DataType::FLOAT32),
                    .memory_config = l1_memory_config()});
    make.add(
        Params{.input_tensor = image({1, 5, 6, 40}), .grid = make.tensor({1, 3, 8, 8}), .batch_output_channels = true});
}

}  // namespace ttnn

#endif
