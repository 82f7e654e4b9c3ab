// What the operations that write one row per user into a cache share: their fields, checks and circular buffers.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/kv_cache/paged_rules.hpp"

namespace ttnn::caches {

template <class Params>
inline constexpr FieldList update_fields{
    kw<&Params::update_idxs>("row of each user, instead of a tensor; -1 leaves the user out"),
    kw<&Params::update_idxs_tensor>("row-major INT32 [users], or sharded with a row for every core"),
    kw<&Params::share_cache>("one cache for all users; not with a page table"),
    kw<&Params::page_table>(page_table_doc),
    kw<&Params::batch_offset>("must be 0"),
    kw<&Params::compute_kernel_config>(compute_doc),
    kw<&Params::mesh_coords>(mesh_coords_doc)};

// One cache, and what goes into it.
struct Update {
    std::string_view op;
    std::string_view cache_argument;
    std::string_view input_argument;
    const Tensor& cache;
    const Tensor& input;
    const std::vector<int64_t>& listed;
    const std::optional<Tensor>& positions;
    const std::optional<Tensor>& page_table;
    bool shared = false;
};

inline void check_positions(const Update& call) {
    require(call.positions.has_value() != !call.listed.empty(),
            "{}: exactly one of the arguments 'update_idxs' and 'update_idxs_tensor' must be given", call.op);
    const uint32_t users = call.input.padded_shape()[1];
    uint64_t count = call.listed.size();
    if (call.positions) {
        const Tensor& positions = *call.positions;
        check_dtype(call.op, "update_idxs_tensor", positions, {DataType::INT32});
        check_layout(call.op, "update_idxs_tensor", positions, Layout::ROW_MAJOR);
        const bool sharded = positions.is_sharded();
        require(sharded ? positions.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED &&
                              positions.memory_config().is_l1()
                        : positions.memory_config().is_dram(),
                "{}: argument 'update_idxs_tensor' must be interleaved in DRAM or height sharded in L1, got {}",
                call.op, positions.memory_config());
        count = positions.logical_shape().from_end(0);
    }
    require(count == users, "{}: argument 'update_idxs{}' has {} numbers for {} users", call.op,
            call.positions ? "_tensor" : "", count, users);
}

inline void check_page_table(const Update& call) {
    const Tensor& table = *call.page_table;
    const uint32_t users = call.input.padded_shape()[1];
    require(!call.shared, "{}: argument 'share_cache' cannot be combined with a page table", call.op);
    require(call.positions.has_value(), "{}: a page table needs 'update_idxs_tensor'", call.op);
    check_rank(call.op, "page_table", table, 2);
    check_dtype(call.op, "page_table", table, {table.is_sharded() ? DataType::UINT16 : DataType::INT32});
    check_layout(call.op, "page_table", table, Layout::ROW_MAJOR);
    const auto& shards = table.memory_config().shard_spec();
    const uint32_t copies = shards ? std::max(shards->num_cores(), 1U) : 1;
    require(table.padded_shape()[0] / copies == users,
            "{}: argument 'page_table' has rows for {} users, the input has {}", call.op,
            table.padded_shape()[0] / copies, users);
    require(table.padded_shape()[1] <= call.cache.padded_shape()[0],
            "{}: argument 'page_table' names {} blocks per user, but '{}' has {}", call.op, table.padded_shape()[1],
            call.cache_argument, call.cache.padded_shape()[0]);
}

inline void check_user_shards(const Update& call) {
    const Tensor& input = call.input;
    const auto& shards = input.memory_config().shard_spec();
    require(shards && input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
            "{}: argument '{}' must be sharded by users, got {}", call.op, call.input_argument, input.memory_config());
    require(shards->shape[1] == input.padded_shape()[-1] && shards->orientation == ShardOrientation::ROW_MAJOR,
            "{}: argument '{}' must have shards of its width {}, row by row, got {}", call.op, call.input_argument,
            input.padded_shape()[-1], input.memory_config());
    require(shards->num_cores() == input.padded_shape()[1],
            "{}: argument '{}' must have one user on each core, got {} users on {} cores", call.op, call.input_argument,
            input.padded_shape()[1], shards->num_cores());
}

inline void check_update(const Update& call) {
    check_cache(call.op, call.cache_argument, call.cache);
    check_rank(call.op, call.input_argument, call.input, 4);
    check_dtype(call.op, call.input_argument, call.input, {DataType::FLOAT32, DataType::BFLOAT16});
    const Shape& input = call.input.padded_shape();
    const Shape& cache = call.cache.padded_shape();
    require(input[0] == 1, "{}: argument '{}' must be [1, users, heads, width], got {}", call.op, call.input_argument,
            input);
    check_width(call.op, call.input_argument, call.input, call.cache);
    require(input[2] >= cache[1], "{}: argument '{}' has {} heads, but the cache has {}", call.op, call.input_argument,
            input[2], cache[1]);
    if (call.page_table) {
        check_page_table(call);
    } else {
        require(cache[0] == (call.shared ? 1 : input[1]), "{}: argument '{}' must hold {} sequences, got {}", call.op,
                call.cache_argument, call.shared ? 1 : input[1], cache[0]);
    }
    check_positions(call);
    check_user_shards(call);
}

// Legal values of the arguments that are no caches.
inline Domain update_domain(const Tensor& cache, const std::optional<Tensor>& page_table, std::string_view field) {
    const Shape& shape = cache.logical_shape();
    if (field == "page_table") {
        return Domain::integer(0, shape[0] - 1);
    }
    if (field == "update_idxs_tensor") {
        const uint64_t blocks = page_table ? page_table->logical_shape()[1] : 1;
        return Domain::integer(-1, static_cast<double>(blocks * shape[2] - 1));
    }
    return Domain::real(-1.0, 1.0);
}

}  // namespace ttnn::caches

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/cache.hpp"

