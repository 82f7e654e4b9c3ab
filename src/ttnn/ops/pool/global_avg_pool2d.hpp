// global_avg_pool2d: the mean of each channel over a whole image.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct GlobalAvgPool2d {
    static constexpr std::string_view name = "ttnn.global_avg_pool2d";
    static constexpr std::string_view doc =
        "Mean of each channel over height and width of images that are stored channels last. In TILE, hidden padding "
        "of the width counts in what is divided by.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("[N, H, W, C], [H, W, C] or [H, W], floating"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::dtype>("no effect: the result has the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(global_avg_pool2d, GlobalAvgPool2d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::GlobalAvgPool2d::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const bool flat = input.shape.rank() == 2;  // one channel
    const uint32_t channels = flat ? 1 : input.shape.from_end(0);
    const uint32_t width = input.shape.from_end(flat ? 0 : 1);
    const uint32_t height = input.shape.from_end(flat ? 1 : 2);
    const uint32_t images = input.shape.from_end(3);
    const bool tiled = params.input_tensor.layout() == Layout::TILE;
    const double divisor = height * (tiled ? std::ceil(width / 32.0) * 32.0 : width);
    reference::Array output(Shape{images, 1, 1, channels});
    const size_t pixels = size_t{height} * width;
    for (size_t i = 0; i < input.values.size(); ++i) {
        const size_t image = i / (pixels * channels);
        output.values[image * channels + i % channels] += input.values[i];
    }
    return {reference::map(output, [&](double sum) { return sum / divisor; })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/reduction/reduction.hpp"

namespace ttnn {

namespace pool {

// The rows of each image one below the other, and which of them hold pixels: the first `width` of every `step`.
struct PixelRows {
    Tensor tensor;  // [N, 1, rows, C] in tiles
    size_t width = 1;
    size_t step = 1;
};

inline PixelRows pixel_rows(const Tensor& input) {
    const Shape& own = input.logical_shape();
    Shape shape = own.rank() == 2 ? Shape{1, own[0], own[1], 1} : own.to_rank(4);
    const Tensor images = own == shape ? input : reshape(input, movement::ints(shape));
    const uint32_t rows = shape[1] * shape[2];
    if (input.layout() == Layout::TILE && shape[2] % tile_size != 0) {
        const uint32_t width = images.padded_shape()[2];
        const Shape logical{shape[0], 1, shape[1] * width, shape[3]};
        const Shape padded{shape[0], 1, shape[1] * width, images.padded_shape()[3]};
        return {experimental::view(images, logical, padded), shape[2], width};
    }
    const Shape flat{shape[0], 1, rows, shape[3]};
    Tensor result = shape == flat ? images : reshape(images, movement::ints(flat));
    if (result.layout() == Layout::ROW_MAJOR) {
        result = tilize_with_val_padding(result, movement::ints(movement::tile_padded(flat)), Scalar(0.0));
    }
    return {result, 1, 1};
}

inline void sum_pixels(const PixelRows& rows, double factor, const Tensor& input, Tensor& output) {
    const Dense<float> values = read<float>(input);
    const Shape& shape = input.logical_shape();
    const size_t images = shape[0];
    const size_t count = shape[2];
    const size_t channels = shape[3];
    const size_t kept = count / rows.step * rows.width;
    Dense<float> pixels(rows.step == rows.width ? 0 : images * kept * channels);
    const float* from = values.data();
    if (pixels.size() != 0) {
        float* to = pixels.data();
        for (size_t row = 0; row < images * count; row += rows.step, to += rows.width * channels) {
            std::copy_n(values.data() + row * channels, rows.width * channels, to);
        }
        from = pixels.data();
    }
    Dense<float> result(output.logical_volume());
    compute::reduce_sum(from, {images, kept, channels}, factor, result.data());
    write<float>(output, result.span());
}

}  // namespace pool

inline void GlobalAvgPool2d::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const size_t rank = input.logical_shape().rank();
    require(rank >= 2 && rank <= 4 && input.logical_volume() != 0,
            "{}: argument 'input_tensor' must be [N, H, W, C], [H, W, C] or [H, W] with elements, got {}", name,
            input.logical_shape());
    check_at_launch([&] {
        check_dtype(name, "input_tensor", input,
                    {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    });
}

inline Tensor GlobalAvgPool2d::run(const Params& params) {
    const pool::PixelRows rows = pool::pixel_rows(params.input_tensor);
    const Tensor& input = rows.tensor;
    const Shape& shape = input.logical_shape();
    const double factor = 1.0 / shape[2];
    const reduction::Work work{ReduceKind::SUM, {2, 2}, factor};
    const Shape result{shape[0], 1, 1, shape[3]};
    return reduction::launch_reduce(input, work,
                                    reduction_rules::result_spec(input, input.dtype(), result, params.memory_config),
                                    [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
                                        pool::sum_pixels(rows, factor, inputs[0], outputs[0]);
                                    });
}

inline void GlobalAvgPool2d::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 49, 128}), .memory_config = MemoryConfig()});
    make.add(Params{.input_tensor = make.tensor({2, 5, 7, 40}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 3, 32, 64}), .dtype = DataType::FLOAT32});
    make.add(Params{.input_tensor = make.tensor({6, 9, 33})});
    make.add(Params{.input_tensor = make.tensor({12, 40})});
}

}  // namespace ttnn

#endif
