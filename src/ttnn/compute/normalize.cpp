#include "ttnn/compute/normalize.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t lanes = 8;

// x brought into -700..700, beyond which fp32 holds no e^x; NaN stays. In integers, because GCC leaves loops with
// comparisons of floating numbers scalar.
TTNN_ALWAYS_INLINE double limited(double x) {
    constexpr auto sign = static_cast<int64_t>(uint64_t{1} << 63);
    constexpr auto limit = std::bit_cast<int64_t>(700.0);
    constexpr auto infinity = std::bit_cast<int64_t>(static_cast<double>(INFINITY));
    const auto bits = std::bit_cast<int64_t>(x);
    const int64_t magnitude = bits & ~sign;
    const int64_t kept = ((magnitude > limit) & (magnitude <= infinity)) != 0 ? limit : magnitude;
    return std::bit_cast<double>(kept | (bits & sign));
}

// e^x to about 2e-10, far below the rounding to fp32 that follows.
TTNN_ALWAYS_INLINE double exponential(double x) {
    x = limited(x);
    constexpr double shift = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
    const double rounded = x * 1.4426950408889634 + shift;
    const double r = x - (rounded - shift) * 0.6931471805599453;
    double sum = 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const uint64_t power = (std::bit_cast<uint64_t>(rounded) + 1023) << 52;
    return sum * std::bit_cast<double>(power);
}

TTNN_ALWAYS_INLINE double total(const double (&sums)[lanes]) {
    double sum = 0;
    for (const double part : sums) {
        sum += part;
    }
    return sum;
}

// Sum of function(i) for i < count in independent lanes.
template <class Function>
TTNN_ALWAYS_INLINE double sum_of(size_t count, Function function) {
    double sums[lanes] = {};
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += function(i + lane);
        }
    }
    for (; i < count; ++i) {
        sums[0] += function(i);
    }
    return total(sums);
}

template <class Function>
TTNN_ALWAYS_INLINE double max_of(size_t count, Function function) {
    double best[lanes];
    std::fill(best, best + lanes, -INFINITY);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            const double value = function(i + lane);
            best[lane] = value > best[lane] ? value : best[lane];
        }
    }
    for (; i < count; ++i) {
        const double value = function(i);
        best[0] = value > best[0] ? value : best[0];
    }
    return *std::max_element(best, best + lanes);
}

// `argument(i)` is what e is raised to.
template <class Argument>
TTNN_ALWAYS_INLINE void exponentials(size_t count, bool stable, float* out, Argument argument) {
    const double most = stable ? max_of(count, argument) : 0.0;
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(exponential(argument(i) - most));
    }
    const double factor =
        1.0 / sum_of(
                  count, [&](size_t i) __attribute__((always_inline)) { return static_cast<double>(out[i]); });
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(out[i] * factor);
    }
}

}  // namespace

size_t rows_for_a_thread(size_t width) { return parallel_numbers / 4 / std::max<size_t>(width, 1) + 1; }

TTNN_VECTOR_CLONES
void softmax_row(const float* in, const float* mask, size_t count, double scale, bool stable, float* out) {
    if (mask == nullptr) {
        exponentials(
            count, stable,
            out, [&](size_t i) __attribute__((always_inline)) { return static_cast<double>(in[i]) * scale; });
    } else {
        exponentials(
            count, stable, out, [&](size_t i) __attribute__((always_inline)) {
                return static_cast<double>(in[i]) * scale + static_cast<double>(mask[i]);
            });
    }
}

