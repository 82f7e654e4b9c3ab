// What matmul and linear share: shapes, checks, choice of program and output.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "ttnn/core/math.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::matmul_rules {

// The arguments of a product, whichever operation asks for it.
struct Arguments {
    std::string_view op;
    const Tensor& a;
    const Tensor& b;
    std::optional<Tensor> bias{};
    bool transpose_a = false;
    bool transpose_b = false;
    std::optional<MemoryConfig> memory_config{};
    std::optional<DataType> dtype{};
    std::optional<MatmulProgramConfig> program_config{};
    std::optional<Activation> activation{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    std::optional<CoreGrid> core_grid{};
    std::optional<Tile> output_tile{};
    std::optional<Tensor> output{};
};

// What the operations of products declare alike: their fields behind the operands, and the call that they ask for.
template <class Params>
inline constexpr FieldList product_fields{
    kw<&Params::transpose_a>("transpose the last two dimensions of the first"),
    kw<&Params::transpose_b>("transpose the last two dimensions of the second"),
    kw<&Params::memory_config>("default: DRAM interleaved; shards come from the program config"),
    kw<&Params::dtype>("of the result, default: of the first tensor"),
    kw<&Params::program_config>("how the work is cut; may carry an activation"),
    kw<&Params::activation>("function applied to the result"),
    kw<&Params::compute_kernel_config>("precision, no effect on results here"),
    kw<&Params::core_grid>("cores to use; not together with a program config"),
    kw<&Params::output_tile>("tile shape of the result"),
    kw<&Params::optional_output_tensor>("written and returned").mutates(),
    kw<&Params::global_cb>("no effect"),
    kw<&Params::sub_device_id>("no effect")};

template <class Params>
Arguments product_arguments(std::string_view op, const Params& p) {
    Arguments arguments{.op = op,
                        .a = p.input_tensor_a,
                        .b = p.input_tensor_b,
                        .transpose_a = p.transpose_a,
                        .transpose_b = p.transpose_b,
                        .memory_config = p.memory_config,
                        .dtype = p.dtype,
                        .program_config = p.program_config,
                        .activation = p.activation,
                        .compute_kernel_config = p.compute_kernel_config,
                        .core_grid = p.core_grid,
                        .output_tile = p.output_tile,
                        .output = p.optional_output_tensor};
    if constexpr (requires { p.bias; }) {
        arguments.bias = p.bias;
    }
    return arguments;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

struct Dims {
    size_t batches = 1;
    uint32_t m = 1;
    uint32_t n = 1;
    uint32_t k = 1;
    bool shared_b = true;  // one b for all batches of a
    Shape output;
};

inline uint64_t batch_volume(const Shape& shape) {
    uint64_t volume = 1;
    for (size_t i = 2; i < shape.rank(); ++i) {
        volume *= shape.from_end(i);
    }
    return volume;
}

inline void check_batches(const Arguments& args, const Shape& a, const Shape& b) {
    if (batch_volume(b) == 1) {
        return;
    }
    bool equal = a.rank() == b.rank();
    for (size_t i = 2; i < b.rank(); ++i) {
        equal = equal && a.from_end(i) == b.from_end(i);
    }
    require(equal,
            "{}: argument 'input_tensor_b' has {}; its batch dimensions must all be 1 or equal those of "
            "'input_tensor_a', which has {}",
            args.op, b, a);
}

// Rows and columns after the requested transpose; vectors are one row (a) or one column (b) and are not transposed.
struct Matrix {
    uint32_t rows = 1;
    uint32_t columns = 1;
};
inline Matrix matrix_of(const Shape& shape, bool transpose, bool vector_is_row) {
    if (shape.rank() == 1) {
        return vector_is_row ? Matrix{1, shape[0]} : Matrix{shape[0], 1};
    }
    const Matrix matrix{shape.from_end(1), shape.from_end(0)};
    return transpose ? Matrix{matrix.columns, matrix.rows} : matrix;
}

inline Dims dims_of(const Arguments& args) {
    const Shape& a = args.a.logical_shape();
    const Shape& b = args.b.logical_shape();
    require(a.rank() > 0 && b.rank() > 0, "{}: scalars (rank 0) cannot be multiplied as matrices, got {} and {}",
            args.op, a, b);
    check_batches(args, a, b);
    const Matrix left = matrix_of(a, args.transpose_a, true);
    const Matrix right = matrix_of(b, args.transpose_b, false);
    Dims dims{batch_volume(a), left.rows, right.columns, left.columns, batch_volume(b) == 1, {}};
    for (size_t i = 0; i + 2 < a.rank(); ++i) {
        dims.output.push_back(a[static_cast<int64_t>(i)]);
    }
    if (a.rank() > 1) {
        dims.output.push_back(dims.m);
    }
    if (b.rank() > 1) {
        dims.output.push_back(dims.n);
    }
    return dims;
}

// The same counted in tiles; `rows` has all batches.
struct TileDims {
    uint32_t batches = 1;
    uint32_t rows = 1;
    uint32_t rows_per_batch = 1;
    uint32_t columns = 1;
    uint32_t inner = 1;
};

inline TileDims tile_dims(const Arguments& args, const Dims& dims) {
    const uint32_t height = args.a.spec().tile().height();
    const uint32_t width = args.b.spec().tile().width();
    // Empty tensors count as one tile, so that grids and blocks stay meaningful.
    const auto count = [](uint32_t size, uint32_t tile) { return std::max(div_up(size, tile), 1U); };
    const uint32_t batches = std::max(static_cast<uint32_t>(dims.batches), 1U);
    const uint32_t rows = count(dims.m, height);
    return {batches, batches * rows, rows, count(dims.n, width), count(dims.k, tile_size)};
}

// --- activation and bias ---------------------------------------------------------------------------------------------

inline std::optional<UnaryWithParam> config_activation(const std::optional<MatmulProgramConfig>& config) {
    if (!config) {
        return std::nullopt;
    }
    return std::visit(
        [](const auto& c) -> std::optional<UnaryWithParam> {
            if constexpr (requires { c.fused_activation; }) {
                return c.fused_activation;
            } else {
                return std::nullopt;
            }
        },
        *config);
}

// The program configuration's activation goes before the argument.
inline std::optional<UnaryWithParam> activation_of(const Arguments& args) {
    if (auto fused = config_activation(args.program_config)) {
        return fused;
    }
    if (!args.activation) {
        return std::nullopt;
    }
    if (const auto* name = std::get_if<std::string>(&*args.activation)) {
        return activation_from_name(*name);
    }
    return std::get<UnaryWithParam>(*args.activation);
}

inline bool in_dram(const MemoryConfig& config) { return config.interleaved() && config.is_dram(); }

// An activation that is an argument runs as an operation of its own unless a core grid is given.
inline bool activation_is_fused(const Arguments& args) {
    return config_activation(args.program_config) || args.core_grid;
}

// Without a program configuration or core grid only products that live in DRAM altogether take the bias along. One that
// is wider than the product or has rows besides the one that is added can only be cut to size inside.
inline bool bias_is_fused(const Arguments& args) {
    const Shape& bias = args.bias->logical_shape();
    if (bias.from_end(0) != matrix_of(args.b.logical_shape(), args.transpose_b, false).columns ||
        bias.from_end(1) != 1) {
        return true;
    }
    const MemoryConfig output =
        args.output ? args.output->memory_config() : args.memory_config.value_or(MemoryConfig());
    return args.program_config || args.core_grid ||
           (in_dram(args.a.memory_config()) && in_dram(args.b.memory_config()) && in_dram(output));
}

// --- program ---------------------------------------------------------------------------------------------------------

inline CoreCoord grid_of(const CoreGrid& grid) { return {grid.x, grid.y}; }

// Largest divisor of `value` that is at most `limit`.
inline int64_t largest_divisor(int64_t value, int64_t limit) {
    int64_t divisor = std::min(value, limit);
    while (divisor > 1 && value % divisor != 0) {
        --divisor;
    }
    return std::max<int64_t>(divisor, 1);
}

// Cuts rows and columns over a rectangle of cores. The block along the inner dimension is our choice: the original has
// heuristics that depend on the release.
inline MatmulProgramConfig grid_config(const TileDims& tiles, CoreCoord grid, bool transposed) {
    const uint32_t along_rows = transposed ? grid.x : grid.y;
    const uint32_t along_columns = transposed ? grid.y : grid.x;
    MatmulMultiCoreReuseMultiCastProgramConfig config;
    config.compute_with_storage_grid_size = grid;
    config.in0_block_w = largest_divisor(tiles.inner, 4);
    config.per_core_M = div_up(tiles.rows, along_rows);
    config.per_core_N = div_up(tiles.columns, along_columns);
    config.transpose_mcast = transposed;
    return config;
}

inline MatmulProgramConfig row_config(const TileDims& tiles, CoreCoord grid, uint32_t rows_per_core,
                                      int64_t in0_block_w) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = grid;
    config.in0_block_w = in0_block_w;
    config.per_core_M = rows_per_core;
    config.per_core_N = tiles.columns;
    config.mcast_in0 = false;
    return config;
}

inline MatmulProgramConfig column_config(const TileDims& tiles, CoreCoord grid, uint32_t cores, int64_t in0_block_w) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = grid;
    config.in0_block_w = in0_block_w;
    config.per_core_M = tiles.rows;
    config.per_core_N = div_up(tiles.columns, cores);
    return config;
}

