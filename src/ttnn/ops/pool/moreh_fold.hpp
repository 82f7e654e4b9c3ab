// moreh_fold: overlapping patches summed up to images.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct MorehFold {
    static constexpr std::string_view name = "ttnn.moreh_fold";
    static constexpr std::string_view doc =
        "torch's fold: column l of the input is the l-th patch of an image; where patches overlap they are summed up.";
    struct Params {
        Tensor input{};
        std::optional<Tensor> output{};
        std::vector<int64_t> output_size{};
        std::vector<int64_t> kernel_size{};
        std::vector<int64_t> dilation{1, 1};
        std::vector<int64_t> padding{0, 0};
        std::vector<int64_t> stride{1, 1};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("ROW_MAJOR [N, C * kernel height * kernel width, L], or without N"),
        opt<&Params::output>("[N, C, H, W], written into and returned").mutates(),
        opt<&Params::output_size>("[H, W]"),
        opt<&Params::kernel_size>("[height, width]"),
        opt<&Params::dilation>("[height, width]"),
        opt<&Params::padding>("[height, width]"),
        opt<&Params::stride>("[height, width]"),
        opt<&Params::memory_config>("default: the output's, else the input's")};
    // Sums of a few numbers that may cancel, rounded once.
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(moreh_fold, MorehFold);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

// Pixel by pixel: which elements of which patches lie there.
inline std::vector<ttnn::reference::Array> ttnn::MorehFold::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    const auto axis = [&](size_t i) {
        return (params.output_size[i] + 2 * params.padding[i] - params.dilation[i] * (params.kernel_size[i] - 1) - 1) /
                   params.stride[i] +
               1;
    };
    const int64_t down = axis(0);
    const int64_t across = axis(1);
    const bool batched = input.shape.rank() == 3;
    const int64_t area = params.kernel_size[0] * params.kernel_size[1];
    const int64_t rows = input.shape[-2];
    const auto height = static_cast<uint32_t>(params.output_size[0]);
    const auto width = static_cast<uint32_t>(params.output_size[1]);
    const auto channels = static_cast<uint32_t>(rows / area);
    const Shape shape = batched ? Shape{input.shape[0], channels, height, width} : Shape{channels, height, width};
    // The patch whose element `k` covers a pixel, or -1.
    const auto patch = [&](uint32_t pixel, int64_t k, size_t i, int64_t count) -> int64_t {
        const int64_t at = pixel + params.padding[i] - k * params.dilation[i];
        return at >= 0 && at % params.stride[i] == 0 && at / params.stride[i] < count ? at / params.stride[i] : -1;
    };
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        const size_t lead = batched ? 1 : 0;
        const uint32_t image = batched ? index[0] : 0;
        double sum = 0;
        for (int64_t k = 0; k < area; ++k) {
            const int64_t y = patch(index[lead + 1], k / params.kernel_size[1], 0, down);
            const int64_t x = patch(index[lead + 2], k % params.kernel_size[1], 1, across);
            if (y >= 0 && x >= 0) {
                const int64_t row = image * rows + index[lead] * area + k;
                sum += input.values[static_cast<size_t>(row * down * across + y * across + x)];
            }
        }
        return sum;
    })};
}

#else

#include <algorithm>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace pool {

// Patches of an image: how many there are along an axis, and where one of their elements lies.
struct PatchAxis {
    int64_t size = 1;
    int64_t kernel = 1;
    int64_t dilation = 1;
    int64_t padding = 0;
    int64_t stride = 1;

    int64_t count() const {
        const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
        return room < 0 ? 0 : room / stride + 1;
    }
    int64_t pixel(int64_t patch, int64_t element) const { return patch * stride + element * dilation - padding; }
};

inline PatchAxis patch_axis(const MorehFold::Params& params, size_t i) {
    return {params.output_size.at(i), params.kernel_size.at(i), params.dilation.at(i), params.padding.at(i),
            params.stride.at(i)};
}

inline Shape folded_shape(const MorehFold::Params& params) {
    const Shape& own = params.input.logical_shape();
    const auto channels = static_cast<uint32_t>(own[-2] / (params.kernel_size[0] * params.kernel_size[1]));
    const auto height = static_cast<uint32_t>(params.output_size[0]);
    const auto width = static_cast<uint32_t>(params.output_size[1]);
    return own.rank() == 3 ? Shape{own[0], channels, height, width} : Shape{channels, height, width};
}

