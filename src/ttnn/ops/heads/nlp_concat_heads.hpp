// nlp_concat_heads, its boltz form and the form for BERT large: heads side by side in wide rows.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

struct NlpConcatHeads {
    static constexpr std::string_view name = "ttnn.experimental.nlp_concat_heads";
    static constexpr std::string_view doc = "[batch, heads, rows, width] -> [batch, 1, rows, heads * width].";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [batch, heads, rows, width]"),
                                      kw<&Params::memory_config>(heads::memory_doc),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct NlpConcatHeadsBoltz {
    static constexpr std::string_view name = "ttnn.experimental.nlp_concat_heads_boltz";
    static constexpr std::string_view doc = "[heads, n, n, width] -> [1, n, n, heads * width].";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [heads, n, n, width]"),
                                      kw<&Params::memory_config>(heads::memory_doc),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ConcatenateBertHeads {
    static constexpr std::string_view name = "ttnn.experimental.concatenate_heads";
    static constexpr std::string_view doc =
        "The heads of BERT large side by side: [batch, 16, 384, 64] to [batch, 1, 384, 1024].";
    struct Params {
        Tensor input_tensor{};
        CoreCoord compute_with_storage_grid_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [7 to 9, 16, 384, 64]"),
                                      arg<&Params::compute_with_storage_grid_size>("cores to use"),
                                      kw<&Params::memory_config>(heads::memory_doc),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpConcatHeads> nlp_concat_heads{};
inline constexpr Op<NlpConcatHeadsBoltz> nlp_concat_heads_boltz{};
inline constexpr Op<ConcatenateBertHeads> concatenate_heads{};
}  // namespace experimental
TTNN_DECLARATION(NlpConcatHeads);
TTNN_DECLARATION(NlpConcatHeadsBoltz);
TTNN_DECLARATION(ConcatenateBertHeads);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/heads.hpp"

namespace ttnn {

inline std::vector<reference::Array> NlpConcatHeads::reference(const Params& params) {
    return {reference::joined_heads(reference::values(params.input_tensor))};
}
inline std::vector<reference::Array> NlpConcatHeadsBoltz::reference(const Params& params) {
    reference::Array heads = reference::padded_values(params.input_tensor);
    const Shape shape = heads.shape;
    heads.shape = {1, shape[0], shape[1] * shape[2], shape[3]};
    reference::Array rows = reference::joined_heads(heads);
    rows.shape = {1, shape[1], shape[2], shape[0] * shape[3]};
    return {rows};
}
inline std::vector<reference::Array> ConcatenateBertHeads::reference(const Params& params) {
    return {reference::joined_heads(reference::padded_values(params.input_tensor))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/heads.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace heads {

struct Join {
    std::string_view op;
    std::string_view primitive;
    Tensor input;
    const std::optional<MemoryConfig>& memory_config;
    std::optional<Tensor> output{};
    bool heads_first = false;  // the batch is the heads
};

inline Shape joined_shape(const Join& call) {
    const Shape& shape = call.input.logical_shape();
    return call.heads_first ? Shape{1, shape[1], shape[2], shape[0] * shape[3]}
                            : Shape{shape[0], 1, shape[2], shape[1] * shape[3]};
}

inline MemoryConfig joined_config(const Join& call) {
    return output_memory_config(call.memory_config, call.output, call.input);
}

inline void check_join_shards(const Join& call) {
    const Shape& shape = call.input.padded_shape();
    const ShardSpec& shards = *call.input.memory_config().shard_spec();
    const bool whole_heads = shards.shape[1] == shape[3] && shape[2] > 0 && shards.shape[0] % shape[2] == 0 &&
                             shards.shape[0] > 0 && shape[1] % (shards.shape[0] / shape[2]) == 0;
    require(call.input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED && whole_heads,
            "{}: argument 'input_tensor' must have whole heads on each core, got {}", call.op,
            call.input.memory_config());
    require(joined_config(call).memory_layout() != TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'memory_config' must not be height sharded, as the input is, got {}", call.op,
            joined_config(call));
}

inline void check_join(const Join& call) {
    check_rank(call.op, "input_tensor", call.input, 4);
    if (call.output) {
        check_preallocated(call.op, "output_tensor", *call.output, joined_shape(call));
        check_tiles(call.op, "output_tensor", *call.output, {call.input.dtype()});
    }
    check_at_launch([&] {
        check_tiles(call.op, "input_tensor", call.input);
        if (call.input.memory_config().shard_spec() && !call.heads_first) {
            check_join_shards(call);
        } else {
            check_interleaved(call.op, "input_tensor", call.input);
            check_interleaved_output(call.op, joined_config(call));
        }
    });
}

// The heads of a core side by side stay on it.
inline TensorSpec joined_spec(const Join& call) {
    const MemoryConfig config = joined_config(call);
    const auto& shards = call.input.memory_config().shard_spec();
    if (!config.is_sharded() || !shards) {
        return spec(call.input, joined_shape(call), config);
    }
    ShardSpec own = *shards;
    const uint32_t heads = std::max(own.shape[0] / std::max(call.input.padded_shape()[2], 1U), 1U);
    own.shape = {own.shape[0] / heads, own.shape[1] * heads};
    return spec(call.input, joined_shape(call), config.with_shard_spec(own));
}

inline Tensor join(const Join& call) {
    const Tensor& input = call.input;
    const Shape& shape = input.padded_shape();
    const uint64_t count = call.heads_first ? shape[0] : shape[1];
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const uint64_t bytes = count * div_up<uint64_t>(shape[3], tile_size) * tile_bytes(input);
        if (input.memory_config().shard_spec()) {
            movement::shard_buffer(p, input);
        } else {
            p.circular_buffer(p.split(std::max<uint64_t>(tile_rows(outputs[0]), 1)),
                              movement::capped(p, input, 2 * bytes));
        }
        movement::shard_buffer(p, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::join_heads(inputs[0], call.heads_first ? 1 : shape[0], count, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(call.memory_config).add(call.output); };
    return launch({call.primitive, {&input, 1}, program, kernel, arguments}, joined_spec(call), call.output);
}

inline Join joined(const NlpConcatHeads::Params& p) {
    return {.op = NlpConcatHeads::name,
            .primitive = "ttnn::prim::nlp_concat_heads",
            .input = p.input_tensor,
            .memory_config = p.memory_config,
            .output = p.output_tensor};
}
inline Join joined(const NlpConcatHeadsBoltz::Params& p) {
    return {.op = NlpConcatHeadsBoltz::name,
            .primitive = "ttnn::prim::nlp_concat_heads_boltz",
            .input = with_padding(p.input_tensor),
            .memory_config = p.memory_config,
            .output = p.output_tensor,
            .heads_first = true};
}
inline Join joined(const ConcatenateBertHeads::Params& p) {
    return {.op = ConcatenateBertHeads::name,
            .primitive = "ttnn::prim::concatenate_heads",
            .input = with_padding(p.input_tensor),
            .memory_config = p.memory_config,
            .output = p.output_tensor};
}

}  // namespace heads

inline void NlpConcatHeads::validate(const Params& params) { heads::check_join(heads::joined(params)); }
inline Tensor NlpConcatHeads::run(const Params& params) { return heads::join(heads::joined(params)); }

inline void NlpConcatHeadsBoltz::validate(const Params& params) {
    heads::check_join(heads::joined(params));
    const Shape& shape = params.input_tensor.logical_shape();
    check_at_launch([&] {
        require(shape[1] == shape[2], "{}: argument 'input_tensor' must be [heads, n, n, width], got {}", name, shape);
    });
}
inline Tensor NlpConcatHeadsBoltz::run(const Params& params) { return heads::join(heads::joined(params)); }

inline void ConcatenateBertHeads::validate(const Params& params) {
    heads::check_join(heads::joined(params));
    check_at_launch([&] {
        const Shape& shape = params.input_tensor.padded_shape();
        require(shape[0] >= 7 && shape[0] <= 9 && shape[1] == 16 && shape[2] == 384 && shape[3] == 64,
                "{}: argument 'input_tensor' must be [7 to 9, 16, 384, 64], got {}", name, shape);
        heads::check_tiles(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16, DataType::BFLOAT8_B});
        check_interleaved(name, "input_tensor", params.input_tensor);
    });
}
inline Tensor ConcatenateBertHeads::run(const Params& params) { return heads::join(heads::joined(params)); }

inline void NlpConcatHeads::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 3, 64, 32})});
    make.add(Params{.input_tensor = make.tensor({1, 4, 40, 96}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 2, 33, 20})});
    make.add(Params{.input_tensor = make.tensor({1, 8, 32, 64}),  // two heads on each of four cores
                    .memory_config = make.memory() == MemoryKind::HEIGHT_SHARDED
                                         ? MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1)
                                         : l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 2, 32, 32}),
                    .output_tensor = make.interleaved({1, 1, 32, 64}, make.dtype(), make.layout())});
}
inline void NlpConcatHeadsBoltz::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({3, 64, 64, 32})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 33, 16}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 32, 32, 32}),
                    .output_tensor = make.interleaved({1, 32, 32, 64}, make.dtype(), make.layout())});
}
inline void ConcatenateBertHeads::cases(CaseMaker& make) {
    // Shards are refused in any size, and of this one two tensors would fill the cores of cases.
    const uint32_t batches = make.sharded() ? 1 : 7;
    make.add(Params{.input_tensor = make.tensor({batches, 16, 384, 64}), .compute_with_storage_grid_size = {8, 7}});
}

}  // namespace ttnn

#endif