// The configuration for a sharded first operand: its shards stay where they are.
inline MatmulProgramConfig config_from_shards(const Tensor& a, const TileDims& tiles) {
    const ShardSpec& shards = *a.memory_config().shard_spec();
    const CoreCoord end = shards.grid.bounding_box().end;
    const CoreCoord grid{end.x + 1, end.y + 1};
    const uint32_t shard_rows = div_up(shards.shape[0], a.spec().tile().height());
    const uint32_t shard_columns = div_up(shards.shape[1], a.spec().tile().width());
    switch (a.memory_config().memory_layout()) {
        case TensorMemoryLayout::HEIGHT_SHARDED: return row_config(tiles, grid, shard_rows, shard_columns);
        case TensorMemoryLayout::WIDTH_SHARDED:
            return column_config(tiles, grid, shards.num_cores(), largest_divisor(tiles.inner, shard_columns));
        default: return grid_config(tiles, grid, shards.orientation == ShardOrientation::COL_MAJOR);
    }
}

inline MatmulProgramConfig config_from_output(const MemoryConfig& output, const TileDims& tiles, CoreCoord grid) {
    const uint32_t cores = grid.x * grid.y;
    switch (output.memory_layout()) {
        case TensorMemoryLayout::HEIGHT_SHARDED:
            return row_config(tiles, grid, div_up(tiles.rows, cores), largest_divisor(tiles.inner, 4));
        case TensorMemoryLayout::WIDTH_SHARDED:
            return column_config(tiles, grid, cores, largest_divisor(tiles.inner, 4));
        default: return grid_config(tiles, grid, false);
    }
}

