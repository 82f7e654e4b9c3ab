#include "ttnn/ops/matmul/matmul_program.hpp"

#include <algorithm>
#include <tuple>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/eltwise/binary.hpp"

namespace ttnn::matmul_program {
namespace {

using matmul_rules::Arguments;
using matmul_rules::Dims;
using matmul_rules::TileDims;

// One program's blocks, in tiles.
struct BlockPlan {
    CoreRangeSet cores;
    uint64_t in0_block_w = 1;
    uint64_t block_h = 1;
    uint64_t block_w = 1;
    uint64_t batches = 1;     // that the blocks of one product are counted for
    bool in0_travels = true;  // a sharded first operand is sent to other cores, so it needs a landing buffer
};

BlockPlan plan(const Arguments& args, const TileDims& tiles, const MatmulMultiCoreReuseProgramConfig& c) {
    return {.cores = place(args, tiles, c).cores,
            .in0_block_w = static_cast<uint64_t>(c.in0_block_w),
            .block_h = static_cast<uint64_t>(c.per_core_M),
            .block_w = static_cast<uint64_t>(c.per_core_N),
            .batches = tiles.batches,
            .in0_travels = false};
}
template <class Config>
BlockPlan multicast_plan(const Arguments& args, const TileDims& tiles, const Config& c, bool in0_travels) {
    return {.cores = place(args, tiles, c).cores,
            .in0_block_w = static_cast<uint64_t>(c.in0_block_w),
            .block_h = static_cast<uint64_t>(c.out_block_h.value_or(c.per_core_M)),
            .block_w = static_cast<uint64_t>(c.out_block_w.value_or(c.per_core_N)),
            .batches = c.fuse_batch ? 1 : tiles.batches,
            .in0_travels = in0_travels};
}
BlockPlan plan(const Arguments& args, const TileDims& tiles, const MatmulMultiCoreReuseMultiCastProgramConfig& c) {
    return multicast_plan(args, tiles, c, true);
}
BlockPlan plan(const Arguments& args, const TileDims& tiles, const MatmulMultiCoreReuseMultiCast1DProgramConfig& c) {
    return multicast_plan(args, tiles, c, c.mcast_in0 && !c.gather_in0);
}
// The specification gives no figures for the two DRAM-sharded programs; they are sized as the multicast ones.
template <class Config>
BlockPlan plan(const Arguments& args, const TileDims& tiles, const Config& c) {
    return {.cores = place(args, tiles, c).cores,
            .in0_block_w = static_cast<uint64_t>(c.in0_block_w),
            .block_h = static_cast<uint64_t>(c.per_core_M),
            .block_w = static_cast<uint64_t>(c.per_core_N)};
}

uint64_t tile_bytes(const Tensor& tensor) { return tensor.spec().tile().bytes(tensor.dtype()); }

bool shard_in_l1(const Tensor& tensor) { return tensor.memory_config().shard_spec() && tensor.memory_config().is_l1(); }

// Partial sums live in the output's buffer when they have its format.
DataType partials_dtype(const Arguments& args, DataType output, uint64_t blocks) {
    const auto& config = args.compute_kernel_config;
    const bool fp32 = config ? config->fp32_dest_acc_en : output == DataType::FLOAT32;
    const bool l1_accumulation = (config ? config->packer_l1_acc : true) && blocks > (args.bias ? 1U : 2U);
    if (fp32) {
        return DataType::FLOAT32;
    }
    return l1_accumulation ? DataType::BFLOAT16 : output;
}

void declare_in0(Program& program, const Arguments& args, const BlockPlan& plan, uint64_t factor) {
    const bool sharded = shard_in_l1(args.a);
    if (sharded && !plan.in0_travels) {
        program.global_circular_buffer(args.a, shard_bytes(args.a));
        return;
    }
    program.circular_buffer(plan.cores, factor * plan.block_h * plan.in0_block_w * tile_bytes(args.a));
    if (sharded) {
        program.global_circular_buffer(args.a, shard_bytes(args.a));
        program.circular_buffer(plan.cores, 64);  // semaphore value
    }
}

void declare_blocks(Program& program, const Arguments& args, const TileDims& tiles, const BlockPlan& plan,
                    const Tensor& output) {
    const uint64_t blocks = tiles.inner / plan.in0_block_w;
    const uint64_t factor = plan.batches * blocks > 1 ? 2 : 1;
    declare_in0(program, args, plan, factor);
    if (shard_in_l1(args.b)) {
        program.global_circular_buffer(args.b, shard_bytes(args.b));
    } else {
        program.circular_buffer(plan.cores, factor * plan.block_w * plan.in0_block_w * tile_bytes(args.b));
    }
    const DataType partials = partials_dtype(args, output.dtype(), blocks);
    const Tile& tile = output.spec().tile();
    const uint64_t out_tiles = plan.block_h * plan.block_w;
    if (shard_in_l1(output)) {
        program.global_circular_buffer(output, shard_bytes(output));
    } else {
        program.circular_buffer(plan.cores, out_tiles * tile.bytes(output.dtype()));
    }
    if (partials != output.dtype()) {
        program.circular_buffer(plan.cores, out_tiles * tile.bytes(partials));
    }
    if (args.bias) {
        program.circular_buffer(plan.cores, plan.block_w * tile_bytes(*args.bias));
    }
}

// Blocks of the output by size, the largest first and of equal ones the squarest: their sides divide `plan`'s.
std::vector<std::pair<uint64_t, uint64_t>> smaller_blocks(const BlockPlan& plan) {
    std::vector<std::pair<uint64_t, uint64_t>> blocks;
    for (uint64_t h = 1; h <= plan.block_h; ++h) {
        for (uint64_t w = 1; plan.block_h % h == 0 && w <= plan.block_w; ++w) {
            if (plan.block_w % w == 0) {
                blocks.emplace_back(h, w);
            }
        }
    }
    std::ranges::stable_sort(blocks, [](const auto& a, const auto& b) {
        const auto skew = [](const auto& block) {
            return std::max(block.first, block.second) - std::min(block.first, block.second);
        };
        const uint64_t size_a = a.first * a.second;
        const uint64_t size_b = b.first * b.second;
        return size_a != size_b ? size_a > size_b : skew(a) < skew(b);
    });
    return blocks;
}

// With a core grid the caller leaves the blocks to the program: the largest that fits beside what is in L1.
void fit_blocks(const Program& program, const Arguments& args, const TileDims& tiles, const Tensor& output,
                BlockPlan& plan) {
    const Tile& tile = output.spec().tile();
    const DataType partials = partials_dtype(args, output.dtype(), tiles.inner / plan.in0_block_w);
    const auto bytes = [&](uint64_t h, uint64_t w) {
        const uint64_t in0 = h * plan.in0_block_w * tile_bytes(args.a);
        const uint64_t in1 = w * plan.in0_block_w * tile_bytes(args.b);
        const uint64_t bias = args.bias ? w * tile_bytes(*args.bias) : 0;
        return (args.transpose_a ? 3 : 2) * in0 + 2 * in1 + bias +
               h * w * (tile.bytes(output.dtype()) + tile.bytes(partials));
    };
    const uint64_t space = movement::free_l1(program);
    const auto blocks = smaller_blocks(plan);
    const auto fits = std::ranges::find_if(blocks, [&](const auto& b) { return bytes(b.first, b.second) <= space; });
    std::tie(plan.block_h, plan.block_w) = fits != blocks.end() ? *fits : blocks.back();
}

void declare(Program& program, const Arguments& args, const TileDims& tiles, const Tensor& output) {
    const auto config = matmul_rules::chosen_config(args, tiles);
    if (config) {
        BlockPlan blocks = std::visit([&](const auto& c) { return plan(args, tiles, c); }, *config);
        if (args.core_grid) {
            fit_blocks(program, args, tiles, output, blocks);
        }
        declare_blocks(program, args, tiles, blocks, output);
        return;
    }
    const CoreRangeSet cores = program.split(uint64_t{tiles.rows} * tiles.columns);
    program.circular_buffer(cores, 2 * tile_bytes(args.a));
    program.circular_buffer(cores, 2 * tile_bytes(args.b));
    program.circular_buffer(cores, 2 * tile_bytes(output));
}

// Adds the first n columns of the bias' first row to every row.
void add_bias(const Tensor& bias, const Dims& dims, std::span<float> values) {
    const Dense<float> numbers = read<float>(bias);
    compute::add_row(values.data(), numbers.data(), dims.batches * dims.m, dims.n);
}

void multiply(const Arguments& args, const Dims& dims, const std::optional<UnaryWithParam>& activation,
              std::span<const Tensor> inputs, Tensor& output) {
    const Dense<float> a = read<float>(inputs[0]);
    const Dense<float> b = read<float>(inputs[1]);
    Dense<float> result(dims.output.volume());
    compute::gemm({.batches = dims.batches,
                   .m = dims.m,
                   .n = dims.n,
                   .k = dims.k,
                   .transpose_a = args.transpose_a && args.a.logical_shape().rank() > 1,
                   .transpose_b = args.transpose_b && args.b.logical_shape().rank() > 1,
                   .shared_b = dims.shared_b},
                  a.data(), b.data(), result.data());
    if (inputs[2]) {
        add_bias(inputs[2], dims, result.span());
    }
    if (activation) {
        in_blocks(result.size(), [&](size_t first, size_t count) {
            compute::apply_unary(*activation, output.dtype(), result.data() + first, count);
        });
    }
    write<float>(output, result.span());
}

// ttnn::prim::matmul: product, bias and activation in fp32, rounded once.
Tensor run_primitive(const Arguments& args, const std::optional<UnaryWithParam>& activation) {
    const Dims dims = matmul_rules::dims_of(args);
    const TileDims tiles = matmul_rules::tile_dims(args, dims);
    const Tensor tensors[] = {args.a, args.b, args.bias.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, args, tiles, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        multiply(args, dims, activation, inputs, outputs[0]);
    };
    const TensorSpec spec = matmul_rules::result_spec(args);
    const DataType dtype = spec.dtype();
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.a).add(args.b).add(args.bias).add(args.program_config).add(spec.memory_config()).add(dtype);
        list.add(args.compute_kernel_config).add(args.core_grid).add(args.transpose_a).add(args.transpose_b);
        list.add(activation).add(args.output_tile).add(args.output);
    };
    return launch({matmul_rules::primitive_name, tensors, program, kernel, arguments}, spec, args.output);
}

