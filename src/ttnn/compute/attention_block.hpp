// A block of queries against the keys of one head.
#pragma once

#include <cstddef>
#include <span>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// Keys first to last - 1.
struct KeyRange {
    size_t first = 0;
    size_t last = 0;
    bool operator==(const KeyRange&) const = default;
};

// Queries against the keys and values of one head; dense and row-major.
struct AttentionBlock {
    size_t rows = 0;   // queries
    size_t width = 0;  // of a query and of a key
    size_t value_width = 0;
    const float* queries = nullptr;  // scaled
    const float* keys = nullptr;
    const float* values = nullptr;
    const float* mask = nullptr;  // added to the scores, `mask_stride` numbers per query; may be null
    size_t mask_stride = 0;
    std::span<const KeyRange> visible{};  // per query
    const float* sinks = nullptr;         // per query: a score that takes its share and has no value; may be null
};

// out = softmax(queries * keys^T + mask) * values in fp32, a row of zeros where a query has no score above minus
// infinity. `log_sums`: log of the sum that each row was divided by; may be null.
void attend(const AttentionBlock& block, float* out, float* log_sums = nullptr);

// All keys that any of the queries sees.
KeyRange hull(std::span<const KeyRange> ranges);

}  // namespace ttnn::compute