// The configuration that runs: the given one, or one that follows from where the tensors live. None: the simple
// program, which deals output tiles to cores.
inline std::optional<MatmulProgramConfig> chosen_config(const Arguments& args, const TileDims& tiles) {
    if (args.program_config) {
        return args.program_config;
    }
    if (args.core_grid) {
        return grid_config(tiles, grid_of(*args.core_grid), false);
    }
    if (args.a.memory_config().shard_spec()) {
        return config_from_shards(args.a, tiles);
    }
    const CoreCoord grid = args.a.device()->compute_grid();
    if (args.memory_config && args.memory_config->is_sharded()) {
        return config_from_output(*args.memory_config, tiles, grid);
    }
    if (args.bias && bias_is_fused(args)) {  // the simple program has no place for a bias
        return grid_config(tiles, grid, false);
    }
    return std::nullopt;
}

// --- output ----------------------------------------------------------------------------------------------------------

// How many blocks of per_core_M x per_core_N tiles the output has.
struct Blocks {
    uint32_t rows = 1;
    uint32_t columns = 1;
    uint32_t count() const { return rows * columns; }
};
inline Blocks blocks_of(uint32_t rows, uint32_t columns, int64_t per_core_m, int64_t per_core_n) {
    return {div_up(rows, static_cast<uint32_t>(per_core_m)), div_up(columns, static_cast<uint32_t>(per_core_n))};
}

// Without fuse_batch the batch is a loop on each core and does not count.
template <class Config>
Blocks multicast_blocks(const TileDims& tiles, const Config& config) {
    const uint32_t rows = config.fuse_batch ? tiles.rows : tiles.rows_per_batch;
    return blocks_of(rows, tiles.columns, config.per_core_M, config.per_core_N);
}

