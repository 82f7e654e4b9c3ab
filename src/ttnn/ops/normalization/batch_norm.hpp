// batch_norm: every channel of [N, C, H, W] normalised with its running or its own statistics.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct BatchNorm {
    static constexpr std::string_view name = "ttnn.batch_norm";
    static constexpr std::string_view doc = "(x - mean) / sqrt(var + eps) * weight + bias for each channel.";
    struct Params {
        Tensor input{};
        std::optional<Tensor> running_mean{};
        std::optional<Tensor> running_var{};
        bool training = false;
        double eps = 1e-5;
        double momentum = 0.1;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<Tensor> output{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("interleaved tile tensor [N, C, H, W]: FLOAT32 or BFLOAT16"),
        kw<&Params::running_mean>("[1, C, 1, 1]; training moves it towards the batch's").mutates(),
        kw<&Params::running_var>("[1, C, 1, 1]; training moves it towards the batch's").mutates(),
        kw<&Params::training>("use the statistics of the batch instead of the running ones"),
        kw<&Params::eps>("added to the variance"),
        kw<&Params::momentum>("how far training moves the running statistics"),
        kw<&Params::weight>("[1, C, 1, 1] factors"),
        kw<&Params::bias>("[1, C, 1, 1] addends"),
        kw<&Params::output>("preallocated output").mutates(),
        kw<&Params::memory_config>("interleaved, default: of the input"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    // Computed in fp64; the statistics of a batch are stored before they are used.
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view field) {
        return field == "running_var" ? Domain::real(0.5, 2.0) : Domain::real(-1.0, 1.0);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(batch_norm, BatchNorm);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"
#include "ttnn/reference/reduce.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {
namespace batch_norm_rules {

// Over the planes, then over the batch, each stored.
inline reference::Array mean_of_channels(const reference::Array& input, DataType dtype) {
    const auto planes = reference::rounded(reference::reduce_at_once(input, {0, 0, 1, 1}, reference::mean_of), dtype);
    return reference::rounded(reference::reduce_at_once(planes, {1, 0, 0, 0}, reference::mean_of), dtype);
}

struct BatchStatistics {
    reference::Array mean;
    reference::Array variance;
};

// E[x^2] - E[x]^2 in tensors of the input's dtype.
inline BatchStatistics batch_statistics(const Tensor& input) {
    const DataType dtype = input.dtype();
    const auto square = [](double x) { return x * x; };
    const reference::Array values = reference::values(input);
    BatchStatistics result{mean_of_channels(values, dtype), {}};
    const auto squares = mean_of_channels(reference::rounded(reference::map(values, square), dtype), dtype);
    const auto squared = reference::rounded(reference::map(result.mean, square), dtype);
    result.variance =
        reference::rounded(reference::zip(squares, squared, [](double a, double b) { return a - b; }), dtype);
    return result;
}

}  // namespace batch_norm_rules

inline std::vector<reference::Array> BatchNorm::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    if (input.values.empty()) {
        return {input};
    }
    const auto statistics = params.training ? batch_norm_rules::batch_statistics(params.input)
                                            : batch_norm_rules::BatchStatistics{reference::values(*params.running_mean),
                                                                                reference::values(*params.running_var)};
    const auto of_channel = [](const std::optional<Tensor>& tensor, double otherwise) {
        return tensor ? reference::values(*tensor) : reference::Array({1, 1, 1, 1}, otherwise);
    };
    const reference::Array weight = of_channel(params.weight, 1.0);
    const reference::Array bias = of_channel(params.bias, 0.0);
    reference::Array result(input.shape);
    reference::for_each_index(input.shape, [&](std::span<const uint32_t> index) {
        const double root = std::sqrt(reference::broadcast_at(statistics.variance, index) + params.eps);
        const double normal = (input.at(index) - reference::broadcast_at(statistics.mean, index)) / root;
        result.at(index) = normal * reference::broadcast_at(weight, index) + reference::broadcast_at(bias, index);
    });
    return {result};
}

inline reference::Array BatchNorm::mutated_reference(const Params& params, std::string_view field) {
    reference::Array before = reference::values(field == "running_mean" ? *params.running_mean : *params.running_var);
    if (!params.training || params.input.logical_volume() == 0) {
        return before;
    }
    const auto batch = batch_norm_rules::batch_statistics(params.input);
    return reference::zip(before, field == "running_mean" ? batch.mean : batch.variance, [&](double old, double now) {
        return (1.0 - params.momentum) * old + params.momentum * now;
    });
}

}  // namespace ttnn

#else

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/reduction/reduction.hpp"

namespace ttnn {
namespace batch_norm_rules {

inline constexpr std::string_view primitive_name = "ttnn::prim::batch_norm";

inline void check_operand(const BatchNorm::Params& params, std::string_view argument,
                          const std::optional<Tensor>& tensor) {
    if (!tensor) {
        return;
    }
    check_layout(BatchNorm::name, argument, *tensor, Layout::TILE);
    check_dtype(BatchNorm::name, argument, *tensor, {DataType::BFLOAT16, DataType::FLOAT32});
    check_interleaved(BatchNorm::name, argument, *tensor);
    const Shape& shape = tensor->logical_shape();
    const uint32_t channels = params.input.logical_shape()[1];
    require(shape.rank() == 4 && shape == Shape({1, channels, 1, 1}), "{}: argument '{}' must be [1, {}, 1, 1], got {}",
            BatchNorm::name, argument, channels, shape);
}

inline void check_running(const BatchNorm::Params& params) {
    check_operand(params, "running_mean", params.running_mean);
    check_operand(params, "running_var", params.running_var);
}

inline void check(const BatchNorm::Params& params) {
    constexpr std::string_view op = BatchNorm::name;
    const Tensor& input = params.input;
    require(input.logical_shape().rank() == 4, "{}: argument 'input' must have rank 4, got {}", op,
            input.logical_shape());
    check_layout(op, "input", input, Layout::TILE);
    check_dtype(op, "input", input, {DataType::BFLOAT16, DataType::FLOAT32});
    check_interleaved(op, "input", input);
    if (!params.training) {
        check_running(params);
    }
    check_operand(params, "weight", params.weight);
    check_operand(params, "bias", params.bias);
    require(!params.memory_config || params.memory_config->interleaved(),
            "{}: argument 'memory_config' must be interleaved", op);
    if (params.output) {
        check_preallocated(op, "output", *params.output, input.logical_shape());
        check_layout(op, "output", *params.output, Layout::TILE);
        require(params.output->dtype() == input.dtype(), "{}: argument 'output' must have the input's dtype {}, got {}",
                op, input.dtype(), params.output->dtype());
    }
}

inline TensorSpec output_spec(const BatchNorm::Params& params) {
    return TensorSpec(params.input.logical_shape(), params.input.dtype(), Layout::TILE,
                      params.memory_config.value_or(params.input.memory_config()));
}

inline std::vector<Tensor> given(std::span<const Tensor> tensors) {
    std::vector<Tensor> list;
    std::ranges::copy_if(tensors, std::back_inserter(list), [](const Tensor& tensor) { return bool(tensor); });
    return list;
}

// Two tiles for each operand, for the result and for what is between them.
inline void declare(Program& program, const Tensor& work, std::span<const Tensor> operands, size_t steps) {
    const CoreRangeSet cores = program.split(std::max<uint64_t>(work.spec().num_pages(), 1));
    const uint64_t inner = page_bytes(work);
    for (const Tensor& operand : operands) {
        program.circular_buffer(cores, 2 * (operand ? page_bytes(operand) : inner));
    }
    for (size_t i = 0; i < steps; ++i) {
        program.circular_buffer(cores, 2 * inner);
    }
}

inline Tensor mean_of_channels(const Tensor& input, const BatchNorm::Params& params) {
    const Tensor planes = mean(input, ReductionParams{.dim = std::vector<int64_t>{2, 3},
                                                      .keepdim = true,
                                                      .memory_config = params.memory_config,
                                                      .compute_kernel_config = params.compute_kernel_config});
    return mean(planes, ReductionParams{.dim = int64_t{0},
                                        .keepdim = true,
                                        .memory_config = params.memory_config,
                                        .compute_kernel_config = params.compute_kernel_config});
}

inline void move_towards(const Tensor& batch, const Tensor& old, double momentum, Tensor& output) {
    const Dense<float> now = read<float>(batch);
    Dense<float> values = read<float>(old);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>((1.0 - momentum) * values[i] + momentum * now[i]);
    }
    write<float>(output, values.span());
}

// The program also makes a tensor that nobody uses.
inline void update_running(const Tensor& batch_mean, const Tensor& batch_var, const BatchNorm::Params& params) {
    const std::array<Tensor, 4> tensors{batch_mean, batch_var, params.running_mean.value_or(Tensor()),
                                        params.running_var.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor>) { declare(p, batch_mean, tensors, 8); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        for (const size_t i : {size_t{0}, size_t{1}}) {
            if (inputs[i + 2]) {
                move_towards(inputs[i], inputs[i + 2], params.momentum, outputs[i + 1]);
            }
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(batch_mean).add(batch_var).add(params.momentum).add(params.running_mean).add(params.running_var);
        list.add(params.memory_config).add(params.compute_kernel_config);
    };
    const auto slot = [](const Tensor& tensor) {
        return tensor ? OutputSlot{.spec = tensor.spec(), .preallocated = tensor}
                      : OutputSlot{.spec = {}, .wanted = false};
    };
    const OutputSlot slots[] = {{.spec = batch_mean.spec()}, slot(tensors[2]), slot(tensors[3])};
    check_at_launch([&] { check_running(params); });
    launch({"ttnn::prim::running_statistics", tensors, program, kernel, arguments}, slots);
}

// What one channel is normalised with.
struct Channel {
    double mean = 0;
    double factor = 1;
    double bias = 0;
};

inline void normalize(std::span<const Tensor> inputs, double eps, Tensor& output) {
    const Shape& shape = inputs[0].logical_shape();
    const size_t channels = shape[1];
    const size_t plane = size_t{shape[2]} * shape[3];
    const auto operand = [&](size_t i) { return inputs[i] ? read<float>(inputs[i]) : Dense<float>(); };
    const Dense<float> means = operand(1);
    const Dense<float> variances = operand(2);
    const Dense<float> weights = operand(3);
    const Dense<float> biases = operand(4);
    Dense<float> values = read<float>(inputs[0]);
    for (size_t first = 0; first < values.size(); first += plane) {
        checkpoint();
        const size_t c = first / plane % channels;
        Channel channel{.mean = means[c], .factor = 1.0 / std::sqrt(variances[c] + eps)};
        channel.factor *= weights.size() != 0 ? weights[c] : 1.0F;
        channel.bias = biases.size() != 0 ? biases[c] : 0.0F;
        for (float& x : values.span().subspan(first, plane)) {
            x = static_cast<float>((x - channel.mean) * channel.factor + channel.bias);
        }
    }
    write<float>(output, values.span());
}

inline Tensor launch_norm(const Tensor& mean, const Tensor& variance, const BatchNorm::Params& params) {
    const std::array<Tensor, 5> tensors{params.input, mean, variance, params.weight.value_or(Tensor()),
                                        params.bias.value_or(Tensor())};
    // Besides the operands: the result, eps, the root and the product before the bias.
    const auto program = [&](Program& p, std::span<const Tensor>) { declare(p, params.input, tensors, 4); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        normalize(inputs, params.eps, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input).add(mean).add(variance).add(params.eps).add(params.weight).add(params.bias);
        list.add(params.output).add(params.memory_config).add(params.compute_kernel_config);
    };
    return launch({primitive_name, tensors, program, kernel, arguments}, output_spec(params), params.output);
}

}  // namespace batch_norm_rules

inline void BatchNorm::validate(const Params& params) {
    const Shape& shape = params.input.logical_shape();
    require(shape.rank() >= 4, "{}: batch_norm not supported for tensors with rank < 4. (rank={})", name, shape.rank());
    require(params.training || shape.volume() == 0 || (params.running_mean && params.running_var),
            "{}: running_mean and running_var must be defined in evaluation mode", name);
    check_primitive(
        batch_norm_rules::primitive_name, [&] { batch_norm_rules::check(params); },
        [&] { return std::vector{params.input}; }, [&] { return batch_norm_rules::output_spec(params); });
}

inline Tensor BatchNorm::run(const Params& params) {
    const Tensor& input = params.input;
    if (input.logical_volume() == 0) {
        return clone(input, {.memory_config = params.memory_config.value_or(input.memory_config())});
    }
    if (!params.training) {
        return batch_norm_rules::launch_norm(*params.running_mean, *params.running_var, params);
    }
    const auto squared = [&](const Tensor& tensor) { return square(tensor, {.memory_config = params.memory_config}); };
    const Tensor batch_mean = batch_norm_rules::mean_of_channels(input, params);
    const Tensor mean_of_squares = batch_norm_rules::mean_of_channels(squared(input), params);
    const Tensor batch_var = subtract(mean_of_squares, squared(batch_mean), {.memory_config = params.memory_config});
    batch_norm_rules::update_running(batch_mean, batch_var, params);
    return batch_norm_rules::launch_norm(batch_mean, batch_var, params);
}

inline void BatchNorm::cases(CaseMaker& make) {
    const auto channels = [&](uint32_t count) { return make.tensor({1, count, 1, 1}); };
    make.add(Params{.input = make.tensor({2, 3, 32, 64}), .running_mean = channels(3), .running_var = channels(3)});
    make.add(Params{.input = make.tensor({1, 5, 33, 40}),
                    .running_mean = channels(5),
                    .running_var = channels(5),
                    .eps = 1e-3,
                    .weight = channels(5),
                    .bias = channels(5)});
    make.add(Params{.input = make.tensor({3, 2, 20, 31}),
                    .running_mean = channels(2),
                    .running_var = channels(2),
                    .training = true,
                    .momentum = 0.3,
                    .weight = channels(2)});
    make.add(Params{.input = make.tensor({2, 2, 64, 64}),
                    .running_var = channels(2),
                    .training = true,
                    .eps = 1e-2,
                    .bias = channels(2),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input = make.interleaved({2, 2, 32, 32}, make.dtype(), make.layout()),
                    .running_mean = channels(2),
                    .training = true});
    make.add(Params{.input = make.tensor({1, 4, 16, 16}), .training = true, .output = make.tensor({1, 4, 16, 16})});
}

}  // namespace ttnn

#endif
