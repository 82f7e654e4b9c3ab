// Checks and runs the attention operations; what of it the forms with their own primitives need.
#pragma once

#include "ttnn/compute/attention.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn::attention {

void validate(const Prefill& call);
Tensor run(const Prefill& call);
void validate(const Decode& call);
Tensor run(const Decode& call);

// --- for the other primitives ----------------------------------------------------------------------------------------

// A tile tensor of rank 4 in a dtype that attention takes, padded in its rows only.
void check_tiles(std::string_view op, std::string_view argument, const Tensor& tensor);
// The same, without shards.
void check_operand(std::string_view op, std::string_view argument, const Tensor& tensor);
// The same, and in DRAM.
void check_dram_operand(std::string_view op, std::string_view argument, const Tensor& tensor);
void check_chunks(std::string_view op, const std::optional<SDPAProgramConfig>& config);
void check_heads(std::string_view op, uint32_t queries, std::string_view argument, uint32_t keys);
void check_page_table(std::string_view op, std::string_view argument, const Tensor& table, uint32_t batches);

// Without the places of optional inputs that are not there.
std::vector<Tensor> given(std::vector<Tensor> inputs);

double scale_of(const std::optional<double>& given, const Tensor& q);
// The cores of a program config, or all.
CoreRangeSet cores_of(const Program& program, const std::optional<SDPAProgramConfig>& config);

// What tells the circular buffers of a program over chunks of queries and keys.
struct ChunkBuffers {
    Tensor q{};
    Tensor k{};
    Tensor v{};
    Tensor output{};
    uint64_t value_width = 0;
    std::optional<DataType> mask{};  // none: no mask, neither given nor made
    uint64_t page_table_bytes = 0;   // 0: no page table
    bool start_in_tensor = false;    // the position of the first query
    std::optional<DataType> sink{};
    std::optional<SDPAProgramConfig> config{};
};
void declare_chunks(Program& program, const ChunkBuffers& buffers);
// Whether the last chunk of queries or keys reaches beyond them, so that a mask has to be made.
bool is_padded(const std::optional<SDPAProgramConfig>& config, uint64_t queries, uint64_t keys);

// One sequence of keys or values as it lies, or in pages.
compute::KeySequence sequence_of(const Tensor& tensor);
compute::KeySequence sequence_of(const Tensor& blocks, const Tensor& table, size_t batches);

// All queries see all keys. `log_sums` gets those of every row; may be null.
void attend_all(const Tensor& q, const compute::KeySequence& keys, const compute::KeySequence& values, double scale,
                Tensor& output, std::vector<float>* log_sums = nullptr);

}  // namespace ttnn::attention