inline CoreRangeSet first_cores(std::string_view op, uint32_t count, CoreCoord grid, bool row_wise) {
    require(count <= grid.x * grid.y,
            "{}: argument 'program_config' cuts the output into {} blocks, but its grid of {} x {} has {} cores", op,
            count, grid.x, grid.y, grid.x * grid.y);
    return num_cores_to_corerangeset(count, grid, row_wise);
}

inline CoreRangeSet rectangle(std::string_view op, uint32_t x, uint32_t y, CoreCoord grid) {
    require(x <= grid.x && y <= grid.y,
            "{}: argument 'program_config' cuts the output into {} x {} blocks, but its grid is {} x {}", op, x, y,
            grid.x, grid.y);
    return CoreRangeSet(CoreRange({0, 0}, {x - 1, y - 1}));
}

inline ShardOrientation reuse_orientation(const Arguments& args) {
    for (const Tensor* tensor : {&args.a, &args.b}) {
        if (tensor->memory_config().shard_spec()) {
            return tensor->memory_config().shard_spec()->orientation;
        }
    }
    return ShardOrientation::COL_MAJOR;
}

// The cores that compute an output block each, and the order in which blocks are dealt to them.
struct Placement {
    CoreRangeSet cores;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
};

inline Placement place(const Arguments& args, const TileDims& tiles,
                       const MatmulMultiCoreReuseMultiCast1DProgramConfig& config) {
    const Blocks blocks = multicast_blocks(tiles, config);
    return {first_cores(args.op, blocks.count(), config.compute_with_storage_grid_size, true)};
}
inline Placement place(const Arguments& args, const TileDims& tiles,
                       const MatmulMultiCoreReuseMultiCastProgramConfig& config) {
    const Blocks blocks = multicast_blocks(tiles, config);
    const CoreCoord grid = config.compute_with_storage_grid_size;
    if (config.transpose_mcast) {
        return {rectangle(args.op, blocks.rows, blocks.columns, grid), ShardOrientation::COL_MAJOR};
    }
    return {rectangle(args.op, blocks.columns, blocks.rows, grid)};
}
inline Placement place(const Arguments& args, const TileDims& tiles, const MatmulMultiCoreReuseProgramConfig& config) {
    const Blocks blocks = blocks_of(tiles.rows, tiles.columns, config.per_core_M, config.per_core_N);
    const CoreCoord grid = config.compute_with_storage_grid_size;
    const ShardOrientation orientation = reuse_orientation(args);
    // More blocks than cores: a core computes several; only a sharded output needs a core for each.
    const uint32_t cores = std::min(blocks.count(), grid.x * grid.y);
    return {num_cores_to_corerangeset(cores, grid, orientation == ShardOrientation::ROW_MAJOR), orientation};
}
inline Placement place(const Arguments& args, const TileDims& tiles,
                       const MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig& config) {
    const Blocks blocks = blocks_of(tiles.rows, tiles.columns, config.per_core_M, config.per_core_N);
    return {first_cores(args.op, blocks.count(), args.a.device()->compute_grid(), true)};
}
inline Placement place(const Arguments& args, const TileDims& tiles,
                       const MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig&) {
    return {split_work_to_cores(args.a.device()->compute_grid(), tiles.batches, true).all_cores};
}

inline bool keeps_callers_shards(const MatmulProgramConfig& config) {
    const auto* one_d = std::get_if<MatmulMultiCoreReuseMultiCast1DProgramConfig>(&config);
    return (one_d != nullptr && one_d->gather_in0) ||
           std::holds_alternative<MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig>(config);
}

// The caller's memory configuration; its shards come from the program configuration. A complete shard specification
// without any program configuration is taken as it is.
inline MemoryConfig output_memory(const Arguments& args, const TileDims& tiles) {
    MemoryConfig wanted = args.memory_config.value_or(MemoryConfig());
    const bool complete = wanted.shard_spec() || wanted.nd_shard_spec();
    if (!wanted.is_sharded() || (complete && !args.program_config)) {
        return wanted;
    }
    const MatmulProgramConfig config = *chosen_config(args, tiles);
    if (keeps_callers_shards(config)) {
        return wanted;
    }
    return std::visit(
        [&](const auto& c) {
            const Placement placement = place(args, tiles, c);
            const std::array<uint32_t, 2> shape{static_cast<uint32_t>(c.per_core_M) * args.a.spec().tile().height(),
                                                static_cast<uint32_t>(c.per_core_N) * args.b.spec().tile().width()};
            return wanted.with_shard_spec(ShardSpec{placement.cores, shape, placement.orientation});
        },
        config);
}

