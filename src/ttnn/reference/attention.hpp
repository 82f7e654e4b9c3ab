// Attention by definition: every score on its own, in logarithms.
#pragma once

#include <functional>

#include "ttnn/ops/transformer/attention_rules.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// Row `index` of a head of a batch.
using HeadRow = std::function<void(size_t batch, size_t head, size_t index, std::span<double> to)>;

// Everything must own what it uses: large results are computed when they are asked for.
struct Attention {
    Shape shape;  // of the result: [batches, heads, queries, width of a value]
    size_t keys = 0;
    size_t width = 0;
    double scale = 1.0;
    HeadRow query;
    HeadRow key;    // of the head of keys that serves a head of queries
    HeadRow value;  // the same
    size_t key_heads = 0;
    size_t value_heads = 0;
    std::function<bool(size_t batch, size_t query, size_t key)> sees;
    // Added to the scores of a query; empty: nothing.
    std::function<void(size_t batch, size_t head, size_t query, std::span<double> scores)> add_mask{};
    std::function<double(size_t head)> sink{};  // a score without a value, not scaled; empty: none
};

Array attention(const Attention& problem);
// The logs of the sums that the rows are divided by: [batches, heads, queries, 1].
Array attention_log_sums(const Attention& problem);

// Rows of a tensor [batches, heads, rows, width], and of one whose first dimension counts blocks of rows that a table
// [batches, pages] names.
HeadRow rows_of(const Tensor& tensor);
HeadRow paged_rows_of(const Tensor& tensor, const Tensor& table);
// The first `count` rows of one sequence, then another.
HeadRow joined(const HeadRow& first, size_t count, const HeadRow& second);

Array prefill(const attention::Prefill& call);
Array decode(const attention::Decode& call);

}  // namespace ttnn::reference
