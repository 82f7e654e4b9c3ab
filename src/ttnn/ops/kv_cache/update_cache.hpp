// update_cache and its older name: one new row for each sequence, put into a cache at the same position.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/kv_cache/paged_rules.hpp"

namespace ttnn {

struct UpdateCache {
    static constexpr std::string_view name = "ttnn.update_cache";
    static constexpr std::string_view doc =
        "Writes rows of the input, one per sequence, into one row of every sequence of a cache. Works in place and "
        "returns the cache.";
    struct Params {
        Tensor cache{};
        Tensor input{};
        int64_t update_idx = 0;
        int64_t batch_offset = 0;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::cache>("tile tensor [sequences, heads, rows, width]").mutates(),
                                      arg<&Params::input>("tile tensor [1, heads, sequences, width]"),
                                      arg<&Params::update_idx>("row of the cache"),
                                      kw<&Params::batch_offset>("row of the input for the first sequence"),
                                      kw<&Params::compute_kernel_config>(caches::compute_doc)};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct UpdateCacheForToken {
    static constexpr std::string_view name = "ttnn.kv_cache.update_cache_for_token_";
    static constexpr std::string_view doc = "The older name of update_cache.";
    struct Params {
        Tensor cache{};
        Tensor input{};
        int64_t update_index = 0;
        int64_t batch_offset = 0;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::cache>("tile tensor [sequences, heads, rows, width]").mutates(),
                                      arg<&Params::input>("tile tensor [1, heads, sequences, width]"),
                                      arg<&Params::update_index>("row of the cache"),
                                      opt<&Params::batch_offset>("row of the input for the first sequence"),
                                      opt<&Params::compute_kernel_config>(caches::compute_doc)};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(update_cache, UpdateCache);
namespace kv_cache {
inline constexpr Op<UpdateCacheForToken> update_cache_for_token_{};
}
TTNN_DECLARATION(UpdateCacheForToken);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/cache.hpp"

namespace ttnn {

namespace caches {

inline reference::Array updated_at(const Tensor& cache, const Tensor& input, int64_t row, int64_t offset) {
    const reference::Array old = reference::values(cache);
    const reference::Array rows = reference::padded_values(input);
    reference::RowSources sources;
    for (size_t sequence = 0; sequence < old.shape[0]; ++sequence) {
        for (size_t head = 0; head < old.shape[1]; ++head) {
            const size_t to = (sequence * old.shape[1] + head) * old.shape[2] + static_cast<size_t>(row);
            sources[to] = head * rows.shape[2] + static_cast<size_t>(offset) + sequence;
        }
    }
    return reference::with_rows(old, rows, std::move(sources));
}

}  // namespace caches

inline std::vector<reference::Array> UpdateCache::reference(const Params& params) {
    return {caches::updated_at(params.cache, params.input, params.update_idx, params.batch_offset)};
}
inline std::vector<reference::Array> UpdateCacheForToken::reference(const Params& params) {
    return {caches::updated_at(params.cache, params.input, params.update_index, params.batch_offset)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/tiles.hpp"

namespace ttnn {

namespace caches {

// A call under either name.
struct TokenUpdate {
    std::string_view op;
    std::string_view row_argument;
    const Tensor& cache;
    const Tensor& input;
    int64_t row;
    int64_t offset;
    const std::optional<ComputeKernelConfig>& config;
};

inline void check_token_shards(const TokenUpdate& call) {
    const Tensor& input = call.input;
    const auto& shards = input.memory_config().shard_spec();
    if (!shards) {
        return check_interleaved(call.op, "input", input);
    }
    const Shape& shape = input.padded_shape();
    require(input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED &&
                shards->shape[1] == shape[3] && uint64_t{shape[1]} * shape[2] % shards->shape[0] == 0,
            "{}: argument 'input' must have shards of its whole width that cut its rows evenly, got {}", call.op,
            input.memory_config());
}

inline void check_token(const TokenUpdate& call) {
    const auto dtypes = {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B};
    check_cache(call.op, "cache", call.cache, dtypes);
    check_rank(call.op, "input", call.input, 4);
    check_tiles(call.op, "input", call.input);
    check_dtype(call.op, "input", call.input, dtypes);
    const Shape& from = call.input.padded_shape();
    const Shape& to = call.cache.padded_shape();
    require(from[0] == 1 && from[1] == to[1] && from[3] == to[3] && from[2] >= to[0],
            "{}: argument 'input' must have the heads and the width of the cache {} and a row for each of its "
            "sequences, got {}",
            call.op, to, from);
    check_token_shards(call);
    require(call.row >= 0 && call.row < call.cache.logical_shape()[2],
            "{}: argument '{}' must be a row of the cache (0 to {}), got {}", call.op, call.row_argument,
            int64_t{call.cache.logical_shape()[2]} - 1, call.row);
    const int64_t most = std::max<int64_t>(int64_t{tile_size} - to[0], 0);
    require(call.offset >= 0 && call.offset <= most,
            "{}: argument 'batch_offset' must leave room for {} sequences in {} rows (0 to {}), got {}", call.op, to[0],
            tile_size, most, call.offset);
}

inline void declare_token(Program& program, const TokenUpdate& call) {
    const Tensor& input = call.input;
    const uint64_t wide = tiles_wide(call.cache);
    const uint64_t together = std::min<uint64_t>(2, call.cache.padded_shape()[0]);  // tile rows
    const bool sharded = input.memory_config().shard_spec() && input.memory_config().is_l1();
    const CoreRangeSet cores = sharded ? input.memory_config().shard_spec()->grid
                                       : program.split(std::max<uint64_t>(tile_rows(input), 1), true);
    program.circular_buffer(cores, 2 * together * wide * tile_bytes(call.cache));
    if (sharded) {
        program.global_circular_buffer(input, shard_bytes(input));
    } else {
        program.circular_buffer(cores, 2 * wide * tile_bytes(input));
    }
    program.circular_buffer(cores, together * wide * intermediate_bytes(call.config));
    program.circular_buffer(cores, 2 * wide * intermediate_bytes(call.config));
    program.circular_buffer(cores, 2 * together * wide * tile_bytes(call.cache));
}

inline Tensor update(const TokenUpdate& call) {
    const Tensor tensors[] = {call.cache, call.input};
    const auto program = [&](Program& p, std::span<const Tensor>) { declare_token(p, call); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> numbers = read_padded<float>(inputs[1]);
        const Shape& from = inputs[1].padded_shape();
        const Shape& to = outputs[0].padded_shape();
        for (uint64_t sequence = 0; sequence < to[0]; ++sequence) {
            for (uint64_t head = 0; head < to[1]; ++head) {
                const uint64_t row = head * from[2] + static_cast<uint64_t>(call.offset) + sequence;
                compute::write_tile_row(outputs[0], (sequence * to[1] + head) * to[2] + static_cast<uint64_t>(call.row),
                                        numbers.span().subspan(row * from[3], from[3]));
            }
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.cache).add(call.input).add_at_run(call.row).add_at_run(call.offset).add(call.config);
    };
    return launch({"ttnn::prim::update_cache", tensors, program, kernel, arguments}, call.cache.spec(), call.cache);
}

inline TokenUpdate token_update(const UpdateCache::Params& p) {
    return {UpdateCache::name, "update_idx", p.cache, p.input, p.update_idx, p.batch_offset, p.compute_kernel_config};
}
inline TokenUpdate token_update(const UpdateCacheForToken::Params& p) {
    return {UpdateCacheForToken::name, "update_index", p.cache, p.input, p.update_index, p.batch_offset,
            p.compute_kernel_config};
}

}  // namespace caches

inline void UpdateCache::validate(const Params& params) {
    check_at_launch([&] { caches::check_token(caches::token_update(params)); });
}
inline Tensor UpdateCache::run(const Params& params) { return caches::update(caches::token_update(params)); }
inline void UpdateCache::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape, DataType dtype) {
        return make.interleaved(shape, dtype, make.layout());
    };
    make.add(Params{.cache = plain({8, 2, 96, 64}, make.dtype()),
                    .input = make.tensor({1, 2, 32, 64}),
                    .update_idx = 37,
                    .batch_offset = 5});
    make.add(Params{
        .cache = make.tensor({32, 1, 64, 96}), .input = plain({1, 1, 32, 96}, DataType::BFLOAT16), .update_idx = 63});
    make.add(Params{.cache = plain({2, 3, 40, 50}, DataType::BFLOAT8_B),
                    .input = plain({1, 3, 2, 50}, make.dtype()),
                    .update_idx = 39});
}

inline void UpdateCacheForToken::validate(const Params& params) {
    check_at_launch([&] { caches::check_token(caches::token_update(params)); });
}
inline Tensor UpdateCacheForToken::run(const Params& params) { return caches::update(caches::token_update(params)); }
inline void UpdateCacheForToken::cases(CaseMaker& make) {
    make.add(Params{.cache = make.interleaved({4, 2, 64, 32}, make.dtype(), make.layout()),
                    .input = make.tensor({1, 2, 4, 32}),
                    .update_index = 16});
}

}  // namespace ttnn

#endif
