// prepare_grid_sample_grid: a grid for grid_sample, worked out beforehand.
#pragma once

#include <bit>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct PrepareGridSampleGrid {
    static constexpr std::string_view name = "ttnn.prepare_grid_sample_grid";
    static constexpr std::string_view doc =
        "Works a grid on the host out for grid_sample: per point the row and column of the upper left pixel inside of "
        "the "
        "image, as the bits of 16-bit integers, and the weights of it and of the three pixels right and below.";
    struct Params {
        Tensor grid{};
        std::vector<int64_t> input_shape{};
        std::string mode = "bilinear";
        std::string padding_mode = "zeros";
        bool align_corners = false;
        std::optional<DataType> output_dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::grid>("[N, Hg, Wg, 2] on the host, FLOAT32 or BFLOAT16"),
                                      arg<&Params::input_shape>("[N, H, W, C] of the images"),
                                      kw<&Params::mode>("\"bilinear\" or \"nearest\""),
                                      kw<&Params::padding_mode>("\"zeros\""),
                                      kw<&Params::align_corners>("-1 and 1 are the centres of the corner pixels"),
                                      kw<&Params::output_dtype>("BFLOAT16")};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params&, std::string_view) { return Domain::real(-1.25, 1.25); }
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(prepare_grid_sample_grid, PrepareGridSampleGrid);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"
#include "ttnn/reference/grid_points.hpp"

namespace ttnn {

inline std::vector<reference::Array> PrepareGridSampleGrid::reference(const Params& params) {
    const reference::Array grid = reference::values(params.grid);
    const auto height = static_cast<double>(params.input_shape[1]);
    const auto width = static_cast<double>(params.input_shape[2]);
    reference::Array output(Shape{grid.shape[0], grid.shape[1], grid.shape[2], 6});
    const auto near = [](double at, double pixel, double size) {
        return pixel < size ? std::max(1 - std::abs(at - pixel), 0.0) : 0.0;
    };
    for (size_t point = 0; point < grid.values.size() / 2; ++point) {
        double x = reference::pixel_coordinate(grid.values[2 * point], width, params.align_corners);
        double y = reference::pixel_coordinate(grid.values[2 * point + 1], height, params.align_corners);
        if (params.mode == "nearest") {
            x = std::nearbyint(x);
            y = std::nearbyint(y);
        }
        double* to = output.values.data() + point * 6;
        const double row = std::clamp(std::floor(y), 0.0, height - 1);
        const double column = std::clamp(std::floor(x), 0.0, width - 1);
        to[0] = reference::number_of_bits(static_cast<int64_t>(row));
        to[1] = reference::number_of_bits(static_cast<int64_t>(column));
        to[2] = near(y, row, height) * near(x, column, width);
        to[3] = near(y, row, height) * near(x, column + 1, width);
        to[4] = near(y, row + 1, height) * near(x, column, width);
        to[5] = near(y, row + 1, height) * near(x, column + 1, width);
    }
    return {output};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/pool/grid_rules.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace pool {

inline void prepare_grid(const PrepareGridSampleGrid::Params& params, const Tensor& grid, Tensor& output) {
    const GridRules rules = rules_of(params.mode, params.align_corners, params.input_shape[1], params.input_shape[2]);
    const Dense<double> points = read<double>(grid);
    Dense<float> numbers(output.logical_volume());
    const auto integer = [](int64_t number) {
        const auto bits = static_cast<uint32_t>(static_cast<uint16_t>(static_cast<int16_t>(number)));
        return std::bit_cast<float>(bits << 16U);
    };
    for (size_t point = 0; point < points.size() / 2; ++point) {
        const Corner corner = rules.corner_inside(points[2 * point], points[2 * point + 1]);
        float* to = numbers.data() + point * 6;
        to[0] = integer(corner.y);
        to[1] = integer(corner.x);
        std::ranges::transform(corner.weights, to + 2, [](double weight) { return static_cast<float>(weight); });
    }
    write<float>(output, numbers.span());
}

}  // namespace pool

inline void PrepareGridSampleGrid::validate(const Params& params) {
    const Shape& grid = params.grid.logical_shape();
    pool::check_modes(name, params.mode, params.padding_mode);
    require(!params.grid.is_on_device(), "{}: argument 'grid' must be on the host", name);
    check_dtype(name, "grid", params.grid, {DataType::FLOAT32, DataType::BFLOAT16});
    check_layout(name, "grid", params.grid, Layout::ROW_MAJOR);
    require(grid.rank() == 4 && grid[3] == 2, "{}: argument 'grid' must be [N, Hg, Wg, 2], got {}", name, grid);
    require(params.input_shape.size() == 4, "{}: argument 'input_shape' must be [N, H, W, C], got {} numbers", name,
            params.input_shape.size());
    for (const size_t i : {1, 2}) {
        require(params.input_shape[i] > 0 && params.input_shape[i] < INT16_MAX,
                "{}: argument 'input_shape': height and width must be from 1 to {}, got {}", name, INT16_MAX - 1,
                params.input_shape[i]);
    }
    require(params.output_dtype.value_or(DataType::BFLOAT16) == DataType::BFLOAT16,
            "{}: argument 'output_dtype' must be BFLOAT16, got {}", name,
            params.output_dtype.value_or(DataType::BFLOAT16));
}

inline Tensor PrepareGridSampleGrid::run(const Params& params) {
    const Shape& grid = params.grid.logical_shape();
    const TensorSpec spec({grid[0], grid[1], grid[2], 6}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    return map_parts(params.grid, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(spec);
        pool::prepare_grid(params, part, output);
        return output;
    });
}

inline void PrepareGridSampleGrid::cases(CaseMaker& make) {
    make.only_if(make.memory() == MemoryKind::DRAM);
    for (const std::string_view mode : {"bilinear", "nearest"}) {
        for (const bool align : {false, true}) {
            make.add(Params{.grid = make.on_host({2, 3, 5, 2}, make.dtype(), make.layout()),
                            .input_shape = {2, 17, 300, 8},
                            .mode = std::string(mode),
                            .align_corners = align});
        }
    }
}

}  // namespace ttnn

#endif
