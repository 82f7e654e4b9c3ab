#include "ttnn/compute/attention_block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t score_block = size_t{1} << 16;  // numbers; with their keys they stay in the cache
constexpr size_t lanes = 16;

// e^x for x <= 0 to about 1e-7; 0 below -87, where fp32 ends. NaN stays. In integers, because GCC leaves loops with
// comparisons of floating numbers scalar.
TTNN_ALWAYS_INLINE float decay(float x) {
    constexpr auto limit = std::bit_cast<int32_t>(87.0F);
    constexpr auto infinity = std::bit_cast<int32_t>(INFINITY);
    const auto bits = std::bit_cast<int32_t>(x);
    const int32_t magnitude = bits & 0x7fffffff;
    const bool gone = (magnitude > limit) & (magnitude <= infinity);
    x = std::bit_cast<float>((gone ? limit : magnitude) | (bits & ~0x7fffffff));
    constexpr float shift = 0x1.8p23F;  // adding it rounds to a whole number, kept in the low bits
    const float rounded = x * 1.44269504F + shift;
    const float power = rounded - shift;
    const float r = (x - power * 0.693145752F) - power * 1.42860677e-6F;
    float sum = 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 0.5F;
    sum = sum * r + 1.0F;
    sum = sum * r + 1.0F;
    const uint32_t exponent = (std::bit_cast<uint32_t>(rounded) + 127) << 23;
    const auto result = std::bit_cast<int32_t>(sum * std::bit_cast<float>(exponent));
    return std::bit_cast<float>(gone ? 0 : result);
}

TTNN_VECTOR_CLONES
float greatest(const float* values, size_t count) {
    float best[lanes];
    std::fill(best, best + lanes, -INFINITY);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            best[lane] = values[i + lane] > best[lane] ? values[i + lane] : best[lane];
        }
    }
    for (; i < count; ++i) {
        best[0] = values[i] > best[0] ? values[i] : best[0];
    }
    return *std::max_element(best, best + lanes);
}

// Scores to weights, e^(score - most); their sum.
TTNN_VECTOR_CLONES
double weigh(float* scores, size_t count, float most) {
    for (size_t i = 0; i < count; ++i) {
        scores[i] = decay(scores[i] - most);
    }
    float sums[lanes] = {};
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += scores[i + lane];
        }
    }
    double sum = 0;
    for (; i < count; ++i) {
        sum += scores[i];
    }
    for (const float part : sums) {
        sum += part;
    }
    return sum;
}

TTNN_VECTOR_CLONES
void add_to(float* values, const float* addends, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] += addends[i];
    }
}

TTNN_VECTOR_CLONES
void multiply_by(float* values, float factor, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

// What is known of a row of scores so far.
struct RowState {
    float most = -INFINITY;
    double sum = 0;  // of e^(score - most)
};

// Folds a row's scores against keys `at` to `at + count - 1` into its state. They become weights, and the row of the
// output is brought to the new greatest score.
void fold_row(const AttentionBlock& block, size_t row, size_t at, size_t count, float* scores, RowState& state,
              float* out) {
    const size_t first = std::clamp(block.visible[row].first, at, at + count) - at;
    const size_t last = std::max(first, std::clamp(block.visible[row].last, at, at + count) - at);
    std::fill(scores, scores + first, 0.0F);
    std::fill(scores + last, scores + count, 0.0F);
    if (first == last) {
        return;
    }
    if (block.mask != nullptr) {
        add_to(scores + first, block.mask + row * block.mask_stride + at + first, last - first);
    }
    const float most = std::max(state.most, greatest(scores + first, last - first));
    if (most == -INFINITY && !std::any_of(scores + first, scores + last, [](float s) { return std::isnan(s); })) {
        std::fill(scores + first, scores + last, 0.0F);  // nothing to see yet
        return;
    }
    const float factor = state.most == -INFINITY ? 0.0F : std::exp(state.most - most);
    state.sum = state.sum * factor + weigh(scores + first, last - first, most);
    state.most = most;
    if (factor != 1.0F) {
        multiply_by(out, factor, block.value_width);
    }
}

void finish_rows(const AttentionBlock& block, std::span<const RowState> states, float* out, float* log_sums) {
    for (size_t row = 0; row < block.rows; ++row) {
        const RowState& state = states[row];
        if (state.sum != 0) {
            multiply_by(out + row * block.value_width, static_cast<float>(1.0 / state.sum), block.value_width);
        }
        if (log_sums != nullptr) {
            log_sums[row] = static_cast<float>(state.most + std::log(state.sum));
        }
    }
}

}  // namespace

KeyRange hull(std::span<const KeyRange> ranges) {
    KeyRange all;
    for (const KeyRange& range : ranges) {
        if (range.first < range.last) {
            all.first = all.first < all.last ? std::min(all.first, range.first) : range.first;
            all.last = std::max(all.last, range.last);
        }
    }
    return all;
}

void attend(const AttentionBlock& block, float* out, float* log_sums) {
    std::fill(out, out + block.rows * block.value_width, 0.0F);
    std::vector<RowState> states(block.rows);
    for (size_t row = 0; block.sinks != nullptr && row < block.rows; ++row) {
        states[row] = {block.sinks[row], 1.0};
    }
    const KeyRange all = hull(block.visible);
    const size_t step = std::max<size_t>(score_block / std::max<size_t>(block.rows, 1), 256);
    std::vector<float> scores(block.rows * std::min(step, all.last - all.first));
    std::vector<float> share(block.rows * block.value_width);
    for (size_t at = all.first; at < all.last; at += step) {
        const size_t count = std::min(step, all.last - at);
        gemm({.m = block.rows, .n = count, .k = block.width, .transpose_b = true}, block.queries,
             block.keys + at * block.width, scores.data());
        for (size_t row = 0; row < block.rows; ++row) {
            fold_row(block, row, at, count, &scores[row * count], states[row], out + row * block.value_width);
        }
        gemm({.m = block.rows, .n = block.value_width, .k = count}, scores.data(),
             block.values + at * block.value_width, share.data());
        add_to(out, share.data(), share.size());
    }
    finish_rows(block, states, out, log_sums);
}

}  // namespace ttnn::compute
