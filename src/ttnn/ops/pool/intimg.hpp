// experimental.intimg: the integral of an image.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct IntegralImage {
    static constexpr std::string_view name = "ttnn.experimental.intimg";
    static constexpr std::string_view doc =
        "Sum of all pixels up to each pixel, along both axes: [1, W, H, C] is summed up over dimensions 1 and 2.";
    struct Params {
        Tensor input_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("TILE [1, W, H, C], BFLOAT16")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    // Positive: sums of numbers that cancel have no relative accuracy.
    static Domain domain(const Params&, std::string_view) { return Domain::real(0.25, 1.0); }
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<IntegralImage> intimg{};
}
TTNN_DECLARATION(IntegralImage);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::IntegralImage::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    return {reference::generated(input.shape, [&](std::span<const uint32_t> index) {
        double sum = 0;
        for (uint32_t x = 0; x <= index[1]; ++x) {
            for (uint32_t y = 0; y <= index[2]; ++y) {
                const uint32_t source[] = {index[0], x, y, index[3]};
                sum += input.at(source);
            }
        }
        return sum;
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace pool {

// Each sum is that of its own row so far and the sum one row before.
inline void integrate(const Tensor& input, Tensor& output) {
    const Shape& shape = input.logical_shape();
    const size_t channels = shape[3];
    const size_t line = shape[2] * channels;
    const Dense<float> pixels = read<float>(input);
    Dense<float> result(pixels.size());
    std::vector<double> before(line, 0.0);
    std::vector<double> row(channels);
    for (size_t first = 0; first < pixels.size(); first += line) {
        checkpoint();
        std::ranges::fill(row, 0.0);
        for (size_t i = 0; i < line; ++i) {
            row[i % channels] += pixels[first + i];
            before[i] += row[i % channels];
            result[first + i] = static_cast<float>(before[i]);
        }
    }
    write<float>(output, result.span());
}

}  // namespace pool

inline void IntegralImage::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1 && shape.volume() != 0,
            "{}: argument 'input_tensor' must be [1, W, H, C] with elements, got {}", name, shape);
    check_at_launch([&] {
        check_layout(name, "input_tensor", input, Layout::TILE);
        check_dtype(name, "input_tensor", input, {DataType::BFLOAT16});
    });
}

inline Tensor IntegralImage::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    // A tile that comes, one that goes, and the sums of the row and of the rows before.
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_columns(input), 1));
        for (int sums = 0; sums < 2; ++sums) {
            p.circular_buffer(cores, page_bytes(input));
        }
        movement::buffer_for(p, outputs[0], input);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        pool::integrate(inputs[0], outputs[0]);
    };
    return launch({"ttnn::prim::intimg", {&input, 1}, program, kernel}, input.spec());
}

inline void IntegralImage::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 5, 32, 32})});
    make.add(Params{.input_tensor = make.tensor({1, 3, 9, 40})});
}

}  // namespace ttnn

#endif
