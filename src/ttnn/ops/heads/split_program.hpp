// Runs a primitive that takes heads out of wide rows: queries, keys and values, each from one of the inputs.
#pragma once

#include <array>
#include <tuple>

#include "ttnn/compute/heads.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn::heads {

using Three = std::tuple<Tensor, Tensor, Tensor>;

struct Part {
    size_t source = 0;  // which of the inputs
    compute::HeadColumns columns{};
    bool transposed = false;
    bool filled = true;
    TensorSpec spec{};
};

struct Split {
    std::string_view primitive;
    std::span<const Tensor> inputs;
    std::array<Part, 3> parts;
    const std::optional<std::vector<Tensor>>& outputs;
    FunctionRef<void(Program&, std::span<const Tensor> outputs)> program;
    FunctionRef<void(ArgumentList&)> arguments;
};

inline Three run(const Split& split) {
    std::vector<OutputSlot> slots;
    for (size_t i = 0; i < split.parts.size(); ++i) {
        slots.push_back({.spec = split.parts[i].spec,
                         .preallocated = split.outputs ? std::optional((*split.outputs)[i]) : std::nullopt});
    }
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        for (size_t i = 0; i < split.parts.size(); ++i) {
            const Part& part = split.parts[i];
            if (part.filled) {
                compute::take_heads(inputs[part.source], part.columns, part.transposed, outputs[i]);
            }
        }
    };
    const std::vector<Tensor> results =
        launch({split.primitive, split.inputs, split.program, kernel, split.arguments}, slots);
    return {results[0], results[1], results[2]};
}

// All heads of one kind after each other.
inline compute::HeadColumns in_line(uint64_t batches, uint64_t heads, uint64_t head_dim, uint64_t heads_before) {
    return {.batches = batches, .per_group = heads, .first = heads_before * head_dim, .head_dim = head_dim};
}
// Some heads of each group of `group` heads, from the one at `place` on.
inline compute::HeadColumns in_groups(uint64_t batches, uint64_t groups, uint64_t per_group, uint64_t head_dim,
                                      uint64_t group, uint64_t place) {
    return {.batches = batches,
            .groups = groups,
            .per_group = per_group,
            .first = place * head_dim,
            .group_step = group * head_dim,
            .head_dim = head_dim};
}

// The circular buffers of sharded results are these themselves.
inline void shard_buffers(Program& program, std::span<const Tensor> outputs) {
    for (const Tensor& output : outputs) {
        movement::shard_buffer(program, output);
    }
}

}  // namespace ttnn::heads
