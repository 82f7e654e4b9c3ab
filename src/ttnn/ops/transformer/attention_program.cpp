#include "ttnn/ops/transformer/attention_program.hpp"

#include <algorithm>
#include <cmath>

#include "ttnn/core/math.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::attention {
namespace {

uint64_t tile_bytes(DataType dtype) { return Tile().bytes(dtype); }
uint64_t tiles(uint64_t elements) { return div_up<uint64_t>(elements, tile_size); }

// Chunks of queries and of keys, in elements.
uint64_t q_chunk(const std::optional<SDPAProgramConfig>& config) {
    return config ? static_cast<uint64_t>(config->q_chunk_size) : tile_size;
}
uint64_t k_chunk(const std::optional<SDPAProgramConfig>& config) {
    return config ? static_cast<uint64_t>(config->k_chunk_size) : tile_size;
}

}  // namespace

void check_tiles(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_layout(op, argument, tensor, Layout::TILE);
    check_dtype(op, argument, tensor, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    const Shape& shape = tensor.logical_shape();
    require(shape.rank() == 4, "{}: argument '{}' must have rank 4, got {}", op, argument, shape);
    require(shape[3] > 0 && shape[3] == tensor.padded_shape()[3],
            "{}: argument '{}' must be a multiple of 32 wide, got {}", op, argument, shape);
}

void check_operand(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_tiles(op, argument, tensor);
    check_interleaved(op, argument, tensor);
}

void check_dram_operand(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_operand(op, argument, tensor);
    require(tensor.memory_config().is_dram(), "{}: argument '{}' must be in DRAM", op, argument);
}

void check_chunks(std::string_view op, const std::optional<SDPAProgramConfig>& config) {
    if (!config) {
        return;
    }
    const auto fits = [](int64_t size) { return size > 0 && size % tile_size == 0; };
    require(fits(config->q_chunk_size) && fits(config->k_chunk_size),
            "{}: argument 'program_config': q_chunk_size and k_chunk_size must be multiples of 32, got {} and {}", op,
            config->q_chunk_size, config->k_chunk_size);
}

void check_heads(std::string_view op, uint32_t queries, std::string_view argument, uint32_t keys) {
    require(keys > 0 && queries % keys == 0,
            "{}: argument '{}' has {} heads, which the {} heads of the queries cannot share evenly", op, argument, keys,
            queries);
}

void check_page_table(std::string_view op, std::string_view argument, const Tensor& table, uint32_t batches) {
    check_layout(op, argument, table, Layout::ROW_MAJOR);
    check_dtype(op, argument, table, {DataType::INT32});
    const Shape& shape = table.logical_shape();
    require(shape.rank() == 2 && shape[0] == batches && shape[1] > 0, "{}: argument '{}' must be [{}, pages], got {}",
            op, argument, batches, shape);
}

std::vector<Tensor> given(std::vector<Tensor> inputs) {
    std::erase_if(inputs, [](const Tensor& tensor) { return !tensor; });
    return inputs;
}

double scale_of(const std::optional<double>& given, const Tensor& q) {
    return given.value_or(1.0 / std::sqrt(static_cast<double>(q.logical_shape()[-1])));
}

CoreRangeSet cores_of(const Program& program, const std::optional<SDPAProgramConfig>& config) {
    if (!config) {
        return program.full_grid();
    }
    if (config->sub_core_grids) {
        return *config->sub_core_grids;
    }
    const CoreCoord grid = config->compute_with_storage_grid_size;
    const CoreCoord device = program.device().compute_grid();
    require(grid.x > 0 && grid.y > 0 && grid.x <= device.x && grid.y <= device.y,
            "argument 'program_config': the device has a grid of {} x {} cores, not {} x {}", device.x, device.y,
            grid.x, grid.y);
    return CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
}

bool is_padded(const std::optional<SDPAProgramConfig>& config, uint64_t queries, uint64_t keys) {
    return queries % q_chunk(config) != 0 || keys % k_chunk(config) != 0;
}

void declare_chunks(Program& program, const ChunkBuffers& buffers) {
    const CoreRangeSet cores = cores_of(program, buffers.config);
    const uint64_t rows = tiles(q_chunk(buffers.config));
    const uint64_t keys = tiles(k_chunk(buffers.config));
    const Shape& q = buffers.q.logical_shape();
    const uint64_t width = tiles(q[3]);
    const uint64_t value_width = tiles(buffers.value_width);
    const uint64_t inner = tile_bytes(DataType::BFLOAT16);
    // A core with more than one chunk of queries reads the next one while it works.
    const uint64_t chunks = div_up<uint64_t>(q[2], q_chunk(buffers.config));
    const uint64_t number = cores.num_cores();
    const uint64_t batches = std::clamp<uint64_t>(q[0], 1, number);
    const uint64_t heads = std::clamp<uint64_t>(q[1], 1, number / batches);
    const uint64_t shared = std::clamp<uint64_t>(chunks, 1, std::max<uint64_t>(number / (batches * heads), 1));
    const uint64_t ahead = chunks > shared ? 2 : 1;
    program.circular_buffer(cores, rows * width * ahead * tile_bytes(buffers.q.dtype()));
    program.circular_buffer(cores, 2 * keys * width * tile_bytes(buffers.k.dtype()));
    program.circular_buffer(cores, 2 * keys * value_width * tile_bytes(buffers.v.dtype()));
    if (buffers.mask) {
        program.circular_buffer(cores, 2 * rows * keys * tile_bytes(*buffers.mask));
    }
    program.circular_buffer(cores, inner);  // ones to sum with, as a row and as a column
    program.circular_buffer(cores, inner);
    if (buffers.page_table_bytes > 0) {
        program.circular_buffer(cores, round_up<uint64_t>(buffers.page_table_bytes, 32));
    }
    if (buffers.start_in_tensor) {
        program.circular_buffer(cores, 32);
        program.circular_buffer(cores, 32);
    }
    if (buffers.sink) {
        program.circular_buffer(cores, rows * tile_bytes(*buffers.sink));
    }
    program.circular_buffer(cores, rows * keys * inner);         // scores
    program.circular_buffer(cores, rows * value_width * inner);  // the result so far, and its next state
    program.circular_buffer(cores, rows * value_width * inner);
    for (int i = 0; i < 5; ++i) {  // greatest scores and sums, before and after a chunk, and what they differ by
        program.circular_buffer(cores, rows * inner);
    }
    program.circular_buffer(cores, rows * value_width * tile_bytes(buffers.output.dtype()));
}

compute::KeySequence sequence_of(const Tensor& tensor) { return {{{tensor, tensor.logical_shape()[2]}}}; }

compute::KeySequence sequence_of(const Tensor& blocks, const Tensor& table, size_t batches) {
    compute::KeySequence sequence = sequence_of(blocks);
    sequence.pages_per_batch = table.logical_shape()[-1];
    sequence.pages.resize(batches * sequence.pages_per_batch);
    const Dense<uint32_t> numbers = read<uint32_t>(table);
    std::copy_n(numbers.begin(), sequence.pages.size(), sequence.pages.begin());
    return sequence;
}

void attend_all(const Tensor& q, const compute::KeySequence& keys, const compute::KeySequence& values, double scale,
                Tensor& output, std::vector<float>* log_sums) {
    const Shape& shape = q.logical_shape();
    const compute::KeyRange all{0, keys.rows()};
    const auto visible = [&](size_t, size_t) { return all; };
    compute::attention({.queries = q,
                        .batches = shape[0],
                        .heads = shape[1],
                        .query_rows = shape[2],
                        .runs = {{0, shape[2]}},
                        .keys = keys,
                        .values = &values,
                        .value_width = values.width(),
                        .scale = scale,
                        .visible = visible},
                       {output, 1, log_sums});
}

}  // namespace ttnn::attention
