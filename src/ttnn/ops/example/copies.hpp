// What the demonstration operations do: copies of a tensor in interleaved DRAM, made by one core.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ttnn/compute/elementwise.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn::example {

// As many places as `wanted` has; those that are not wanted stay empty.
inline std::vector<Tensor> copies(std::string_view primitive, const Tensor& input, std::span<const bool> wanted,
                                  FunctionRef<void(ArgumentList&)> arguments) {
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet core = p.split(1);
        p.circular_buffer(core, 2 * page_bytes(input));
        p.circular_buffer(core, 2 * page_bytes(input));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        for (Tensor& output : outputs) {
            if (output && is_integer(output.dtype())) {
                compute::map_bits(inputs[0], output, [](uint32_t*, size_t) {});
            } else if (output) {
                compute::map(inputs[0], output, [](float*, size_t) {});
            }
        }
    };
    const TensorSpec spec(input.logical_shape(), input.dtype(), input.layout(), MemoryConfig(), input.spec().tile());
    std::vector<OutputSlot> slots;
    for (const bool is_wanted : wanted) {
        slots.push_back({.spec = spec, .wanted = is_wanted});
    }
    return launch({primitive, {&input, 1}, program, kernel, arguments}, slots);
}

}  // namespace ttnn::example
