// Scaled dot product attention in blocks of queries and keys: what is held at a time is a block of scores, never the
// matrix of a long sequence, and blocks that no query sees are not computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttnn/compute/attention_block.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Keys or values of all heads, the rows of a head one after the other.
struct KeySequence {
    // The first `rows` rows of each head of [batches, heads, at least that many rows, width].
    struct Part {
        Tensor tensor;
        size_t rows = 0;
    };
    std::vector<Part> parts;
    // Paged: one part [blocks, heads, rows of a block, width]; block number pages[batch * pages_per_batch + i] holds
    // the i-th rows of a batch.
    std::vector<uint32_t> pages{};
    size_t pages_per_batch = 0;

    size_t rows() const;
    size_t heads() const;
    size_t width() const;
    void read(size_t batch, size_t head, KeyRange rows, float* to) const;
};

// Rows of a tensor of queries that stand together.
struct QueryRun {
    size_t first = 0;
    size_t rows = 0;
};

// The whole work of a primitive on one chip. The queries' elements are taken for [batches, heads, query_rows, width];
// so are the output's, for [batches, heads, all rows of the runs, value_width].
struct AttentionCall {
    Tensor queries;
    size_t batches = 0;
    size_t heads = 0;  // a multiple of the heads of keys and of values, which serve neighbours
    size_t query_rows = 0;
    std::vector<QueryRun> runs;  // the queries that are asked for, in the order of the output
    const KeySequence& keys;
    const KeySequence* values = nullptr;  // null: the first columns of the keys
    size_t value_width = 0;
    double scale = 1.0;
    Tensor mask{};               // [1 or batches, mask_heads, query_rows, keys]; may be none
    size_t mask_heads = 1;       // 1 or heads
    std::vector<float> sinks{};  // not scaled; per head, or per head and query where `sinks_by_row`
    bool sinks_by_row = false;
    FunctionRef<KeyRange(size_t batch, size_t query)> visible;  // of a query in [0, query_rows)
};

// Where results go: an output whose matrices (its last two dimensions) hold the rows of `heads_per_matrix` heads, and
// stay zero below them.
struct AttentionOutput {
    Tensor& tensor;
    size_t heads_per_matrix = 1;
    // The logs of the rows' sums, as a tensor [batches, heads, rows of all calls, 1]; null: not wanted.
    std::vector<float>* log_sums = nullptr;
};

void attention(const AttentionCall& call, const AttentionOutput& output);

}  // namespace ttnn::compute
