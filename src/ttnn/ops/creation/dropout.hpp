// dropout: elements dropped at random. No reference exists; tests look at how many, at the others and at repetition.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Dropout {
    static constexpr std::string_view name = "ttnn.experimental.dropout";
    static constexpr std::string_view doc =
        "0 with the given probability, else the element times scale. Equal seeds drop equal places.";
    struct Params {
        Tensor input_tensor{};
        double probability = 0.0;
        double scale = 1.0;
        int64_t seed = 0;
        bool use_per_device_seed = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("TILE tensor of BFLOAT16 or FLOAT32"),
                                      arg<&Params::probability>("of an element to become 0"),
                                      arg<&Params::scale>("factor of the others, usually 1 / (1 - probability)"),
                                      arg<&Params::seed>("equal seeds drop equal places"),
                                      kw<&Params::use_per_device_seed>("chip number i of a mesh uses seed + i"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr std::string_view no_reference = "random numbers: tests look at what is dropped and what is left";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

namespace experimental {
inline constexpr Op<Dropout> dropout{};
}
TTNN_DECLARATION(Dropout);

}  // namespace ttnn

#ifndef TTNN_REFERENCE_SIDE

#include "ttnn/compute/random.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace creation {

// Seed 0 is a seed like others here, so it must not be the one that asks for fresh numbers.
inline uint64_t dropout_key(int64_t seed, uint32_t chip) { return (static_cast<uint64_t>(seed) + chip) * 2 + 1; }

inline void drop(const Tensor& input, Tensor& output, uint64_t key, const Dropout::Params& params) {
    Dense<float> values = read<float>(input);
    const Dense<float> drawn = compute::uniform_floats(key, values.size());
    const auto probability = static_cast<float>(params.probability);
    const auto scale = static_cast<float>(params.scale);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = drawn[i] < probability ? 0.0F : values[i] * scale;
    }
    write<float>(output, values.span());
}

}  // namespace creation

inline void Dropout::validate(const Params& params) {
    require(params.probability >= 0 && params.probability <= 1, "{}: argument 'probability' must be in [0, 1], got {}",
            name, params.probability);
    check_at_launch([&] {
        check_layout(name, "input_tensor", params.input_tensor, Layout::TILE);
        check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16, DataType::FLOAT32});
        if (params.output_tensor) {
            check_preallocated(name, "output_tensor", *params.output_tensor, params.input_tensor.logical_shape());
            check_layout(name, "output_tensor", *params.output_tensor, Layout::TILE);
            check_dtype(name, "output_tensor", *params.output_tensor, {params.input_tensor.dtype()});
        }
    });
}

inline Tensor Dropout::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        movement::buffer_for(p, outputs[0], input);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        if (outputs[0].num_parts() == 1) {
            const uint32_t step = params.use_per_device_seed ? outputs[0].chip().value_or(0) : 0;
            creation::drop(inputs[0], outputs[0], creation::dropout_key(params.seed, step), params);
            return;
        }
        for (uint32_t chip = 0; chip < outputs[0].num_parts(); ++chip) {
            Tensor part = outputs[0].part(chip);
            const uint32_t step = params.use_per_device_seed ? chip : 0;
            creation::drop(inputs[0].part(chip), part, creation::dropout_key(params.seed, step), params);
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.probability).add(params.scale).add_at_run(params.seed);
        list.add(params.use_per_device_seed).add(params.memory_config).add(params.output_tensor);
    };
    return launch(
        {.name = "ttnn::prim::dropout",
         .inputs = {&input, 1},
         .program = program,
         .kernel = kernel,
         .arguments = arguments,
         .whole_mesh = true},
        TensorSpec(input.logical_shape(), input.dtype(), Layout::TILE,
                   output_memory_config(params.memory_config, params.output_tensor, input), input.spec().tile()),
        params.output_tensor);
}

}  // namespace ttnn

#endif