// The primitive, and the bias and activation that it does not take along as operations of their own.
Tensor run_matrices(const Arguments& args) {
    const auto activation = matmul_rules::activation_of(args);
    const bool fused_activation = activation && matmul_rules::activation_is_fused(args);
    Arguments inner = args;
    const bool fused_bias = !args.bias || matmul_rules::bias_is_fused(args);
    if (!fused_bias) {
        inner.bias.reset();
    }
    // An activation cannot go before the bias.
    const bool together = fused_bias && fused_activation;
    Tensor result = run_primitive(inner, together ? activation : std::nullopt);
    if (!fused_bias) {
        result = add(result, *args.bias, {.dtype = result.dtype(), .output_tensor = args.output});
    }
    return activation && !together ? activated(result, *activation, args.output) : result;
}

}  // namespace

// Vectors become matrices around the product, unless the caller gave the tensor to write into.
Tensor run(const Arguments& args) {
    const bool row = args.a.logical_shape().rank() == 1;
    const bool column = args.b.logical_shape().rank() == 1;
    if (args.output || (!row && !column)) {
        return run_matrices(args);
    }
    const Shape shape = matmul_rules::dims_of(args).output;
    const Tensor a = row ? reshape(args.a, {1, args.a.logical_shape()[0]}) : args.a;
    const Tensor b = column ? reshape(args.b, {args.b.logical_shape()[0], 1}) : args.b;
    const Arguments lifted{.op = args.op,
                           .a = a,
                           .b = b,
                           .bias = args.bias,
                           .transpose_a = args.transpose_a && !row,
                           .transpose_b = args.transpose_b && !column,
                           .memory_config = args.memory_config,
                           .dtype = args.dtype,
                           .program_config = args.program_config,
                           .activation = args.activation,
                           .compute_kernel_config = args.compute_kernel_config,
                           .core_grid = args.core_grid,
                           .output_tile = args.output_tile};
    return reshape(run_matrices(lifted), movement::ints(shape));
}

}  // namespace ttnn::matmul_program
