// Kernels that carry tokens to the chips of their experts and back. The tensors are those of the whole mesh, in
// ROW_MAJOR. A mapping [1, 1, experts, chips] is not zero where an expert lives on a chip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttnn/compute/collectives.hpp"
#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Numbers of the experts on a chip, rising.
std::vector<uint32_t> experts_of(const Tensor& mapping, uint32_t chip);

// How tokens [batch, sequence] of the chips of a group lie behind each other.
struct TokenGrid {
    uint32_t batch = 0;  // of one chip
    uint32_t sequence = 0;
    uint32_t members = 1;
    bool along_sequence = false;  // else along the batch

    uint32_t tokens() const { return batch * sequence; }
    // Row among the tokens of the group of token number `token` of a member.
    uint64_t row(uint64_t member, uint64_t token) const {
        return along_sequence ? (token / sequence * members + member) * sequence + token % sequence
                              : member * tokens() + token;
    }
};

// Every chip of a group gets the expert numbers of all tokens of the group, and the rows of those tokens that chose an
// expert of its own; other rows are zero.
void dispatch_tokens(const Tensor& tokens, const Tensor& chosen, const Tensor& mapping, const TokenGrid& grid,
                     Tensor& rows, Tensor& metadata, std::span<const ChipGroup> groups);

// The way back: out[k] of a token is what the chip of its k-th expert holds for it, zero where that is not in the
// group. Locally reduced inputs hold one row per token for all experts of the chip, which goes to the first of them.
void combine_tokens(const Tensor& rows, const Tensor& metadata, const Tensor& mapping, const TokenGrid& grid,
                    bool locally_reduced, Tensor& output, std::span<const ChipGroup> groups);

// Of the scores of every token those of the chip's own experts, zero where the token did not choose them; and for
// chunks of tokens whether any of them chose the expert.
void scores_of_own_experts(const Tensor& scores, const Tensor& mapping, const Tensor& metadata, uint32_t chunk,
                           Tensor& own, Tensor& used);

// Of the weights that are not zero the i-th chip of a group keeps the i-th run of `count`; the others become zero.
void share_weights(const Tensor& weights, uint32_t count, Tensor& output, std::span<const ChipGroup> groups);

}  // namespace ttnn::compute
