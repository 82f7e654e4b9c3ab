// paged_update_cache: one new row for each user, put into a cache.
#pragma once

#include "ttnn/ops/kv_cache/update_rules.hpp"

namespace ttnn {

struct PagedUpdateCache {
    static constexpr std::string_view name = "ttnn.experimental.paged_update_cache";
    static constexpr std::string_view doc =
        "Writes a row of each head for every user into a cache, at the user's position; with a page table the cache "
        "consists of blocks. Works in place and returns the cache.";
    struct Params {
        Tensor cache_tensor{};
        Tensor input_tensor{};
        std::vector<int64_t> update_idxs{};
        std::optional<Tensor> update_idxs_tensor{};
        std::optional<bool> share_cache{};
        std::optional<Tensor> page_table{};
        int64_t batch_offset = 0;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MeshCoordinateSet> mesh_coords{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::cache_tensor>("tile tensor [users or blocks, heads, rows, width]").mutates(),
                  arg<&Params::input_tensor>("[1, users, heads, width] in L1, one user on each core")} +
        caches::update_fields<Params> + FieldList{kw<&Params::memory_config>("no effect: the cache stays where it is")};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<PagedUpdateCache> paged_update_cache{};
}
TTNN_DECLARATION(PagedUpdateCache);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::PagedUpdateCache::mesh_reference(const Params& params, uint32_t chip) {
    return {caches::updated(params.cache_tensor, params.input_tensor, params, chip)};
}

#else

namespace ttnn {

inline void PagedUpdateCache::validate(const Params& params) {
    check_at_launch([&] {
        caches::check_tiles(name, "input_tensor", params.input_tensor);
        caches::check_update({.op = name,
                              .cache_argument = "cache_tensor",
                              .input_argument = "input_tensor",
                              .cache = params.cache_tensor,
                              .input = params.input_tensor,
                              .listed = params.update_idxs,
                              .positions = params.update_idxs_tensor,
                              .page_table = params.page_table,
                              .shared = params.share_cache.value_or(false)});
        require(params.batch_offset == 0, "{}: argument 'batch_offset' must be 0, got {}", name, params.batch_offset);
        caches::check_coordinates(name, params.cache_tensor, params.mesh_coords);
    });
}

inline Tensor PagedUpdateCache::run(const Params& params) {
    const Tensor& cache = params.cache_tensor;
    const Tensor& input = params.input_tensor;
    const Tensor tensors[] = {cache, input, params.update_idxs_tensor.value_or(Tensor()),
                              params.page_table.value_or(Tensor())};
    const bool shared = params.share_cache.value_or(false);
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet& cores = input.memory_config().shard_spec()->grid;
        p.circular_buffer(cores, 2 * caches::tiles_wide(cache) * caches::tile_bytes(cache));
        p.global_circular_buffer(input, shard_bytes(input));
        caches::declare_rows(p, cores, cache, input.padded_shape()[1], params);
        caches::declare_tables(p, cores, params);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        caches::on_chips(params.mesh_coords, inputs, outputs, [&](std::span<const Tensor> in, std::span<Tensor> out) {
            caches::update_rows(name, in[1], in[2], in[3], params.update_idxs, shared, out[0]);
        });
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(cache).add(input);
        caches::add_update_arguments(list, params);
    };
    return launch({.name = "ttnn::prim::paged_update_cache",
                   .inputs = tensors,
                   .program = program,
                   .kernel = kernel,
                   .arguments = arguments,
                   .whole_mesh = caches::is_limited(cache, params.mesh_coords)},
                  cache.spec(), cache);
}

inline Domain PagedUpdateCache::domain(const Params& params, std::string_view field) {
    return caches::update_domain(params.cache_tensor, params.page_table, field);
}

inline void PagedUpdateCache::cases(CaseMaker& make) {
    const auto integers = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::INT32, Layout::ROW_MAJOR);
    };
    make.add(Params{.cache_tensor = make.tensor({12, 2, 64, 64}),
                    .input_tensor = caches::rows_of_users(make, {1, 4, 2, 64}, DataType::BFLOAT16, 0),
                    .update_idxs_tensor = integers({4}),
                    .page_table = integers({4, 3})});
    make.add(Params{.cache_tensor = make.tensor({3, 8, 96, 32}),
                    .input_tensor = caches::rows_of_users(make, {1, 3, 8, 32}, DataType::FLOAT32, 0),
                    .update_idxs = {40, -1, 95}});
    make.add(Params{.cache_tensor = make.tensor({1, 1, 64, 96}),
                    .input_tensor = caches::rows_of_users(make, {1, 2, 1, 96}, DataType::BFLOAT16, 1),
                    .update_idxs = {3, 17},
                    .share_cache = true});
    make.add(Params{.cache_tensor = make.tensor({2, 2, 32, 64}),
                    .input_tensor = caches::rows_of_users(make, {1, 2, 2, 64}, DataType::BFLOAT16, 0),
                    .update_idxs_tensor = integers({2}),
                    .mesh_coords = MeshCoordinateSet({MeshCoordinate{{0, 0}}})});
}

}  // namespace ttnn

#endif