inline void add_patches(const PatchAxis& h, const PatchAxis& w, const float* patches, std::span<double> image) {
    std::ranges::fill(image, 0.0);
    for (int64_t k = 0; k < h.kernel * w.kernel; ++k) {
        for (int64_t patch = 0; patch < h.count() * w.count(); ++patch, ++patches) {
            const int64_t y = h.pixel(patch / w.count(), k / w.kernel);
            const int64_t x = w.pixel(patch % w.count(), k % w.kernel);
            if (y >= 0 && y < h.size && x >= 0 && x < w.size) {
                image[static_cast<size_t>(y * w.size + x)] += *patches;
            }
        }
    }
}

inline void fold_patches(const PatchAxis& h, const PatchAxis& w, const Tensor& input, Tensor& output) {
    const Dense<float> patches = read<float>(input);
    Dense<float> images(output.logical_volume());
    std::vector<double> image(static_cast<size_t>(h.size * w.size));
    const auto elements = static_cast<size_t>(h.kernel * w.kernel * h.count() * w.count());
    for (size_t i = 0; i * image.size() < images.size(); ++i) {
        checkpoint();
        add_patches(h, w, patches.data() + i * elements, image);
        std::ranges::transform(image, images.data() + i * image.size(),
                               [](double sum) { return static_cast<float>(sum); });
    }
    write<float>(output, images.span());
}

}  // namespace pool

inline void MorehFold::validate(const Params& params) {
    const Shape& own = params.input.logical_shape();
    require(own.rank() == 2 || own.rank() == 3, "{}: argument 'input' must have 2 or 3 dimensions, got {}", name, own);
    const auto check_pair = [](std::string_view argument, const std::vector<int64_t>& pair, int64_t least) {
        require(pair.size() == 2 && std::ranges::all_of(pair, [&](int64_t i) { return i >= least && i <= INT32_MAX; }),
                "{}: argument '{}' must be two numbers from {} on", name, argument, least);
    };
    check_pair("output_size", params.output_size, 1);
    check_pair("kernel_size", params.kernel_size, 1);
    check_pair("dilation", params.dilation, 1);
    check_pair("padding", params.padding, 0);
    check_pair("stride", params.stride, 1);
    const int64_t area = params.kernel_size[0] * params.kernel_size[1];
    require(own.volume() != 0 && own[-2] % area == 0,
            "{}: argument 'input': its {} rows must be a multiple of the {} elements of a patch", name, own[-2], area);
    const int64_t patches = pool::patch_axis(params, 0).count() * pool::patch_axis(params, 1).count();
    require(own[-1] == patches, "{}: argument 'input' must have a column for each of the {} patches, got {}", name,
            patches, own[-1]);
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::ROW_MAJOR);
        check_dtype(name, "input", params.input, {DataType::BFLOAT16, DataType::FLOAT32});
    });
    if (params.output) {
        check_preallocated(name, "output", *params.output, pool::folded_shape(params));
        check_dtype(name, "output", *params.output, {params.input.dtype()});
        check_layout(name, "output", *params.output, Layout::ROW_MAJOR);
    }
}

inline Tensor MorehFold::run(const Params& params) {
    const Tensor& input = params.input;
    const pool::PatchAxis h = pool::patch_axis(params, 0);
    const pool::PatchAxis w = pool::patch_axis(params, 1);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, outputs[0]);
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        pool::fold_patches(h, w, inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.output).add(params.output_size).add(params.kernel_size).add(params.dilation);
        list.add(params.padding).add(params.stride).add(params.memory_config);
    };
    const Shape shape = pool::folded_shape(params);
    const MemoryConfig& config = output_memory_config(params.memory_config, params.output, input);
    const bool derived = !params.memory_config && !params.output;
    return launch({"ttnn::prim::moreh_fold", {&input, 1}, program, kernel, arguments},
                  TensorSpec(shape, input.dtype(), Layout::ROW_MAJOR,
                             derived ? movement::fitted(config, shape, input.dtype(), Layout::ROW_MAJOR) : config),
                  params.output);
}

inline void MorehFold::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({2, 3 * 4, 12}), .output_size = {4, 5}, .kernel_size = {2, 2}});
    make.add(Params{.input = make.tensor({1, 2 * 6, 12}),
                    .output_size = {9, 7},
                    .kernel_size = {3, 2},
                    .dilation = {2, 1},
                    .padding = {1, 0},
                    .stride = {2, 2},
                    .memory_config = MemoryConfig()});
    make.add(Params{.input = make.tensor({16, 16}), .output_size = {8, 8}, .kernel_size = {2, 2}, .stride = {2, 2}});
    make.add(Params{.input = make.tensor({1, 4, 9}),
                    .output = make.interleaved({1, 1, 4, 4}, make.dtype(), Layout::ROW_MAJOR),
                    .output_size = {4, 4},
                    .kernel_size = {2, 2}});
}

}  // namespace ttnn

#endif