inline bool untilizes(const Arguments& args) {
    const auto* config = args.program_config
                             ? std::get_if<MatmulMultiCoreReuseMultiCast1DProgramConfig>(&*args.program_config)
                             : nullptr;
    return config != nullptr && config->untilize_out;
}

inline DataType result_dtype(const Arguments& args) {
    return output_dtype(args.op, args.dtype, args.output, args.a.dtype());
}

inline Tile result_tile(const Arguments& args) {
    const uint32_t height = args.a.spec().tile().height();
    const uint32_t width = args.b.spec().tile().width();
    if (!args.output_tile) {
        return args.output ? args.output->spec().tile() : Tile({height, width});
    }
    require(args.output_tile->height() == height && args.output_tile->width() % width == 0,
            "{}: argument 'output_tile' must be {} high and a multiple of {} wide as the inputs' tiles are, got {}",
            args.op, height, width, args.output_tile->to_string());
    return *args.output_tile;
}

inline TensorSpec result_spec(const Arguments& args) {
    if (args.output) {
        return args.output->spec();
    }
    const Dims dims = dims_of(args);
    const Layout layout = untilizes(args) ? Layout::ROW_MAJOR : Layout::TILE;
    return TensorSpec(dims.output, result_dtype(args), layout, output_memory(args, tile_dims(args, dims)),
                      result_tile(args));
}

// --- checks ----------------------------------------------------------------------------------------------------------

inline void check_operands(const Arguments& args) {
    check_layout(args.op, "input_tensor_a", args.a, Layout::TILE);
    check_layout(args.op, "input_tensor_b", args.b, Layout::TILE);
    require(is_floating(args.a.dtype()), "{}: argument 'input_tensor_a' must have a floating dtype, got {}", args.op,
            args.a.dtype());
    const uint32_t a_inner = args.transpose_a ? args.a.spec().tile().height() : args.a.spec().tile().width();
    const uint32_t b_inner = args.transpose_b ? args.b.spec().tile().width() : args.b.spec().tile().height();
    require(a_inner == tile_size && b_inner == tile_size,
            "{}: tiles must be 32 long along the inner dimension, got {} and {}", args.op, a_inner, b_inner);
    require(!args.core_grid || !args.program_config,
            "{}: arguments 'core_grid' and 'program_config' cannot be given together", args.op);
}

inline void check_inner(const Arguments& args) {
    const Shape& a = args.a.logical_shape();
    const Shape& b = args.b.logical_shape();
    const Matrix left = matrix_of(a, args.transpose_a, true);
    const Matrix right = matrix_of(b, args.transpose_b, false);
    require(left.columns == right.rows,
            "{}: The width of the first tensor must be equal to the height of the second tensor, got {} and {} from {} "
            "and {}",
            args.op, left.columns, right.rows, a, b);
}

inline void check_bias(const Arguments& args, const Dims& dims) {
    if (!args.bias) {
        return;
    }
    const Shape& shape = args.bias->logical_shape();
    check_layout(args.op, "bias", *args.bias, Layout::TILE);
    require(dims.shared_b, "{}: argument 'bias' cannot be used with a batched 'input_tensor_b', which has {}", args.op,
            args.b.logical_shape());
    require(batch_volume(shape) == 1 && shape.rank() > 0 && shape.from_end(0) >= dims.n,
            "{}: argument 'bias' must have batch dimensions of 1 and {} columns, got {}", args.op, dims.n, shape);
    // Only its first row is added; rows below may fill the tile.
    const uint32_t height = args.a.spec().tile().height();
    require(args.bias->padded_shape().from_end(1) == height,
            "{}: argument 'bias' must be one tile of 'input_tensor_a' high, which is {} rows with padding; got {} rows "
            "from {}",
            args.op, height, args.bias->padded_shape().from_end(1), shape);
}

