#include "ttnn/ops/conv/conv_primitives.hpp"

#include <algorithm>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/step.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/conv/conv_buffers.hpp"

namespace ttnn::conv_program {

using conv_rules::Arguments;
using conv_rules::BorderedImage;
using conv_rules::Halo;
using conv_rules::ShardPlan;
using conv_rules::Window;

compute::Convolution convolution_of(const Window& window) {
    return {.positions = window.out_positions(),
            .taps = window.taps(),
            .in_channels = window.in_channels,
            .out_channels = window.out_channels,
            .groups = window.groups};
}

namespace {

void convolve(const Arguments& args, StickNumber number, std::span<const Tensor> inputs, Tensor& output) {
    const compute::Convolution c = convolution_of(args.window);
    const Dense<float> sticks = read<float>(inputs[0]);
    const size_t width = inputs[0].logical_shape().from_end(0);
    const std::vector<float> weights =
        compute::read_weight_matrix(c, inputs[1], {.channels = conv_rules::matrix_channels(inputs[1], args.window)});
    const Dense<float> bias = inputs[2] ? read<float>(inputs[2]) : Dense<float>();
    const auto activation = conv_rules::activation_of(args.config);
    const auto stick = [&](size_t position, size_t tap) -> const float* {
        const int64_t at = number(position, tap);
        return at < 0 ? nullptr : sticks.data() + static_cast<size_t>(at) * width;
    };
    Dense<float> result(c.positions * c.out_channels);
    const size_t step = std::max<size_t>((size_t{1} << 20) / c.out_channels, 64);
    compute::for_parts(c, [&](size_t begin, size_t end) {
        for (size_t first = begin; first < end; first += step) {
            const size_t count = std::min(step, end - first);
            float* to = result.data() + first * c.out_channels;
            compute::convolve(c, first, count, stick, weights.data(), to);
            if (inputs[2]) {
                compute::add_row(to, bias.data(), count, c.out_channels);
            }
            if (activation) {
                compute::apply_unary(*activation, output.dtype(), to, count * c.out_channels);
            }
        }
    });
    write<float>(output, result.span());
}

void fill_halo(const BorderedImage& image, const Halo& halo, const Tensor& input, Tensor& output) {
    const Dense<float> sticks = read<float>(input);
    const size_t channels = input.logical_shape().from_end(0);
    const size_t width = output.logical_shape().from_end(0);
    const size_t room = size_t{halo.sticks} * width;  // of a core
    Dense<float> result(output.logical_volume());
    parallel(halo.first.size(), parallel_numbers / std::max<size_t>(room, 1) + 1, [&](size_t begin, size_t end) {
        for (size_t core = begin; core < end; ++core) {
            checkpoint();
            float* own = result.data() + core * room;
            std::fill_n(own, room, 0.0F);
            image.for_each_run(halo.first[core], halo.sticks, [&](uint64_t stick, uint64_t source, uint64_t length) {
                const float* from = sticks.data() + source * channels;
                float* to = own + stick * width;
                if (channels == width) {
                    std::copy_n(from, length * channels, to);
                    return;
                }
                for (uint64_t i = 0; i < length; ++i) {
                    std::copy_n(from + i * channels, channels, to + i * width);
                }
            });
        }
    });
    write<float>(output, result.span());
}

}  // namespace

Tensor run_convolution(const Arguments& args, const Tensor& input, const Prepared& prepared, const TensorSpec& spec,
                       StickNumber number) {
    const Tensor tensors[] = {input, prepared.weight, prepared.bias.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        declare_convolution(p, args, input, prepared.weight, prepared.bias, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        convolve(args, number, inputs, outputs[0]);
    };
    const Window& window = args.window;
    const std::array<uint32_t, 2> taps{window.height.taps, window.width.taps};
    const std::array<uint32_t, 2> stride{window.height.stride, window.width.stride};
    const std::array<uint32_t, 2> dilation{window.height.dilation, window.width.dilation};
    const Padding2d padding =
        std::array{window.height.before, window.height.after, window.width.before, window.width.after};
    const int64_t out_channels = window.out_channels;
    const int64_t groups = window.groups;
    const auto activation = conv_rules::activation_of(args.config);
    const DataType dtype = spec.dtype();
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(prepared.weight).add(prepared.bias).add(taps).add(stride).add(padding).add(dilation);
        list.add(out_channels).add(groups).add(activation).add(spec.memory_config()).add(dtype);
        list.add(args.compute_config);
    };
    return launch({"ttnn::prim::conv2d", tensors, program, kernel, arguments}, spec);
}

Tensor run_halo(const ShardPlan& plan, const BorderedImage& image, const Halo& halo, const Tensor& input) {
    const uint32_t width = plan.input_memory.shard_spec()->shape[1];
    const auto cores = static_cast<uint32_t>(halo.first.size());
    ShardSpec shards = *plan.input_memory.shard_spec();
    shards.shape = {halo.sticks, width};
    const DataType dtype = is_block_float(input.dtype()) ? DataType::BFLOAT16 : input.dtype();
    const TensorSpec spec(Shape{1, 1, halo.sticks * cores, width * plan.input.columns}, dtype, Layout::ROW_MAJOR,
                          plan.input_memory.with_shard_spec(shards));
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare_halo(p, input, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        fill_halo(image, halo, inputs[0], outputs[0]);
    };
    Tensor result;
    const auto body = [&]() -> std::span<const Tensor> {
        result = launch({"ttnn::prim::halo", {&input, 1}, program, kernel}, spec);
        return {&result, 1};
    };
    run_step({.name = "ttnn::halo", .tensors = {&input, 1}, .inputs = 1}, body);
    return result;
}

}  // namespace ttnn::conv_program
