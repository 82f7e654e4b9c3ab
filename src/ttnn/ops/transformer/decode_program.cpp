// Attention of one query per head and batch to a cache.
#include <algorithm>
#include <bit>

#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn::attention {
namespace {

constexpr std::string_view primitive_name = "ttnn::prim::sdpa_decode";

uint32_t batches_of(const Decode& call) { return call.q.logical_shape()[1]; }
uint32_t heads_of(const Decode& call) { return call.q.logical_shape()[2]; }

uint32_t number_of_keys(const Decode& call) {
    const uint32_t rows = call.k.logical_shape()[2];
    return call.page_table ? rows * call.page_table->logical_shape()[-1] : rows;
}

uint32_t value_width(const Decode& call) {
    return static_cast<uint32_t>(call.head_dim_v.value_or(call.q.logical_shape()[3]));
}

// Keys that a core works on at a time; 0: the device finds out when it runs.
int64_t chunk_of(const Decode& call) {
    if (call.program_config && call.program_config->k_chunk_size > 0) {
        return call.program_config->k_chunk_size;
    }
    if (call.page_table) {
        return 0;
    }
    const uint32_t keys = call.k.logical_shape()[2];
    return keys == 0 ? tile_size : std::min<int64_t>(512, int64_t{1} << std::countr_zero(keys));
}

// --- checks ----------------------------------------------------------------------------------------------------------

void check_query(const Decode& call) {
    const Tensor& q = call.q;
    check_dtype(call.op, "input_tensor_q", q, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    const Shape& shape = q.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1,
            "{}: argument 'input_tensor_q' must be [1, batch, heads, width], got {}", call.op, shape);
    const MemoryConfig& config = q.memory_config();
    require(config.is_sharded() ? config.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED : config.is_dram(),
            "{}: argument 'input_tensor_q' must be height sharded or in DRAM, got {}", call.op, config);
}

void check_cache(const Decode& call, std::string_view argument, const Tensor& tensor, uint32_t width) {
    check_tiles(call.op, argument, tensor);
    require(tensor.memory_config().is_dram(), "{}: argument '{}' must be in DRAM", call.op, argument);
    const Shape& shape = tensor.logical_shape();
    require(shape[3] == width, "{}: argument '{}' must be {} wide, got {}", call.op, argument, width, shape);
    require(call.page_table || shape[0] == batches_of(call), "{}: argument '{}' must have {} batches, got {}", call.op,
            argument, batches_of(call), shape);
}

void check_caches(const Decode& call) {
    const uint32_t width = call.q.logical_shape()[3];
    check_cache(call, "input_tensor_k", call.k, width);
    const Shape& k = call.k.logical_shape();
    if (call.head_dim_v) {
        require(*call.head_dim_v > 0 && *call.head_dim_v <= width && *call.head_dim_v % tile_size == 0,
                "{}: argument 'head_dim_v' must be a multiple of 32 up to the width of a key ({}), got {}", call.op,
                width, *call.head_dim_v);
        require(call.is_causal, "{}: argument 'is_causal' must be true", call.op);
    }
    if (call.v) {
        check_cache(call, "input_tensor_v", *call.v, value_width(call));
        const Shape& v = call.v->logical_shape();
        require(v[0] == k[0] && v[1] == k[1] && v[2] == k[2],
                "{}: argument 'input_tensor_v' must have the blocks or batches, heads and rows of {}, got {}", call.op,
                k, v);
    }
    check_heads(call.op, heads_of(call), "input_tensor_k", k[1]);
    require(k[1] == 1 || call.q.dtype() == DataType::BFLOAT16,
            "{}: argument 'input_tensor_q' must have BFLOAT16 where there are several heads of keys, got {}", call.op,
            call.q.dtype());
    if (call.memory_config && call.memory_config->is_sharded()) {
        require(call.memory_config->memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
                "{}: argument 'memory_config' must be height sharded or interleaved, got {}", call.op,
                *call.memory_config);
        require(k[1] == 1, "{}: argument 'memory_config' must not be sharded where there are several heads of keys",
                call.op);
    }
}

void check_pages(const Decode& call) {
    if (!call.page_table) {
        return;
    }
    const Tensor& table = *call.page_table;
    if (!table.is_sharded()) {
        check_page_table(call.op, "page_table_tensor", table, batches_of(call));
        return;
    }
    // Every core has its own copy.
    check_layout(call.op, "page_table_tensor", table, Layout::ROW_MAJOR);
    check_dtype(call.op, "page_table_tensor", table, {DataType::UINT16});
    const Shape& shape = table.logical_shape();
    const uint64_t copies = table.memory_config().shard_spec() ? table.memory_config().shard_spec()->num_cores() : 1;
    require(shape.rank() == 2 && shape[0] == batches_of(call) * copies && shape[1] > 0,
            "{}: argument 'page_table_tensor' must be [{}, pages] on each of {} cores, got {}", call.op,
            batches_of(call), copies, shape);
}

void check_positions(const Decode& call) {
    if (!call.is_causal) {
        return;
    }
    require(call.cur_pos.empty() || !call.cur_pos_tensor,
            "{}: arguments 'cur_pos' and 'cur_pos_tensor' exclude each other", call.op);
    if (call.cur_pos_tensor) {
        const Tensor& positions = *call.cur_pos_tensor;
        check_dtype(call.op, "cur_pos_tensor", positions, {DataType::INT32});
        check_layout(call.op, "cur_pos_tensor", positions, Layout::ROW_MAJOR);
        require(positions.is_sharded() ? positions.logical_volume() >= batches_of(call)
                                       : positions.logical_volume() == batches_of(call),
                "{}: argument 'cur_pos_tensor' must hold one position for each of {} batches, got {}", call.op,
                batches_of(call), positions.logical_shape());
        return;
    }
    require(!call.page_table, "{}: argument 'cur_pos_tensor' is needed with 'is_causal'", call.op);
    require(call.cur_pos.size() == batches_of(call),
            "{}: argument 'cur_pos' (or 'cur_pos_tensor') must hold one position for each of {} batches, got {}",
            call.op, batches_of(call), call.cur_pos.size());
    for (const int64_t position : call.cur_pos) {
        require(position >= -1 && position < number_of_keys(call),
                "{}: argument 'cur_pos' must hold positions below {} (or -1 for none), got {}", call.op,
                number_of_keys(call), position);
    }
}

void check_mask(const Decode& call) {
    if (!call.mask) {
        return;
    }
    require(!call.is_causal, "{}: arguments 'is_causal' and 'attn_mask' exclude each other", call.op);
    check_layout(call.op, "attn_mask", *call.mask, Layout::TILE);
    check_dtype(call.op, "attn_mask", *call.mask, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    const Shape wanted{batches_of(call), 1, heads_of(call), number_of_keys(call)};
    require(call.mask->logical_shape() == wanted, "{}: argument 'attn_mask' must be {}, got {}", call.op, wanted,
            call.mask->logical_shape());
}

void check_chunk(const Decode& call) {
    const int64_t chunk = chunk_of(call);
    if (call.program_config && call.program_config->k_chunk_size > 0) {
        require(std::has_single_bit(static_cast<uint64_t>(chunk)) && chunk % tile_size == 0,
                "{}: argument 'program_config': k_chunk_size must be a power of two and a multiple of 32, got {}",
                call.op, chunk);
    }
    require(chunk % tile_size == 0,
            "{}: argument 'input_tensor_k' has {} rows, but what cores work on at a time must be a multiple of 32",
            call.op, call.k.logical_shape()[2]);
    if (!call.is_causal || !call.page_table) {
        require(chunk > 0, "{}: argument 'program_config' must give a k_chunk_size without 'is_causal'", call.op);
        const uint32_t rows = call.page_table ? number_of_keys(call) : call.k.padded_shape()[2];
        require(rows % chunk == 0, "{}: {} keys are not a multiple of the k_chunk_size of {}", call.op, rows, chunk);
    }
}

void check_sink(const Decode& call) {
    if (!call.attention_sink) {
        return;
    }
    const Tensor& sink = *call.attention_sink;
    check_dtype(call.op, "attention_sink", sink, {DataType::BFLOAT16});
    check_layout(call.op, "attention_sink", sink, Layout::TILE);
    require(sink.memory_config().is_dram(), "{}: argument 'attention_sink' must be in DRAM", call.op);
    const Shape& shape = sink.padded_shape();
    require(shape.rank() == 2 && shape[0] == round_up(heads_of(call), tile_size) && shape[1] == tile_size &&
                sink.logical_shape()[0] >= heads_of(call),
            "{}: argument 'attention_sink' must be [{}, 32], got {}", call.op, heads_of(call), sink.logical_shape());
}

void check(const Decode& call) {
    check_query(call);
    check_pages(call);
    check_caches(call);
    check_positions(call);
    check_mask(call);
    check_chunk(call);
    check_sink(call);
    require(call.sliding_window_size.value_or(0) >= 0,
            "{}: argument 'sliding_window_size' must not be negative, got {}", call.op,
            call.sliding_window_size.value_or(0));
}

// --- circular buffers ------------------------------------------------------------------------------------------------

uint64_t tiles(uint64_t elements) { return div_up<uint64_t>(elements, tile_size); }

// Cores that share the keys of one head.
uint64_t cores_per_head(const Decode& call, uint64_t cores) {
    const uint64_t batches = std::max<uint64_t>(batches_of(call), 1);
    const uint64_t key_heads = call.k.logical_shape()[1];
    const uint64_t most =
        call.program_config ? static_cast<uint64_t>(call.program_config->max_cores_per_head_batch) : cores;
    const uint64_t per_batch = std::min(cores, most * batches * key_heads) / batches;
    return std::max<uint64_t>(per_batch / key_heads, 1);
}

void declare(Program& program, const Decode& call, const Tensor& output) {
    const CoreRangeSet cores = cores_of(program, call.program_config);
    require(cores.num_cores() >= batches_of(call), "{}: {} batches need as many cores, but the program has {}", call.op,
            batches_of(call), cores.num_cores());
    const bool fp32 = call.compute_kernel_config && call.compute_kernel_config->fp32_dest_acc_en;
    const auto given = static_cast<uint64_t>(chunk_of(call));
    const uint64_t chunk = given == 0 ? (fp32 ? 4 : 8) : tiles(given);
    // Up to 16 heads fit into the upper half of a tile.
    const bool half = call.is_causal && heads_of(call) <= 16 && call.q.dtype() == DataType::BFLOAT16;
    const Tile tile(half ? std::array<uint32_t, 2>{16, 32} : std::array<uint32_t, 2>{32, 32});
    const uint64_t rows = tiles(heads_of(call));
    const uint64_t width = tiles(call.q.logical_shape()[3]);
    const uint64_t wide = tiles(value_width(call));
    const uint64_t q = tile.bytes(call.q.dtype());
    const uint64_t inner = tile.bytes(DataType::BFLOAT16);
    const uint64_t mask = tile.bytes(call.mask ? call.mask->dtype() : DataType::BFLOAT16);
    const Tensor& v = call.v.value_or(call.k);
    const auto buffer = [&](uint64_t bytes) { program.circular_buffer(cores, bytes); };
    buffer(rows * width * q);
    buffer(2 * chunk * width * Tile().bytes(call.k.dtype()));
    buffer(2 * chunk * wide * Tile().bytes(v.dtype()));
    buffer(rows * chunk * mask);
    if (call.attention_sink) {
        buffer(rows * inner);
    }
    buffer(inner);                 // scale
    for (int i = 0; i < 2; ++i) {  // greatest scores and sums that come from other cores
        buffer(rows * inner);
    }
    if (call.cur_pos_tensor) {
        call.cur_pos_tensor->is_sharded()
            ? program.global_circular_buffer(*call.cur_pos_tensor, shard_bytes(*call.cur_pos_tensor))
            : buffer(round_up<uint64_t>(page_bytes(*call.cur_pos_tensor), 32));
    }
    if (call.page_table) {
        call.page_table->is_sharded() ? program.global_circular_buffer(*call.page_table, shard_bytes(*call.page_table))
                                      : buffer(round_up<uint64_t>(page_bytes(*call.page_table), 32));
    }
    buffer(rows * width * q);  // queries in tiles
    buffer(Tile().bytes(DataType::BFLOAT16));
    buffer(inner);
    if (call.sliding_window_size.value_or(0) > 0) {
        buffer(rows * chunk * mask);
    }
    buffer(rows * chunk * inner);  // scores
    for (int i = 0; i < 2; ++i) {  // the result so far, and its next state
        buffer(rows * wide * inner);
    }
    for (int i = 0; i < 7; ++i) {  // greatest scores and sums
        buffer(rows * inner);
    }
    for (int i = 0; i < 2; ++i) {  // another core's result, and this core's for it
        buffer(rows * wide * inner);
    }
    for (int i = 0; i < 2; ++i) {
        buffer(rows * inner);
    }
    if (const uint64_t others = cores_per_head(call, cores.num_cores()) - 1; others > 0) {
        buffer((rows * wide + 2 * rows) * others * inner);
    }
    if (output.is_sharded()) {
        program.global_circular_buffer(output, shard_bytes(output));
    } else {
        buffer(rows * wide * Tile().bytes(output.dtype()));
    }
}

// --- running ---------------------------------------------------------------------------------------------------------

TensorSpec output_spec(const Decode& call) {
    Shape shape = call.q.logical_shape();
    shape[3] = value_width(call);
    if (call.q.layout() == Layout::ROW_MAJOR) {
        shape[2] = round_up(shape[2], tile_size);
    }
    return TensorSpec(shape, call.q.dtype(), call.q.layout(), call.memory_config.value_or(MemoryConfig()));
}

// Places among the primitive's inputs.
enum Place : uint8_t { Q, K, V, POSITIONS, PAGES, MASK, SINK, PLACES };

std::vector<Tensor> inputs_of(const Decode& call) {
    std::vector<Tensor> inputs(PLACES);
    inputs[Q] = call.q;
    inputs[K] = call.k;
    inputs[V] = call.v.value_or(Tensor());
    inputs[POSITIONS] = call.cur_pos_tensor.value_or(Tensor());
    inputs[PAGES] = call.page_table.value_or(Tensor());
    inputs[MASK] = call.mask.value_or(Tensor());
    inputs[SINK] = call.attention_sink.value_or(Tensor());
    return inputs;
}

// What each batch sees.
std::vector<compute::KeyRange> visible_keys(const Decode& call, const Tensor& positions) {
    const size_t keys = number_of_keys(call);
    std::vector<compute::KeyRange> ranges(batches_of(call), {0, keys});
    if (!call.is_causal) {
        return ranges;
    }
    const auto window = static_cast<size_t>(call.sliding_window_size.value_or(0));
    const Dense<uint32_t> held = positions ? read<uint32_t>(positions) : Dense<uint32_t>();
    for (size_t batch = 0; batch < ranges.size(); ++batch) {
        const int64_t position = positions ? static_cast<int32_t>(held[batch]) : call.cur_pos[batch];
        require(position >= -1 && position < static_cast<int64_t>(keys),
                "{}: 'cur_pos_tensor' holds {} for batch {}, but the cache has {} positions", call.op, position, batch,
                keys);
        const auto last = static_cast<size_t>(position + 1);
        ranges[batch] = {window == 0 || last < window ? 0 : last - window, last};
    }
    return ranges;
}

// The heads of queries that share a head of keys are the queries of one head to the kernel.
void compute_output(const Decode& call, std::span<const Tensor> inputs, Tensor& output) {
    const size_t batches = batches_of(call);
    const size_t groups = inputs[K].logical_shape()[1];
    const size_t rows = heads_of(call) / groups;
    const auto sequence = [&](const Tensor& tensor) {
        return inputs[PAGES] ? sequence_of(tensor, inputs[PAGES], batches) : sequence_of(tensor);
    };
    const compute::KeySequence keys = sequence(inputs[K]);
    const compute::KeySequence values = inputs[V] ? sequence(inputs[V]) : compute::KeySequence();
    const std::vector<compute::KeyRange> ranges = visible_keys(call, inputs[POSITIONS]);
    const auto visible = [&](size_t batch, size_t) { return ranges[batch]; };
    std::vector<float> sinks;
    if (inputs[SINK]) {
        const Dense<float> numbers = read<float>(inputs[SINK]);
        for (size_t head = 0; head < heads_of(call); ++head) {
            sinks.push_back(numbers[head * inputs[SINK].logical_shape()[1]]);
        }
    }
    compute::attention({.queries = inputs[Q],
                        .batches = batches,
                        .heads = groups,
                        .query_rows = rows,
                        .runs = {{0, rows}},
                        .keys = keys,
                        .values = inputs[V] ? &values : nullptr,
                        .value_width = value_width(call),
                        .scale = scale_of(call.scale, inputs[Q]),
                        .mask = inputs[MASK],
                        .mask_heads = groups,
                        .sinks = sinks,
                        .sinks_by_row = true,
                        .visible = visible},
                       {output, groups});
}

}  // namespace

void validate(const Decode& call) {
    check_primitive(
        primitive_name, [&] { check(call); }, [&] { return given(inputs_of(call)); },
        [&] { return output_spec(call); });
}

Tensor run(const Decode& call) {
    const std::vector<Tensor> inputs = inputs_of(call);
    const TensorSpec spec = output_spec(call);
    const bool paged = call.page_table.has_value();
    const bool latent = call.head_dim_v.has_value();
    const int64_t chunk = chunk_of(call);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, call, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> tensors, std::span<Tensor> outputs) {
        compute_output(call, tensors, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.q).add(call.k).add(call.v).add(call.cur_pos_tensor).add(call.page_table).add(call.mask);
        list.add(call.attention_sink).add(call.is_causal).add(paged).add_at_run(call.cur_pos).add(call.scale);
        list.add(call.sliding_window_size).add(spec.memory_config()).add(call.program_config);
        list.add(call.compute_kernel_config).add(chunk).add(latent).add(call.head_dim_v);
    };
    return launch({primitive_name, inputs, program, kernel, arguments}, spec);
}

}  // namespace ttnn::attention