inline void check_activation(const Arguments& args) {
    activation_of(args);  // a name that does not exist throws
    require(!args.activation || !(args.a.is_sharded() || args.b.is_sharded()),
            "{}: argument 'activation' cannot be used with sharded inputs; set fused_activation in 'program_config'",
            args.op);
}

inline void check_positive(std::string_view op, std::initializer_list<std::pair<std::string_view, int64_t>> members) {
    for (const auto& [name, value] : members) {
        require(value > 0, "{}: argument 'program_config': {} must be positive, got {}", op, name, value);
        constexpr int64_t largest = std::numeric_limits<int32_t>::max();
        require(value <= largest, "{}: argument 'program_config': {} must be at most {}, got {}", op, name, largest,
                value);
    }
}

inline void check_block_sizes(const Arguments& args) {
    std::visit(
        [&](const auto& config) {
            check_positive(args.op, {{"in0_block_w", config.in0_block_w},
                                     {"per_core_M", config.per_core_M},
                                     {"per_core_N", config.per_core_N}});
        },
        *args.program_config);
}

inline void check_blocks(const Arguments& args, const TileDims& tiles, int64_t in0_block_w, int64_t block_h,
                         int64_t block_w, int64_t subblock_h, int64_t subblock_w) {
    check_positive(args.op, {{"out_subblock_h", subblock_h}, {"out_subblock_w", subblock_w}});
    require(tiles.inner % in0_block_w == 0,
            "{}: argument 'program_config': in0_block_w ({}) must divide the inner dimension of {} tiles", args.op,
            in0_block_w, tiles.inner);
    require(block_h % subblock_h == 0 && block_w % subblock_w == 0,
            "{}: argument 'program_config': the output block of {} x {} tiles must be a multiple of the subblock of "
            "{} x {}",
            args.op, block_h, block_w, subblock_h, subblock_w);
}

inline void check_grid(const Arguments& args, CoreCoord grid, std::string_view argument) {
    const CoreCoord device = args.a.device()->compute_grid();
    require(grid.x >= 1 && grid.y >= 1 && grid.x <= device.x && grid.y <= device.y,
            "{}: argument '{}': a grid of {} x {} cores does not fit the device's compute grid of {} x {}", args.op,
            argument, grid.x, grid.y, device.x, device.y);
}

template <class Config>
void check_multicast(const Arguments& args, const TileDims& tiles, const Config& config) {
    const int64_t block_h = config.out_block_h.value_or(config.per_core_M);
    const int64_t block_w = config.out_block_w.value_or(config.per_core_N);
    check_positive(args.op, {{"out_block_h", block_h}, {"out_block_w", block_w}});
    require(config.per_core_M % block_h == 0 && config.per_core_N % block_w == 0,
            "{}: argument 'program_config': out_block_h and out_block_w ({}, {}) must divide per_core_M and "
            "per_core_N ({}, {})",
            args.op, block_h, block_w, config.per_core_M, config.per_core_N);
    check_blocks(args, tiles, config.in0_block_w, block_h, block_w, config.out_subblock_h, config.out_subblock_w);
}

inline void check_config(const Arguments& args, const TileDims& tiles, const MatmulMultiCoreReuseProgramConfig& c) {
    check_grid(args, c.compute_with_storage_grid_size, "program_config");
    check_blocks(args, tiles, c.in0_block_w, c.per_core_M, c.per_core_N, c.out_subblock_h, c.out_subblock_w);
}
inline void check_config(const Arguments& args, const TileDims& tiles,
                         const MatmulMultiCoreReuseMultiCastProgramConfig& c) {
    check_multicast(args, tiles, c);
    check_positive(args.op, {{"compute_with_storage_grid_size.x", c.compute_with_storage_grid_size.x},
                             {"compute_with_storage_grid_size.y", c.compute_with_storage_grid_size.y}});
    // The grid may be larger than the device's, as long as the blocks find their cores.
    const CoreRange used = place(args, tiles, c).cores.bounding_box();
    check_grid(args, used.grid_size(), "program_config");
}
inline void check_config(const Arguments& args, const TileDims& tiles,
                         const MatmulMultiCoreReuseMultiCast1DProgramConfig& c) {
    if (!c.gather_in0) {  // a ring of cores has its own block rules
        check_grid(args, c.compute_with_storage_grid_size, "program_config");
        check_multicast(args, tiles, c);
    }
    const DataType dtype = result_dtype(args);
    require(!c.untilize_out || dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32,
            "{}: argument 'program_config': untilize_out needs a BFLOAT16 or FLOAT32 output, got {}", args.op, dtype);
}

