// rotate: images turned about a point.
#pragma once

#include <cmath>
#include <numbers>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Rotate {
    static constexpr std::string_view name = "ttnn.rotate";
    static constexpr std::string_view doc = "Turns images that are stored channels last, counter-clockwise.";
    struct Params {
        Tensor input_tensor{};
        double angle = 0.0;
        std::optional<std::vector<double>> center{};
        double fill = 0.0;
        bool expand = false;
        std::string interpolation_mode = "nearest";
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("ROW_MAJOR [N, H, W, C], BFLOAT16 or FLOAT32"),
        arg<&Params::angle>("degrees"),
        kw<&Params::center>("(x, y) from the upper left corner; default: the middle of the image"),
        kw<&Params::fill>("what comes from outside of the image"),
        kw<&Params::expand>("must be False"),
        kw<&Params::interpolation_mode>("\"nearest\" or \"bilinear\""),
        kw<&Params::memory_config>("default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 4, .absolute = 1e-9};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(rotate, Rotate);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

// torchvision's way: coordinates relative to the middle of the image go through the inverse affine matrix; a mask of
// ones that is sampled like the image tells where the fill value shows.
inline std::vector<ttnn::reference::Array> ttnn::Rotate::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const int64_t height = input.shape[1];
    const int64_t width = input.shape[2];
    const double angle = params.angle / 180 * std::numbers::pi;
    const double matrix[2][2] = {{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
    const double shift_x = params.center ? params.center->at(0) - width / 2.0 : 0.0;
    const double shift_y = params.center ? params.center->at(1) - height / 2.0 : 0.0;
    // Noise of the trigonometric functions decides nothing: a millionth of a pixel is the finest there is.
    const auto quantised = [](double at) { return std::round(at * 1048576) / 1048576; };
    return {reference::generated(input.shape, [&](std::span<const uint32_t> index) {
        const double dx = index[2] + 0.5 - width / 2.0 - shift_x;
        const double dy = index[1] + 0.5 - height / 2.0 - shift_y;
        const double x = quantised(matrix[0][0] * dx + matrix[0][1] * dy + shift_x + width / 2.0 - 0.5);
        const double y = quantised(matrix[1][0] * dx + matrix[1][1] * dy + shift_y + height / 2.0 - 0.5);
        const bool nearest = params.interpolation_mode == "nearest";
        const double top = nearest ? std::nearbyint(y) : std::floor(y);
        const double left = nearest ? std::nearbyint(x) : std::floor(x);
        double sum = 0;
        double mask = 0;
        for (int corner = 0; corner < (nearest ? 1 : 4); ++corner) {
            const double row = top + corner / 2;
            const double column = left + corner % 2;
            if (row < 0 || row >= height || column < 0 || column >= width) {
                continue;
            }
            const double weight = nearest ? 1.0 : (1 - std::abs(y - row)) * (1 - std::abs(x - column));
            const uint32_t source[] = {index[0], static_cast<uint32_t>(row), static_cast<uint32_t>(column), index[3]};
            sum += weight * input.at(source);
            mask += weight;
        }
        return sum + (1 - mask) * params.fill;
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/pooling.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace pool {

// Where an output pixel comes from, in pixels.
struct Turn {
    double cosine = 1;
    double sine = 0;
    double center_x = 0;  // of the pixels' own coordinates, whose origin is the middle of the first pixel
    double center_y = 0;

    // To a 2^20th of a pixel: a quarter turn must hit the pixels, whatever the cosine of 90 degrees is.
    static double exact(double at) { return std::nearbyint(std::ldexp(at, 20)) / std::ldexp(1.0, 20); }
    double x(double column, double row) const {
        return exact(center_x + (column - center_x) * cosine - (row - center_y) * sine);
    }
    double y(double column, double row) const {
        return exact(center_y + (column - center_x) * sine + (row - center_y) * cosine);
    }
};

inline Turn turn_of(const Rotate::Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const double radians = params.angle * std::numbers::pi / 180.0;
    const double middle_x = params.center ? params.center->at(0) : shape[2] * 0.5;
    const double middle_y = params.center ? params.center->at(1) : shape[1] * 0.5;
    return {std::cos(radians), std::sin(radians), middle_x - 0.5, middle_y - 0.5};
}

inline void turn_images(const Rotate::Params& params, const Tensor& input, Tensor& output) {
    const Shape& shape = input.logical_shape();
    const int64_t height = shape[1];
    const int64_t width = shape[2];
    const size_t channels = shape[3];
    const bool nearest = params.interpolation_mode == "nearest";
    const Turn turn = turn_of(params);
    const Dense<float> pixels = read<float>(input);
    Dense<float> values(output.logical_volume());
    float* to = values.data();
    for (int64_t pixel = 0; pixel < shape[0] * height * width; ++pixel, to += channels) {
        const int64_t image = pixel / width / height;
        const auto row = static_cast<double>(pixel / width % height);
        const auto column = static_cast<double>(pixel % width);
        if (pixel % width == 0) {
            checkpoint();
        }
        const double x = turn.x(column, row);
        const double y = turn.y(column, row);
        const double left = nearest ? std::nearbyint(x) : std::floor(x);
        const double top = nearest ? std::nearbyint(y) : std::floor(y);
        const double right_share = x - left;
        const double lower_share = y - top;
        std::array<compute::PixelShare, 4> shares;
        size_t used = 0;
        double covered = 0;
        const auto take = [&](double at_y, double at_x, double weight) {
            if (at_y >= 0 && at_y < static_cast<double>(height) && at_x >= 0 && at_x < static_cast<double>(width)) {
                const int64_t source =
                    (image * height + static_cast<int64_t>(at_y)) * width + static_cast<int64_t>(at_x);
                shares.at(used++) = {pixels.data() + static_cast<size_t>(source) * channels, weight};
                covered += weight;
            }
        };
        if (nearest) {
            take(top, left, 1.0);
        } else {
            take(top, left, (1 - lower_share) * (1 - right_share));
            take(top, left + 1, (1 - lower_share) * right_share);
            take(top + 1, left, lower_share * (1 - right_share));
            take(top + 1, left + 1, lower_share * right_share);
        }
        compute::blend_pixels({shares.data(), used}, (1.0 - covered) * params.fill, channels, to);
    }
    write<float>(output, values.span());
}

}  // namespace pool

inline void Rotate::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape.volume() != 0,
            "{}: argument 'input_tensor' must be [N, H, W, C] with elements, got {}", name, shape);
    require(std::isfinite(params.angle), "{}: argument 'angle' must be finite, got {}", name, params.angle);
    require(!params.center || (params.center->size() == 2 && std::isfinite(params.center->at(0)) &&
                               std::isfinite(params.center->at(1))),
            "{}: argument 'center' must be (x, y)", name);
    require(!params.expand, "{}: argument 'expand' must be False: the result has the size of the input", name);
    require(params.interpolation_mode == "nearest" || params.interpolation_mode == "bilinear",
            "{}: argument 'interpolation_mode' must be \"nearest\" or \"bilinear\", got \"{}\"", name,
            params.interpolation_mode);
    check_at_launch([&] {
        check_layout(name, "input_tensor", input, Layout::ROW_MAJOR);
        check_dtype(name, "input_tensor", input, {DataType::BFLOAT16, DataType::FLOAT32});
    });
}

inline Tensor Rotate::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(input.spec().num_pages(), 1));
        const uint64_t row = round_up<uint64_t>(page_bytes(input), 32);
        movement::buffer_for(p, input, input);
        if (params.interpolation_mode == "bilinear") {  // four pixels and their weights
            p.circular_buffer(cores, movement::capped(p, input, 2 * 4 * row));
            p.circular_buffer(cores, 2 * Tile().bytes(DataType::BFLOAT16));
        }
        p.circular_buffer(cores, row);  // the fill value
        if (outputs[0].is_sharded() || params.interpolation_mode == "bilinear") {
            movement::buffer_for(p, outputs[0], outputs[0]);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        pool::turn_images(params, inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.angle).add(params.center).add(params.fill).add(params.expand);
        list.add(params.interpolation_mode).add(params.memory_config);
    };
    return launch({"ttnn::prim::rotate", {&input, 1}, program, kernel, arguments},
                  TensorSpec(input.logical_shape(), input.dtype(), Layout::ROW_MAJOR,
                             params.memory_config.value_or(input.memory_config())));
}

inline void Rotate::cases(CaseMaker& make) {
    for (const std::string_view mode : {"nearest", "bilinear"}) {
        make.add(Params{.input_tensor = make.tensor({2, 9, 12, 32}),
                        .angle = 30.0,
                        .fill = 0.5,
                        .interpolation_mode = std::string(mode)});
        make.add(Params{.input_tensor = make.tensor({1, 8, 7, 16}),
                        .angle = 90.0,
                        .interpolation_mode = std::string(mode),
                        .memory_config = MemoryConfig()});
        make.add(Params{.input_tensor = make.tensor({1, 10, 10, 40}),
                        .angle = -137.25,
                        .center = std::vector<double>{2.5, 7.0},
                        .fill = -1.0,
                        .interpolation_mode = std::string(mode)});
    }
}

}  // namespace ttnn

#endif