void softmax(const float* in, size_t outer, size_t count, size_t inner, bool stable, float* out) {
    if (count == 0) {
        return;
    }
    if (inner == 1) {
        return parallel(outer, rows_for_a_thread(count), [&](size_t first, size_t last) {
            for (size_t i = first; i < last; ++i) {
                checkpoint();
                softmax_row(in + i * count, nullptr, count, 1.0, stable, out + i * count);
            }
        });
    }
    // A few columns at a time become rows, so that every cache line is used once.
    constexpr size_t columns = 16;
    parallel(div_up(outer * inner, columns), rows_for_a_thread(count * columns), [&](size_t begin, size_t end) {
        std::vector<float> rows(columns * count);
        for (size_t first = begin * columns; first < std::min(end * columns, outer * inner); first += columns) {
            checkpoint();
            const size_t width = std::min(columns, outer * inner - first);
            const auto offset = [&](size_t column, size_t k) {
                return column / inner * count * inner + k * inner + column % inner;
            };
            for (size_t k = 0; k < count; ++k) {
                for (size_t j = 0; j < width; ++j) {
                    rows[j * count + k] = in[offset(first + j, k)];
                }
            }
            for (size_t j = 0; j < width; ++j) {
                softmax_row(&rows[j * count], nullptr, count, 1.0, stable, &rows[j * count]);
            }
            for (size_t k = 0; k < count; ++k) {
                for (size_t j = 0; j < width; ++j) {
                    out[offset(first + j, k)] = rows[j * count + k];
                }
            }
        }
    });
}

TTNN_VECTOR_CLONES
void normalize_row(const float* in, const float* residual, size_t count, const NormRow& norm, float* out) {
    std::vector<double> x(in, in + count);
    if (residual != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            x[i] += residual[i];
        }
    }
    const double* at = x.data();
    const auto n = static_cast<double>(count);
    const double mean = norm.center ? sum_of(
                                          count, [=](size_t i) __attribute__((always_inline)) { return at[i]; }) /
                                          n
                                    : 0.0;
    const double spread =
        sum_of(
            count, [=](size_t i) __attribute__((always_inline)) { return (at[i] - mean) * (at[i] - mean); }) /
        n;
    const double factor = 1.0 / std::sqrt(spread + norm.epsilon);
    for (size_t i = 0; i < count; ++i) {
        x[i] = (x[i] - mean) * factor;
    }
    if (norm.weight != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            x[i] *= norm.weight[i];
        }
    }
    if (norm.bias != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            x[i] += norm.bias[i];
        }
    }
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(x[i]);
    }
}

TTNN_VECTOR_CLONES
RowSums row_sums(const float* in, const float* residual, size_t count, double center) {
    std::vector<double> x(in, in + count);
    if (residual != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            x[i] += residual[i];
        }
    }
    const double* at = x.data();
    return {sum_of(
                count, [=](size_t i) __attribute__((always_inline)) { return at[i] - center; }),
            sum_of(
                count, [=](size_t i) __attribute__((always_inline)) { return (at[i] - center) * (at[i] - center); })};
}

TTNN_VECTOR_CLONES
void scale_row(const float* in, size_t count, double mean, double factor, const NormRow& norm, float* out) {
    const float* weight = norm.weight;
    const float* bias = norm.bias;
    if (weight != nullptr && bias != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            out[i] = static_cast<float>((in[i] - mean) * factor * weight[i] + bias[i]);
        }
    } else if (weight != nullptr) {
        for (size_t i = 0; i < count; ++i) {
            out[i] = static_cast<float>((in[i] - mean) * factor * weight[i]);
        }
    } else {
        for (size_t i = 0; i < count; ++i) {
            out[i] = static_cast<float>((in[i] - mean) * factor + (bias != nullptr ? bias[i] : 0.0));
        }
    }
}

TTNN_VECTOR_CLONES
void add_column_sums(const float* in, size_t rows, size_t columns, const double* centers, double* sums,
                     double* squares) {
    for (size_t row = 0; row < rows; ++row) {
        const float* x = in + row * columns;
        for (size_t i = 0; i < columns; ++i) {
            const double distance = x[i] - centers[i];
            sums[i] += distance;
            squares[i] += distance * distance;
        }
    }
}

TTNN_VECTOR_CLONES
void scale_columns(const float* in, size_t rows, size_t columns, const double* means, const double* factors,
                   const double* biases, float* out) {
    for (size_t row = 0; row < rows; ++row) {
        const float* x = in + row * columns;
        float* y = out + row * columns;
        for (size_t i = 0; i < columns; ++i) {
            y[i] = static_cast<float>((x[i] - means[i]) * factors[i] + biases[i]);
        }
    }
}

}  // namespace ttnn::compute