inline void check_width_sharded(const Arguments& args, std::string_view what, const MemoryConfig& config,
                                BufferType buffer) {
    const bool row_major = !config.shard_spec() || config.shard_spec()->orientation == ShardOrientation::ROW_MAJOR;
    require(config.memory_layout() == TensorMemoryLayout::WIDTH_SHARDED && config.buffer_type() == buffer && row_major,
            "{}: argument 'program_config' (DRAM sharded): {} must be width sharded in {} with orientation ROW_MAJOR, "
            "got {}",
            args.op, what, buffer, config);
}
inline void check_config(const Arguments& args, const TileDims& tiles,
                         const MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig&) {
    check_width_sharded(args, "input_tensor_a", args.a.memory_config(), BufferType::L1);
    check_width_sharded(args, "input_tensor_b", args.b.memory_config(), BufferType::DRAM);
    const MemoryConfig output =
        args.output ? args.output->memory_config() : args.memory_config.value_or(MemoryConfig());
    check_width_sharded(args, "the output", output, BufferType::L1);
    require(tiles.rows == 1,
            "{}: argument 'program_config' (DRAM sharded): input_tensor_a must be one tile high, got {} tiles", args.op,
            tiles.rows);
}
inline void check_config(const Arguments&, const TileDims&,
                         const MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig&) {}

inline void check_program(const Arguments& args, const TileDims& tiles) {
    if (args.core_grid) {
        check_grid(args, grid_of(*args.core_grid), "core_grid");
    }
    if (args.program_config) {
        check_block_sizes(args);
        std::visit([&](const auto& config) { check_config(args, tiles, config); }, *args.program_config);
    }
}

inline void check_output(const Arguments& args, const Dims& dims) {
    if (!args.output) {
        return;
    }
    check_preallocated(args.op, "optional_output_tensor", *args.output, dims.output);
    result_dtype(args);  // a dtype that contradicts the tensor's throws
    const MemoryConfig& own = args.output->memory_config();
    // DRAM interleaved is the default and therefore counts as not given.
    const bool given = args.memory_config && !in_dram(*args.memory_config);
    require(!given || args.memory_config->memory_layout() == own.memory_layout(),
            "{}: argument 'memory_config' is {}, but the preallocated output has {}; they must agree", args.op,
            args.memory_config.value_or(own), own);
    require(!given || args.memory_config->buffer_type() == own.buffer_type(),
            "{}: argument 'memory_config' is {}, but the preallocated output has {}; they must agree", args.op,
            args.memory_config.value_or(own), own);
}

inline void check(const Arguments& args) {
    check_operands(args);
    const Dims dims = dims_of(args);
    check_inner(args);
    check_bias(args, dims);
    check_activation(args);
    check_program(args, tile_dims(args, dims));
    check_output(args, dims);
    result_tile(args);
}

inline constexpr std::string_view primitive_name = "ttnn::prim::matmul";

inline std::vector<Tensor> inputs_of(const Arguments& args) {
    std::vector<Tensor> inputs{args.a, args.b};
    if (args.bias) {
        inputs.push_back(*args.bias);
    }
    return inputs;
}

inline void validate(const Arguments& args) {
    const auto output = [&] {
        check_operands(args);
        if (args.program_config) {
            check_block_sizes(args);
        }
        return result_spec(args);
    };
    check_primitive(
        primitive_name, [&] { check(args); }, [&] { return inputs_of(args); }, output);
}

}  // namespace ttnn::matmul_rules

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"

namespace ttnn::matmul_rules {

// What the reference needs to know: where the result is rounded on its way.
inline reference::LinearCall reference_call(const Arguments& args) {
    const bool separate_bias = args.bias && !bias_is_fused(args);
    return {.a = args.a,
            .b = args.b,
            .bias = args.bias,
            .transpose_a = args.transpose_a,
            .transpose_b = args.transpose_b,
            .activation = activation_of(args),
            .dtype = result_dtype(args),
            .round_before_bias = separate_bias,
            .round_before_activation = separate_bias || !activation_is_fused(args)};
}

}  // namespace ttnn::matmul_rules

#endif
