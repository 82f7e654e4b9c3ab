// paged_fill_cache: the keys or values of a user's prompt, put into the blocks of a paged cache.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/kv_cache/paged_rules.hpp"

namespace ttnn {

struct PagedFillCache {
    static constexpr std::string_view name = "ttnn.experimental.paged_fill_cache";
    static constexpr std::string_view doc =
        "Writes a user's sequence into the blocks of a cache that the page table gives the user; blocks at -1 are "
        "left out. Works in place and returns the cache.";
    struct Params {
        Tensor cache_tensor{};
        Tensor input_tensor{};
        Tensor page_table{};
        std::optional<Tensor> batch_idx_tensor{};
        int64_t batch_idx = 0;
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MeshCoordinateSet> mesh_coords{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::cache_tensor>("tile tensor [blocks, heads, rows of a block, width]").mutates(),
        arg<&Params::input_tensor>("tile tensor [1, heads, rows, width]"),
        arg<&Params::page_table>(caches::page_table_doc),
        kw<&Params::batch_idx_tensor>("integers, one per sequence: the user instead of batch_idx"),
        kw<&Params::batch_idx>("the user: a row of the page table"),
        kw<&Params::compute_kernel_config>(caches::compute_doc),
        kw<&Params::mesh_coords>(caches::mesh_coords_doc),
        kw<&Params::memory_config>("no effect: the cache stays where it is")};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<PagedFillCache> paged_fill_cache{};
}
TTNN_DECLARATION(PagedFillCache);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/cache.hpp"

// Token by token, as users think of it.
inline std::vector<ttnn::reference::Array> ttnn::PagedFillCache::mesh_reference(const Params& params, uint32_t chip) {
    const Tensor tensors[] = {params.cache_tensor, params.input_tensor, params.page_table};
    const reference::Array cache = reference::values(reference::part_on(params.cache_tensor, chip));
    if (!reference::takes_part(params.mesh_coords, tensors, chip)) {
        return {cache};
    }
    const reference::Array input = reference::padded_rows(reference::part_on(params.input_tensor, chip));
    const reference::Array table = reference::values(reference::part_on(params.page_table, chip));
    const size_t heads = input.shape[1];
    const size_t rows = input.shape[2];
    const size_t block = cache.shape[2];
    reference::RowSources sources;
    for (size_t sequence = 0; sequence < input.shape[0]; ++sequence) {
        const auto user = static_cast<uint32_t>(
            params.batch_idx_tensor
                ? reference::values(reference::part_on(*params.batch_idx_tensor, chip)).values[sequence]
                : static_cast<double>(params.batch_idx));
        for (size_t token = 0; token < rows; ++token) {
            const double page = table.at(std::vector<uint32_t>{user, static_cast<uint32_t>(token / block)});
            for (size_t head = 0; page >= 0 && head < heads; ++head) {
                const size_t to = (static_cast<size_t>(page) * heads + head) * block + token % block;
                sources[to] = (sequence * heads + head) * rows + token;
            }
        }
    }
    return {reference::with_rows(cache, input, std::move(sources))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/tiles.hpp"

namespace ttnn {

namespace caches {

// A sequence goes block by block into the places that its row of the page table names.
inline void fill_pages(const Tensor& input, std::span<const double> pages, uint64_t sequence, Tensor& cache) {
    const uint64_t wide = tiles_wide(cache);
    const uint64_t heads = cache.padded_shape()[1];
    const uint64_t rows = tiles_high(input);
    const uint64_t block = tiles_high(cache);
    for (uint64_t i = 0; i * block < rows; ++i) {
        if (pages[i] < 0) {
            continue;
        }
        const uint64_t count = std::min(block, rows - i * block);
        compute::copy_tiles(input, cache,
                            {.dims = {{heads, rows * wide, block * wide}, {count * wide, 1, 1}},
                             .from = (sequence * heads * rows + i * block) * wide,
                             .to = static_cast<uint64_t>(pages[i]) * heads * block * wide});
    }
}

inline void fill_sequences(std::span<const Tensor> inputs, int64_t batch_idx, Tensor& cache) {
    const Tensor& input = inputs[1];
    const Dense<double> table = read<double>(inputs[2]);
    const uint64_t columns = inputs[2].logical_shape()[1];
    const Dense<double> chosen = inputs[3] ? read<double>(inputs[3]) : Dense<double>();
    const uint64_t used = div_up(tiles_high(input), tiles_high(cache));
    for (uint64_t sequence = 0; sequence < input.padded_shape()[0]; ++sequence) {
        const double user = inputs[3] ? chosen[sequence] : static_cast<double>(batch_idx);
        require(user >= 0 && user < inputs[2].logical_shape()[0],
                "{}: argument 'batch_idx_tensor' holds {}, but the page table has {} rows", PagedFillCache::name, user,
                inputs[2].logical_shape()[0]);
        const auto pages = table.span().subspan(static_cast<uint64_t>(user) * columns, columns);
        for (uint64_t i = 0; i < used; ++i) {
            require(pages[i] >= -1 && pages[i] < cache.padded_shape()[0],
                    "{}: argument 'page_table' holds {}, but the cache has {} blocks", PagedFillCache::name, pages[i],
                    cache.padded_shape()[0]);
        }
        fill_pages(input, pages, sequence, cache);
    }
}

}  // namespace caches

inline void PagedFillCache::validate(const Params& params) {
    check_at_launch([&] {
        const Tensor& input = params.input_tensor;
        const Tensor& table = params.page_table;
        caches::check_operand(name, "cache_tensor", params.cache_tensor);
        caches::check_operand(name, "input_tensor", input);
        check_interleaved(name, "input_tensor", input);
        caches::check_width(name, "input_tensor", input, params.cache_tensor);
        caches::check_rank(name, "page_table", table, 2);
        check_dtype(name, "page_table", table, {DataType::INT32});
        check_layout(name, "page_table", table, Layout::ROW_MAJOR);
        check_interleaved(name, "page_table", table);
        const Shape& cache = params.cache_tensor.padded_shape();
        require(input.padded_shape()[1] == cache[1],
                "{}: argument 'input_tensor' must have as many heads as the cache, {}, got {}", name, cache[1],
                input.padded_shape()[1]);
        require(params.cache_tensor.logical_shape()[2] % tile_size == 0,
                "{}: argument 'cache_tensor' must have blocks of whole tiles, got {} rows", name,
                params.cache_tensor.logical_shape()[2]);
        require(input.padded_shape()[2] <= uint64_t{cache[2]} * table.logical_shape()[1],
                "{}: argument 'input_tensor' has {} rows, but the {} blocks of {} rows in a row of the page table hold "
                "fewer",
                name, input.padded_shape()[2], table.logical_shape()[1], cache[2]);
        require(params.batch_idx >= 0 && params.batch_idx < table.logical_shape()[0],
                "{}: argument 'batch_idx' must be a row of the page table (0 to {}), got {}", name,
                int64_t{table.logical_shape()[0]} - 1, params.batch_idx);
        if (params.batch_idx_tensor) {
            check_dtype(name, "batch_idx_tensor", *params.batch_idx_tensor, {DataType::UINT32, DataType::INT32});
        }
        const uint64_t chosen = params.batch_idx_tensor ? params.batch_idx_tensor->logical_volume() : 1;
        require(chosen == input.padded_shape()[0],
                "{}: argument 'batch_idx_tensor' must hold one number for each of the {} sequences, got {}", name,
                input.padded_shape()[0], chosen);
        caches::check_coordinates(name, params.cache_tensor, params.mesh_coords);
    });
}

inline Tensor PagedFillCache::run(const Params& params) {
    const Tensor& cache = params.cache_tensor;
    const Tensor& input = params.input_tensor;
    const Tensor tensors[] = {cache, input, params.page_table, params.batch_idx_tensor.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const uint64_t work = tile_rows(input);
        if (work != 0) {
            const CoreRangeSet cores = p.split(work, true);
            p.circular_buffer(cores, 2 * caches::tiles_wide(input) * caches::tile_bytes(input));
            p.circular_buffer(cores, caches::stick_bytes(params.page_table));
            if (params.batch_idx_tensor) {
                p.circular_buffer(cores, params.batch_idx_tensor->logical_volume() * 4);
            }
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        caches::on_chips(params.mesh_coords, inputs, outputs, [&](std::span<const Tensor> in, std::span<Tensor> out) {
            caches::fill_sequences(in, params.batch_idx, out[0]);
        });
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(cache).add(input).add(params.page_table).add(params.batch_idx_tensor).add_at_run(params.batch_idx);
        list.add(params.compute_kernel_config).add(params.mesh_coords);
    };
    return launch({.name = "ttnn::prim::paged_fill_cache",
                   .inputs = tensors,
                   .program = program,
                   .kernel = kernel,
                   .arguments = arguments,
                   .whole_mesh = caches::is_limited(cache, params.mesh_coords)},
                  cache.spec(), cache);
}

inline Domain PagedFillCache::domain(const Params& params, std::string_view field) {
    if (field == "page_table") {
        return Domain::integer(-1, params.cache_tensor.logical_shape()[0] - 1);
    }
    return field == "batch_idx_tensor" ? Domain::integer(0, params.page_table.logical_shape()[0] - 1)
                                       : Domain::real(-1.0, 1.0);
}

inline void PagedFillCache::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    const auto integers = [&](const Shape& shape, DataType dtype) {
        return make.interleaved(shape, dtype, Layout::ROW_MAJOR);
    };
    make.add(Params{.cache_tensor = make.tensor({8, 2, 64, 64}),
                    .input_tensor = plain({1, 2, 128, 64}),
                    .page_table = integers({3, 4}, DataType::INT32),
                    .batch_idx = 2});
    make.add(Params{.cache_tensor = make.tensor({6, 1, 32, 96}),
                    .input_tensor = plain({1, 1, 75, 96}),
                    .page_table = integers({1, 3}, DataType::INT32),
                    .batch_idx_tensor = integers({1}, DataType::UINT32)});
    make.add(Params{.cache_tensor = make.tensor({6, 3, 64, 32}),
                    .input_tensor = plain({2, 3, 96, 32}),
                    .page_table = integers({4, 2}, DataType::INT32),
                    .batch_idx_tensor = integers({2}, DataType::INT32),
                    .mesh_coords = MeshCoordinateSet({MeshCoordinate{{0, 0}}})});
    make.add(Params{.cache_tensor = make.tensor({5, 2, 32, 64}),
                    .input_tensor = make.interleaved({1, 2, 64, 64}, DataType::BFLOAT16, Layout::TILE),
                    .page_table = integers({2, 2}, DataType::INT32),
                    .batch_idx = 1});
}

}  // namespace ttnn

#endif
