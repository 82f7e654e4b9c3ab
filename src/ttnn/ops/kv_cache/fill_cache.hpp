// fill_cache and its older name: the rows of one sequence, put into a cache.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/kv_cache/paged_rules.hpp"

namespace ttnn {

struct FillCache {
    static constexpr std::string_view name = "ttnn.fill_cache";
    static constexpr std::string_view doc =
        "Writes the rows of a sequence, whole tiles of them, to the beginning of one of the sequences of a cache. "
        "Works "
        "in place and returns the cache.";
    struct Params {
        Tensor cache_tensor{};
        Tensor input_tensor{};
        int64_t batch_idx = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::cache_tensor>("tile tensor [sequences, heads, rows, width]").mutates(),
        arg<&Params::input_tensor>("tile tensor [1, heads, rows, width] of the cache's dtype"),
        arg<&Params::batch_idx>("which sequence of the cache")};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct FillCacheForUser {
    static constexpr std::string_view name = "ttnn.kv_cache.fill_cache_for_user_";
    static constexpr std::string_view doc = "The older name of fill_cache.";
    struct Params {
        Tensor cache{};
        Tensor input{};
        int64_t batch_index = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::cache>("tile tensor [sequences, heads, rows, width]").mutates(),
                                      arg<&Params::input>("tile tensor [1, heads, rows, width] of the cache's dtype"),
                                      arg<&Params::batch_index>("which sequence of the cache")};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fill_cache, FillCache);
namespace kv_cache {
inline constexpr Op<FillCacheForUser> fill_cache_for_user_{};
}
TTNN_DECLARATION(FillCacheForUser);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/cache.hpp"

namespace ttnn {

namespace caches {

inline reference::Array filled(const Tensor& cache, const Tensor& input, int64_t sequence) {
    const reference::Array old = reference::values(cache);
    const reference::Array rows = reference::padded_rows(input);
    const size_t depth = old.shape[2];
    reference::RowSources sources;
    for (size_t head = 0; head < old.shape[1]; ++head) {
        for (size_t row = 0; row < std::min<size_t>(rows.shape[2], depth); ++row) {
            sources[(static_cast<size_t>(sequence) * old.shape[1] + head) * depth + row] = head * rows.shape[2] + row;
        }
    }
    return reference::with_rows(old, rows, std::move(sources));
}

}  // namespace caches

inline std::vector<reference::Array> FillCache::reference(const Params& params) {
    return {caches::filled(params.cache_tensor, params.input_tensor, params.batch_idx)};
}
inline std::vector<reference::Array> FillCacheForUser::reference(const Params& params) {
    return {caches::filled(params.cache, params.input, params.batch_index)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/tiles.hpp"

namespace ttnn {

namespace caches {

// How the two names call their arguments.
struct FillNames {
    std::string_view op;
    std::string_view cache;
    std::string_view input;
    std::string_view sequence;
};
inline constexpr FillNames fill_names{FillCache::name, "cache_tensor", "input_tensor", "batch_idx"};
inline constexpr FillNames fill_user_names{FillCacheForUser::name, "cache", "input", "batch_index"};

inline void check_fill(const FillNames& names, const Tensor& cache, const Tensor& input, int64_t sequence) {
    const auto dtypes = {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B};
    check_cache(names.op, names.cache, cache, dtypes);
    check_rank(names.op, names.input, input, 4);
    check_tiles(names.op, names.input, input);
    check_dtype(names.op, names.input, input, {cache.dtype()});
    const Shape& from = input.padded_shape();
    const Shape& to = cache.padded_shape();
    require(from[0] == 1 && from[1] == to[1] && from[3] == to[3] && from[2] <= to[2],
            "{}: argument '{}' must be one sequence with the heads and the width of the cache {} and no more rows, got "
            "{}",
            names.op, names.input, to, from);
    require(sequence >= 0 && sequence < to[0], "{}: argument '{}' must be a sequence of the cache (0 to {}), got {}",
            names.op, names.sequence, int64_t{to[0]} - 1, sequence);
    if (const auto& shards = input.memory_config().shard_spec()) {
        require(input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED &&
                    shards->shape[1] == from[3] && from[2] % shards->shape[0] == 0,
                "{}: argument '{}' must have shards of its whole width that cut its rows evenly, got {}", names.op,
                names.input, input.memory_config());
    }
}

inline Tensor fill(const Tensor& cache, const Tensor& input, int64_t sequence) {
    const Tensor tensors[] = {cache, input};
    const auto program = [&](Program& p, std::span<const Tensor>) {
        if (input.memory_config().shard_spec() && input.memory_config().is_l1()) {
            p.global_circular_buffer(input, shard_bytes(input));
        } else if (tile_rows(input) != 0) {
            p.circular_buffer(p.split(tile_rows(input), true), 2 * tiles_wide(input) * tile_bytes(input));
        }
    };
    const auto kernel = [sequence](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& from = inputs[1];
        const uint64_t heads = from.padded_shape()[1];
        const uint64_t rows = tiles_high(from);
        const uint64_t depth = tiles_high(outputs[0]);
        const uint64_t wide = tiles_wide(from);
        compute::copy_tiles(from, outputs[0],
                            {.dims = {{heads, rows * wide, depth * wide}, {rows * wide, 1, 1}},
                             .from = 0,
                             .to = static_cast<uint64_t>(sequence) * heads * depth * wide});
    };
    const auto arguments = [&](ArgumentList& list) { list.add(cache).add(input).add_at_run(sequence); };
    return launch({"ttnn::prim::update_cache", tensors, program, kernel, arguments}, cache.spec(), cache);
}

}  // namespace caches

inline void FillCache::validate(const Params& params) {
    check_at_launch(
        [&] { caches::check_fill(caches::fill_names, params.cache_tensor, params.input_tensor, params.batch_idx); });
}
inline Tensor FillCache::run(const Params& params) {
    return caches::fill(params.cache_tensor, params.input_tensor, params.batch_idx);
}
inline void FillCache::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{plain({3, 2, 128, 64}), make.tensor({1, 2, 64, 64}), 1});
    make.add(Params{make.tensor({2, 1, 64, 96}), plain({1, 1, 40, 96}), 0});
    make.add(Params{plain({1, 4, 50, 40}), plain({1, 4, 33, 40}), 0});
}

inline void FillCacheForUser::validate(const Params& params) {
    check_at_launch(
        [&] { caches::check_fill(caches::fill_user_names, params.cache, params.input, params.batch_index); });
}
inline Tensor FillCacheForUser::run(const Params& params) {
    return caches::fill(params.cache, params.input, params.batch_index);
}
inline void FillCacheForUser::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{plain({2, 2, 96, 32}), make.tensor({1, 2, 96, 32}), 1});
}

}  // namespace ttnn

#endif
