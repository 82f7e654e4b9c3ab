// rand, uniform, bernoulli: random numbers. No reference exists; tests look at range, mean and reproducibility.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Rand {
    static constexpr std::string_view name = "ttnn.rand";
    static constexpr std::string_view doc =
        "Uniform random numbers in [low, high), rounded to the data type. Seed 0 gives fresh ones, others repeat.";
    struct Params {
        Shape shape{};
        DeviceHandle device{};
        DataType dtype = DataType::BFLOAT16;
        Layout layout = Layout::TILE;
        MemoryConfig memory_config{};
        double low = 0.0;
        double high = 1.0;
        int64_t seed = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::shape>("shape of the tensor"),
                                      arg<&Params::device>("where it goes"),
                                      kw<&Params::dtype>("any but UINT8"),
                                      kw<&Params::layout>("ROW_MAJOR or TILE"),
                                      kw<&Params::memory_config>("DRAM interleaved unless given"),
                                      kw<&Params::low>("lowest number"),
                                      kw<&Params::high>("bound that is not reached"),
                                      kw<&Params::seed>("0: another result each time")};
    static constexpr std::string_view no_reference = "random numbers: tests look at range, mean and repetition";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

struct Uniform {
    static constexpr std::string_view name = "ttnn.uniform";
    static constexpr std::string_view doc = "Fills a tensor with uniform random numbers in [from, to).";
    struct Params {
        Tensor input{};
        double from = 0.0;
        double to = 1.0;
        int64_t seed = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("TILE tensor of BFLOAT16 or FLOAT32, written into").also("input_tensor").mutates(),
        opt<&Params::from>("lowest number").also("low"),
        opt<&Params::to>("bound that is not reached").also("high"),
        opt<&Params::seed>("0: another result each time"),
        kw<&Params::memory_config>("the input's; no effect here"),
        kw<&Params::compute_kernel_config>("no effect here")};
    static constexpr std::string_view no_reference = "random numbers: tests look at range, mean and repetition";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

struct Bernoulli {
    static constexpr std::string_view name = "ttnn.bernoulli";
    static constexpr std::string_view doc = "1 with the probability that the input says, else 0.";
    struct Params {
        Tensor input{};
        int64_t seed = 0;
        std::optional<Tensor> output{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("TILE tensor of BFLOAT16 or FLOAT32, numbers in [0, 1]").also("input_tensor"),
        opt<&Params::seed>("0: another result each time"),
        kw<&Params::output>("written into and returned").mutates(),
        kw<&Params::dtype>("default: FLOAT32"),
        kw<&Params::memory_config>("default: the input's"),
        kw<&Params::compute_kernel_config>("no effect here")};
    static constexpr std::string_view no_reference = "random numbers: tests look at how many ones there are";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

TTNN_OPERATION(rand, Rand);
TTNN_OPERATION(uniform, Uniform);
TTNN_OPERATION(bernoulli, Bernoulli);

}  // namespace ttnn

#ifndef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/compute/random.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace creation {

// Numbers in [low, high) rounded to the dtype; float rounding must not reach the bound.
inline void write_uniform(Tensor& tensor, double low, double high, int64_t seed) {
    Dense<float> values = compute::uniform_floats(static_cast<uint64_t>(seed), tensor.logical_volume());
    const auto last = std::nextafter(static_cast<float>(high), static_cast<float>(low));
    for (float& value : values) {
        value = std::min(static_cast<float>(low + (high - low) * value), last);
    }
    write<float>(tensor, values.span());
}

inline void check_bounds(std::string_view op, std::string_view low_name, double low, std::string_view high_name,
                         double high) {
    require(low < high, "{}: argument '{}' must be smaller than '{}', got {} and {}", op, low_name, high_name, low,
            high);
}

}  // namespace creation

inline void Rand::validate(const Params& params) {
    require(params.device != nullptr, "{}: argument 'device' must be a device, got None", name);
    check_at_launch([&] {
        require(params.dtype != DataType::UINT8, "{}: argument 'dtype' must not be UINT8", name);
        creation::check_bounds(name, "low", params.low, "high", params.high);
    });
}

inline Tensor Rand::run(const Params& params) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor>, std::span<Tensor> outputs) {
        creation::write_uniform(outputs[0], params.low, params.high, params.seed);
    };
    Primitive primitive{"ttnn::prim::rand", {}, program, kernel};
    primitive.repeatable = false;
    return launch_on(params.device, primitive,
                     TensorSpec(params.shape, params.dtype, params.layout, params.memory_config));
}

inline void Uniform::validate(const Params& params) {
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::TILE);
        check_dtype(name, "input", params.input, {DataType::BFLOAT16, DataType::FLOAT32});
        creation::check_bounds(name, "from", params.from, "to", params.to);
    });
}

inline Tensor Uniform::run(const Params& params) {
    const Tensor& input = params.input;
    const auto program = [&](Program& p, std::span<const Tensor>) { movement::buffer_for(p, input, input); };
    const auto kernel = [&](std::span<const Tensor>, std::span<Tensor> outputs) {
        creation::write_uniform(outputs[0], params.from, params.to, params.seed);
    };
    Primitive primitive{"ttnn::prim::uniform", {&input, 1}, program, kernel};
    primitive.repeatable = false;
    return launch(primitive, input.spec(), input);
}

inline void Bernoulli::validate(const Params& params) {
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::TILE);
        check_dtype(name, "input", params.input, {DataType::BFLOAT16, DataType::FLOAT32});
        if (params.output) {
            check_preallocated(name, "output", *params.output, params.input.logical_shape());
            check_layout(name, "output", *params.output, Layout::TILE);
            output_dtype(name, params.dtype, params.output, DataType::FLOAT32);
        }
    });
}

inline Tensor Bernoulli::run(const Params& params) {
    const Tensor& input = params.input;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        movement::buffer_for(p, outputs[0], input);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> probabilities = read<float>(inputs[0]);
        Dense<float> values = compute::uniform_floats(static_cast<uint64_t>(params.seed), probabilities.size());
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = values[i] < probabilities[i] ? 1.0F : 0.0F;
        }
        write<float>(outputs[0], values.span());
    };
    const DataType dtype = output_dtype(name, params.dtype, params.output, DataType::FLOAT32);
    const MemoryConfig& config = output_memory_config(params.memory_config, params.output, input);
    Primitive primitive{"ttnn::prim::bernoulli", {&input, 1}, program, kernel};
    primitive.repeatable = false;
    return launch(primitive, TensorSpec(input.logical_shape(), dtype, Layout::TILE, config, input.spec().tile()),
                  params.output);
}

}  // namespace ttnn

#endif
