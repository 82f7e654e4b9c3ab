// paged_fused_update_cache: paged_update_cache for two caches at once, keys and values.
#pragma once

#include "ttnn/ops/kv_cache/update_rules.hpp"

namespace ttnn {

struct PagedFusedUpdateCache {
    static constexpr std::string_view name = "ttnn.experimental.paged_fused_update_cache";
    static constexpr std::string_view doc =
        "Writes rows for every user into two caches at the same positions, as paged_update_cache does into one. Works "
        "in place and returns both caches.";
    struct Params {
        Tensor cache_tensor1{};
        Tensor input_tensor1{};
        Tensor cache_tensor2{};
        Tensor input_tensor2{};
        std::vector<int64_t> update_idxs{};
        std::optional<Tensor> update_idxs_tensor{};
        std::optional<bool> share_cache{};
        std::optional<Tensor> page_table{};
        int64_t batch_offset = 0;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MeshCoordinateSet> mesh_coords{};
    };
    using Result = std::tuple<Tensor, Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::cache_tensor1>("tile tensor [users or blocks, heads, rows, width]").mutates(),
                  arg<&Params::input_tensor1>("[1, users, heads, width] in L1, one user on each core"),
                  arg<&Params::cache_tensor2>("as the first one").mutates(),
                  arg<&Params::input_tensor2>("as the first one, on other cores")} +
        caches::update_fields<Params>;
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<PagedFusedUpdateCache> paged_fused_update_cache{};
}
TTNN_DECLARATION(PagedFusedUpdateCache);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::PagedFusedUpdateCache::mesh_reference(const Params& params,
                                                                                       uint32_t chip) {
    return {caches::updated(params.cache_tensor1, params.input_tensor1, params, chip),
            caches::updated(params.cache_tensor2, params.input_tensor2, params, chip)};
}

#else

namespace ttnn {

namespace caches {

inline void check_fused_inputs(const PagedFusedUpdateCache::Params& params) {
    constexpr std::string_view op = PagedFusedUpdateCache::name;
    const Tensor& first = params.input_tensor1;
    const Tensor& second = params.input_tensor2;
    require(first.layout() == second.layout(), "{}: both inputs must have the same layout, got {} and {}", op,
            first.layout(), second.layout());
    const ShardSpec& one = *first.memory_config().shard_spec();
    const ShardSpec& other = *second.memory_config().shard_spec();
    require(one.num_cores() == other.num_cores() && !one.grid.intersects(other.grid),
            "{}: the inputs must lie on as many, but different cores, got {} and {}", op, one.grid, other.grid);
    if (first.layout() == Layout::ROW_MAJOR) {
        require(first.padded_shape()[2] == 8 && first.padded_shape()[3] == 128,
                "{}: inputs in ROW_MAJOR must have 8 heads and a width of 128, got {}", op, first.padded_shape());
    } else {
        check_tiles(op, "input_tensor1", first);
        check_tiles(op, "input_tensor2", second);
    }
}

}  // namespace caches

inline void PagedFusedUpdateCache::validate(const Params& params) {
    check_at_launch([&] {
        caches::Update call{.op = name,
                            .cache_argument = "cache_tensor1",
                            .input_argument = "input_tensor1",
                            .cache = params.cache_tensor1,
                            .input = params.input_tensor1,
                            .listed = params.update_idxs,
                            .positions = params.update_idxs_tensor,
                            .page_table = params.page_table,
                            .shared = params.share_cache.value_or(false)};
        caches::check_update(call);
        caches::check_update({.op = name,
                              .cache_argument = "cache_tensor2",
                              .input_argument = "input_tensor2",
                              .cache = params.cache_tensor2,
                              .input = params.input_tensor2,
                              .listed = params.update_idxs,
                              .positions = params.update_idxs_tensor,
                              .page_table = params.page_table,
                              .shared = call.shared});
        caches::check_fused_inputs(params);
        require(params.batch_offset == 0, "{}: argument 'batch_offset' must be 0, got {}", name, params.batch_offset);
        caches::check_coordinates(name, params.cache_tensor1, params.mesh_coords);
    });
}

inline std::tuple<Tensor, Tensor> PagedFusedUpdateCache::run(const Params& params) {
    const Tensor& input = params.input_tensor1;
    const Tensor tensors[] = {params.cache_tensor1,
                              input,
                              params.cache_tensor2,
                              params.input_tensor2,
                              params.update_idxs_tensor.value_or(Tensor()),
                              params.page_table.value_or(Tensor())};
    const bool shared = params.share_cache.value_or(false);
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const Tensor& cache = params.cache_tensor1;
        const CoreRangeSet cores =
            input.memory_config().shard_spec()->grid.merge(params.input_tensor2.memory_config().shard_spec()->grid);
        p.circular_buffer(cores, 2 * caches::tiles_wide(cache) * caches::tile_bytes(cache));
        p.global_circular_buffer(input, shard_bytes(input));
        p.global_circular_buffer(params.input_tensor2, shard_bytes(params.input_tensor2));
        caches::declare_rows(p, cores, cache, input.padded_shape()[1], params);
        caches::declare_tables(p, cores, params);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        caches::on_chips(params.mesh_coords, inputs, outputs, [&](std::span<const Tensor> in, std::span<Tensor> out) {
            caches::update_rows(name, in[1], in[4], in[5], params.update_idxs, shared, out[0]);
            caches::update_rows(name, in[3], in[4], in[5], params.update_idxs, shared, out[1]);
        });
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.cache_tensor1).add(input).add(params.cache_tensor2).add(params.input_tensor2);
        caches::add_update_arguments(list, params);
    };
    const OutputSlot slots[] = {{.spec = params.cache_tensor1.spec(), .preallocated = params.cache_tensor1},
                                {.spec = params.cache_tensor2.spec(), .preallocated = params.cache_tensor2}};
    launch({.name = "ttnn::prim::paged_fused_update_cache",
            .inputs = tensors,
            .program = program,
            .kernel = kernel,
            .arguments = arguments,
            .whole_mesh = caches::is_limited(params.cache_tensor1, params.mesh_coords)},
           slots);
    return {params.cache_tensor1, params.cache_tensor2};
}

inline Domain PagedFusedUpdateCache::domain(const Params& params, std::string_view field) {
    return caches::update_domain(params.cache_tensor1, params.page_table, field);
}

inline void PagedFusedUpdateCache::cases(CaseMaker& make) {
    const auto integers = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::INT32, Layout::ROW_MAJOR);
    };
    const auto rows = [&](const Shape& shape, uint32_t core, Layout layout) {
        return caches::rows_of_users(make, shape, DataType::BFLOAT16, core, layout);
    };
    make.add(Params{.cache_tensor1 = make.tensor({8, 4, 32, 64}),
                    .input_tensor1 = rows({1, 4, 4, 64}, 1, Layout::TILE),
                    .cache_tensor2 = make.tensor({8, 4, 32, 64}),
                    .input_tensor2 = rows({1, 4, 4, 64}, 0, Layout::TILE),
                    .update_idxs_tensor = integers({4}),
                    .page_table = integers({4, 2})});
    make.add(Params{.cache_tensor1 = make.tensor({2, 8, 64, 128}),
                    .input_tensor1 = rows({1, 2, 8, 128}, 0, Layout::ROW_MAJOR),
                    .cache_tensor2 = make.tensor({2, 8, 64, 128}),
                    .input_tensor2 = rows({1, 2, 8, 128}, 1, Layout::ROW_MAJOR),
                    .update_idxs = {63, -1}});
}

}  // namespace ttnn

#endif
