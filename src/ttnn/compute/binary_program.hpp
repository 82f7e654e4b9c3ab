// The primitive behind the binary operations: ttnn::prim::binary, its circular buffers and its kernel.
#pragma once

#include "ttnn/compute/guard.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/eltwise/binary_arguments.hpp"

namespace ttnn::compute {

// Operands in TILE whose shapes broadcast to the output's; writes into call.output where there is one.
Tensor launch_binary(const BinaryArguments& call, const TensorSpec& output);

// Circular buffer of one operand or output: its own shard where it is sharded in L1, else 2 * block tiles.
void operand_buffer(Program& program, const Tensor& tensor, const CoreRangeSet& cores, uint64_t block);
// Tiles that are handled at once: 1 for interleaved data, else the largest divisor <= 8 of the tiles per shard.
uint64_t block_tiles(std::span<const Tensor> tensors);

}  // namespace ttnn::compute