namespace ttnn::caches {

// By definition, for one chip: cache[page, head, position inside of the page] = input[0, user, head].
template <class Params>
reference::Array updated(const Tensor& cache, const Tensor& input, const Params& params, uint32_t chip) {
    const Tensor tensors[] = {cache, input, params.update_idxs_tensor.value_or(cache),
                              params.page_table.value_or(cache)};
    reference::Array old = reference::values(reference::part_on(cache, chip));
    if (!reference::takes_part(params.mesh_coords, tensors, chip)) {
        return old;
    }
    const reference::Array rows = reference::padded_values(reference::part_on(input, chip));
    const auto position = [&](size_t user) {
        return params.update_idxs_tensor
                   ? reference::values(reference::part_on(*params.update_idxs_tensor, chip)).values[user]
                   : static_cast<double>(params.update_idxs[user]);
    };
    const size_t depth = old.shape[2];
    reference::RowSources sources;
    for (size_t user = 0; user < rows.shape[1]; ++user) {
        if (position(user) < 0) {
            continue;
        }
        const auto at = static_cast<size_t>(position(user));
        size_t sequence = params.share_cache.value_or(false) ? 0 : user;
        if (params.page_table) {
            const reference::Array table = reference::values(reference::part_on(*params.page_table, chip));
            sequence = static_cast<size_t>(table.values[user * table.shape[1] + at / depth]);
        }
        for (size_t head = 0; head < old.shape[1]; ++head) {
            sources[(sequence * old.shape[1] + head) * depth + at % depth] = user * rows.shape[2] + head;
        }
    }
    return reference::with_rows(old, rows, std::move(sources));
}

}  // namespace ttnn::caches

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/tiles.hpp"

namespace ttnn::caches {

// Which sequence (or block) of the cache a user's row goes to, and which of its rows.
struct Place {
    uint64_t sequence = 0;
    uint64_t row = 0;
};
inline Place place_of(std::string_view op, const Tensor& cache, const Tensor& page_table, std::span<const double> pages,
                      uint64_t user, double position) {
    const uint32_t depth = cache.padded_shape()[2];
    const uint64_t blocks = page_table ? page_table.logical_shape()[1] : 1;
    require(position < static_cast<double>(blocks * depth),
            "{}: argument 'update_idxs' has {} for user {}, but there is room for {} rows", op, position, user,
            blocks * depth);
    const auto at = static_cast<uint64_t>(position);
    if (!page_table) {
        return {user, at};
    }
    const double page = pages[user * blocks + at / depth];
    require(page >= 0 && page < cache.padded_shape()[0],
            "{}: argument 'page_table' holds {} for user {}, but the cache has {} blocks", op, page, user,
            cache.padded_shape()[0]);
    return {static_cast<uint64_t>(page), at % depth};
}

inline void update_rows(std::string_view op, const Tensor& input, const Tensor& positions, const Tensor& page_table,
                        const std::vector<int64_t>& listed, bool shared, Tensor& cache) {
    const Dense<float> numbers = read_padded<float>(input);
    const Dense<double> indices = positions ? read<double>(positions) : Dense<double>();
    const Dense<double> pages = page_table ? read<double>(page_table) : Dense<double>();
    const Shape& from = input.padded_shape();
    const Shape& to = cache.padded_shape();
    for (uint64_t user = 0; user < from[1]; ++user) {
        const double position = positions ? indices[user] : static_cast<double>(listed[user]);
        if (position < 0) {
            continue;
        }
        const Place place = place_of(op, cache, page_table, pages.span(), shared ? 0 : user, position);
        for (uint64_t head = 0; head < to[1]; ++head) {
            compute::write_tile_row(cache, (place.sequence * to[1] + head) * to[2] + place.row,
                                    numbers.span().subspan((user * from[2] + head) * from[3], from[3]));
        }
    }
}

// The buffers for one cache; what they work with in between is declared by the caller.
template <class Params>
void declare_tables(Program& program, const CoreRangeSet& cores, const Params& params) {
    if (params.update_idxs_tensor) {
        program.circular_buffer(cores, Tile().bytes(DataType::INT32));
    }
    if (params.page_table) {
        program.circular_buffer(cores, stick_bytes(*params.page_table));
    }
}
template <class Params>
void declare_rows(Program& program, const CoreRangeSet& cores, const Tensor& cache, uint64_t users,
                  const Params& params) {
    const uint64_t wide = tiles_wide(cache);
    program.circular_buffer(cores, 2 * wide * intermediate_bytes(params.compute_kernel_config));
    program.circular_buffer(cores, 2 * wide * intermediate_bytes(params.compute_kernel_config));
    program.circular_buffer(cores, users * wide * tile_bytes(cache));
}

template <class Params>
void add_update_arguments(ArgumentList& list, const Params& params) {
    list.add_at_run(params.update_idxs).add(params.update_idxs_tensor).add(params.share_cache).add(params.page_table);
    list.add(params.batch_offset).add(params.compute_kernel_config).add(params.mesh_coords);
}

// For cases: rows of users, one user on each core of the grid from a row of cores on.
inline Tensor rows_of_users(const CaseMaker& make, const Shape& shape, DataType dtype, uint32_t first_core,
                            Layout layout = Layout::TILE) {
    const CoreRangeSet cores(CoreRange({0, first_core}, {shape[1] - 1, first_core}));
    const uint32_t height = layout == Layout::TILE ? round_up(shape[2], tile_size) : shape[2];
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{cores, {height, round_up(shape[3], tile_size)}});
    return Tensor::allocate_on_device(TensorSpec(shape, dtype, layout, config), make.device());
}

}  // namespace ttnn::caches

#endif
