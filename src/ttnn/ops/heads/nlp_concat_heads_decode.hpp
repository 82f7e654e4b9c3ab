// nlp_concat_heads_decode: the heads of one token for each user, side by side.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

struct NlpConcatHeadsDecode {
    static constexpr std::string_view name = "ttnn.experimental.nlp_concat_heads_decode";
    static constexpr std::string_view doc =
        "[1, users, heads, width] with one user on each core -> [1, 1, 32, heads * width] with one head on each core.";
    struct Params {
        Tensor input_tensor{};
        int64_t num_heads = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("height-sharded tile tensor [1, users, heads up to 32, width]"),
        kwreq<&Params::num_heads>("how many of the heads to take"), kw<&Params::memory_config>("no effect"),
        kw<&Params::output_tensor>("written into and returned").mutates(),
        kw<&Params::sub_core_grids>("cores of the result, default: the first ones of the device")};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpConcatHeadsDecode> nlp_concat_heads_decode{};
}
TTNN_DECLARATION(NlpConcatHeadsDecode);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::NlpConcatHeadsDecode::reference(const Params& params) {
    const reference::Array heads = reference::padded_values(params.input_tensor);
    const uint32_t users = heads.shape[1];
    const uint32_t dim = heads.shape[3];
    const Shape shape{1, 1, 32, static_cast<uint32_t>(params.num_heads) * dim};
    return {reference::generated(shape, [&](std::span<const uint32_t> at) {
        return at[2] < users ? heads.at(std::vector<uint32_t>{0, at[2], at[3] / dim, at[3] % dim}) : 0.0;
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace heads {

// An input that does not begin on the first core works on a part of the cores, which the caller has to name.
inline bool on_part_of_cores(const NlpConcatHeadsDecode::Params& params) {
    const auto& shards = params.input_tensor.memory_config().shard_spec();
    return params.sub_core_grids ||
           (shards && (shards->grid.size() != 1 || shards->grid.ranges()[0].start != CoreCoord{0, 0}));
}

inline void check_concat_decode(const NlpConcatHeadsDecode::Params& params) {
    constexpr std::string_view op = NlpConcatHeadsDecode::name;
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.padded_shape();
    check_tiles(op, "input_tensor", input, {DataType::FLOAT32, DataType::BFLOAT16});
    require(shape[0] == 1 && shape[1] <= tile_size && shape[2] == tile_size,
            "{}: argument 'input_tensor' must be [1, users, heads, width] with up to {} users and heads, got {}", op,
            tile_size, shape);
    const auto& shards = input.memory_config().shard_spec();
    require(shards && input.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED &&
                shards->shape == std::array{shape[2], shape[3]} && shards->num_cores() == shape[1],
            "{}: argument 'input_tensor' must be height sharded with one user on each core, got {}", op,
            input.memory_config());
    require(!on_part_of_cores(params) || params.sub_core_grids,
            "{}: argument 'sub_core_grids' is needed where the input does not begin on the first core, got {}", op,
            shards->grid);
}

// The cores behind the first one of the input, within those that the caller named.
inline CoreRangeSet concat_cores(const NlpConcatHeadsDecode::Params& params, uint32_t count) {
    if (!params.sub_core_grids) {
        return num_cores_to_corerangeset(count, params.input_tensor.device()->compute_grid(), true);
    }
    const std::vector<CoreCoord> cores = params.sub_core_grids->cores(true);
    const auto& shards = params.input_tensor.memory_config().shard_spec();
    const auto begin =
        shards && !shards->grid.empty() ? std::ranges::find(cores, shards->grid.ranges()[0].start) - cores.begin() : 0;
    const auto skipped = static_cast<uint32_t>(begin);
    return first_cores(*params.sub_core_grids, skipped + count <= cores.size() ? skipped : 0, count);
}

}  // namespace heads

inline void NlpConcatHeadsDecode::validate(const Params& params) {
    heads::check_rank(name, "input_tensor", params.input_tensor, 4);
    require(params.num_heads >= 1 && params.num_heads <= tile_size,
            "{}: argument 'num_heads' must be between 1 and {}, got {}", name, tile_size, params.num_heads);
    const uint32_t cores = params.sub_core_grids ? params.sub_core_grids->num_cores()
                                                 : params.input_tensor.device()->full_grid().num_cores();
    require(params.num_heads <= cores, "{}: argument 'sub_core_grids' has {} cores for {} heads", name, cores,
            params.num_heads);
    check_at_launch([&] { heads::check_concat_decode(params); });
    if (params.output_tensor) {
        const uint32_t width = static_cast<uint32_t>(params.num_heads) * params.input_tensor.padded_shape()[3];
        check_preallocated(name, "output_tensor", *params.output_tensor, {1, 1, tile_size, width});
        heads::check_tiles(name, "output_tensor", *params.output_tensor, {params.input_tensor.dtype()});
    }
}

inline Tensor NlpConcatHeadsDecode::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto count = static_cast<uint32_t>(params.num_heads);
    const uint32_t dim = input.padded_shape()[3];
    const auto program = [](Program& p, std::span<const Tensor> outputs) { movement::shard_buffer(p, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> from = read_padded<float>(inputs[0]);
        const Shape& shape = inputs[0].padded_shape();
        const uint64_t own = uint64_t{count} * dim;
        std::vector<float> rows(tile_size * own);  // those without a user stay 0
        for (uint64_t user = 0; user < shape[1]; ++user) {
            std::ranges::copy(from.span().subspan(user * shape[2] * dim, own),
                              rows.begin() + static_cast<std::ptrdiff_t>(user * own));
        }
        write<float>(outputs[0], rows);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.num_heads).add(params.memory_config).add(params.output_tensor);
        list.add(params.sub_core_grids);
    };
    const MemoryConfig config(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                              ShardSpec{heads::concat_cores(params, count), {tile_size, dim}});
    return launch({"ttnn::prim::nlp_concat_heads_decode", {&input, 1}, program, kernel, arguments},
                  heads::spec(input, {1, 1, tile_size, count * dim}, config), params.output_tensor);
}

// Sharded tensors of cases lie on up to four cores.
inline void NlpConcatHeadsDecode::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 4, 8, 64}), .num_heads = 8});
    make.add(Params{.input_tensor = make.tensor({1, 3, 32, 96}), .num_heads = 5});
    make.add(Params{.input_tensor = make.tensor({1, 2, 4, 32}),
                    .num_heads = 4,
                    .output_tensor = make.interleaved({1, 1, 32, 128}, make.dtype(), make.layout()),
                    .sub_core_grids = CoreRangeSet(CoreRange({0, 0}, {2, 1}))});
}

}  // namespace ttnn

#endif
