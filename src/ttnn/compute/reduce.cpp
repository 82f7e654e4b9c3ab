#include "ttnn/compute/reduce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t lanes = 16;
constexpr size_t chunk = 1024;  // columns at a time where the reduced dimension is not the last

struct Plus {
    TTNN_ALWAYS_INLINE double operator()(double a, double b) const { return a + b; }
};
struct Times {
    TTNN_ALWAYS_INLINE double operator()(double a, double b) const { return a * b; }
};
struct Greater {  // a is kept unless b is greater or no number
    TTNN_ALWAYS_INLINE float operator()(float a, float b) const { return a >= b || a != a ? a : b; }
};
struct Less {
    TTNN_ALWAYS_INLINE float operator()(float a, float b) const { return a <= b || a != a ? a : b; }
};

// Rows of `count` numbers that are worth a thread.
size_t rows_each(size_t count) { return parallel_numbers / std::max<size_t>(count, 1) + 1; }

// Takes an element as it is.
template <class Sum>
struct Plain {
    TTNN_ALWAYS_INLINE Sum operator()(float x) const { return static_cast<Sum>(x); }
};
struct SquaredDistance {
    double center;
    TTNN_ALWAYS_INLINE double operator()(float x) const { return (x - center) * (x - center); }
};

// Accumulates term(x) of a contiguous row in independent lanes, which is what lets the loop use vectors.
template <class Sum, class Combine, class Term = Plain<Sum>>
TTNN_ALWAYS_INLINE Sum fold_row(const float* in, size_t count, Sum start, Combine combine, Term term = {}) {
    Sum sums[lanes];
    for (Sum& sum : sums) {
        sum = start;
    }
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] = combine(sums[lane], term(in[i + lane]));
        }
    }
    for (size_t lane = 0; i < count; ++i, ++lane) {
        sums[lane] = combine(sums[lane], term(in[i]));
    }
    Sum total = sums[0];
    for (size_t lane = 1; lane < lanes; ++lane) {
        total = combine(total, sums[lane]);
    }
    return total;
}

// Accumulates count rows of `width` columns into one.
template <class Sum, class Combine>
TTNN_ALWAYS_INLINE void fold_columns(const float* in, size_t count, size_t stride, size_t width, Sum start, Sum* sums,
                                     Combine combine) {
    std::fill(sums, sums + width, start);
    for (size_t i = 0; i < count; ++i) {
        const float* row = in + i * stride;
        for (size_t j = 0; j < width; ++j) {
            sums[j] = combine(sums[j], static_cast<Sum>(row[j]));
        }
    }
}

template <class Sum, class Combine, class Finish>
TTNN_ALWAYS_INLINE void fold(const float* in, const ReduceShape& shape, Sum start, float* out, Combine combine,
                             Finish finish) {
    if (shape.inner == 1) {
        return parallel(shape.outer, rows_each(shape.count), [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                checkpoint();
                out[i] = finish(fold_row(in + i * shape.count, shape.count, start, combine));
            }
        });
    }
    const size_t chunks = div_up(shape.inner, chunk);
    parallel(shape.outer * chunks, rows_each(shape.count * std::min(shape.inner, chunk)),
             [&](size_t begin, size_t end) {
                 Sum sums[chunk];
                 for (size_t number = begin; number < end; ++number) {
                     checkpoint();
                     const size_t i = number / chunks;
                     const size_t first = number % chunks * chunk;
                     const size_t width = std::min(chunk, shape.inner - first);
                     fold_columns(in + i * shape.count * shape.inner + first, shape.count, shape.inner, width, start,
                                  sums, combine);
                     for (size_t j = 0; j < width; ++j) {
                         out[i * shape.inner + first + j] = finish(sums[j]);
                     }
                 }
             });
}

template <class Better>
void select(const uint32_t* in, const ReduceShape& shape, uint32_t* out, Better better) {
    for (size_t i = 0; i < shape.outer; ++i) {
        checkpoint();
        const uint32_t* block = in + i * shape.count * shape.inner;
        uint32_t* to = out + i * shape.inner;
        std::copy(block, block + shape.inner, to);
        for (size_t k = 1; k < shape.count; ++k) {
            for (size_t j = 0; j < shape.inner; ++j) {
                const uint32_t value = block[k * shape.inner + j];
                to[j] = better(value, to[j]) ? value : to[j];
            }
        }
    }
}

bool signed_less(uint32_t a, uint32_t b) { return static_cast<int32_t>(a) < static_cast<int32_t>(b); }

template <class T, class Greater>
void argmax(const T* in, size_t rows, size_t count, uint32_t* out, Greater greater) {
    parallel(rows, rows_each(count), [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            checkpoint();
            const T* row = in + i * count;
            size_t best = 0;
            for (size_t j = 1; j < count; ++j) {
                best = greater(row[j], row[best]) ? j : best;
            }
            out[i] = static_cast<uint32_t>(best);
        }
    });
}

}  // namespace

ReduceShape ReduceShape::of(const Shape& shape, size_t first, size_t last) {
    ReduceShape result;
    for (size_t i = 0; i < shape.rank(); ++i) {
        size_t& part = i < first ? result.outer : i <= last ? result.count : result.inner;
        part *= shape[static_cast<int64_t>(i)];
    }
    return result;
}

TTNN_VECTOR_CLONES
void reduce_sum(const float* in, const ReduceShape& shape, double factor, float* out) {
    fold<double>(
        in, shape, 0.0, out,
        Plus{}, [factor](double sum) __attribute__((always_inline)) { return static_cast<float>(sum * factor); });
}

TTNN_VECTOR_CLONES
void reduce_product(const float* in, const ReduceShape& shape, double factor, float* out) {
    fold<double>(
        in, shape, 1.0, out, Times{}, [factor](double product) __attribute__((always_inline)) {
            return static_cast<float>(product * factor);
        });
}

TTNN_VECTOR_CLONES
void reduce_max(const float* in, const ReduceShape& shape, float* out) {
    fold<float>(
        in, shape, -INFINITY, out, Greater{}, [](float best) __attribute__((always_inline)) { return best; });
}

TTNN_VECTOR_CLONES
void reduce_min(const float* in, const ReduceShape& shape, float* out) {
    fold<float>(
        in, shape, INFINITY, out, Less{}, [](float best) __attribute__((always_inline)) { return best; });
}

TTNN_VECTOR_CLONES
void row_variance(const float* in, size_t rows, size_t count, double divisor, float* out) {
    for (size_t i = 0; i < rows; ++i) {
        checkpoint();
        const float* row = in + i * count;
        const double mean = fold_row<double>(row, count, 0.0, Plus{}) / static_cast<double>(count);
        const double squares = fold_row<double>(row, count, 0.0, Plus{}, SquaredDistance{mean});
        out[i] = static_cast<float>(squares / divisor);
    }
}

void reduce_sum(const uint32_t* in, const ReduceShape& shape, uint32_t* out) {
    std::fill(out, out + shape.outer * shape.inner, 0U);
    for (size_t i = 0; i < shape.outer; ++i) {
        for (size_t k = 0; k < shape.count; ++k) {
            checkpoint();
            const uint32_t* row = in + (i * shape.count + k) * shape.inner;
            for (size_t j = 0; j < shape.inner; ++j) {
                out[i * shape.inner + j] += row[j];
            }
        }
    }
}

void reduce_max(const uint32_t* in, const ReduceShape& shape, bool is_signed, uint32_t* out) {
    is_signed ? select(in, shape, out, [](uint32_t a, uint32_t b) { return signed_less(b, a); })
              : select(in, shape, out, [](uint32_t a, uint32_t b) { return b < a; });
}

void reduce_min(const uint32_t* in, const ReduceShape& shape, bool is_signed, uint32_t* out) {
    is_signed ? select(in, shape, out, [](uint32_t a, uint32_t b) { return signed_less(a, b); })
              : select(in, shape, out, [](uint32_t a, uint32_t b) { return a < b; });
}

Dense<float> move_dims_last(const float* in, const Shape& shape, std::span<const uint8_t> last) {
    std::vector<size_t> order;
    for (const uint8_t wanted : {0, 1}) {
        for (size_t i = 0; i < shape.rank(); ++i) {
            if (last[i] == wanted) {
                order.push_back(i);
            }
        }
    }
    std::vector<size_t> strides(shape.rank());
    size_t stride = 1;
    for (size_t i = shape.rank(); i-- > 0;) {
        strides[i] = stride;
        stride *= shape[static_cast<int64_t>(i)];
    }
    Dense<float> out(shape.volume());
    std::vector<uint32_t> index(shape.rank());
    size_t from = 0;
    for (size_t done = 0; float& value : out) {
        if (done++ % chunk == 0) {
            checkpoint();
        }
        value = in[from];
        for (size_t i = order.size(); i-- > 0;) {
            const size_t dim = order[i];
            from += strides[dim];
            if (++index[dim] < shape[static_cast<int64_t>(dim)]) {
                break;
            }
            from -= index[dim] * strides[dim];
            index[dim] = 0;
        }
    }
    return out;
}

void row_argmax(const float* in, size_t rows, size_t count, uint32_t* out) {
    argmax(in, rows, count, out, [](float a, float b) { return a > b; });
}

void row_argmax(const uint32_t* in, size_t rows, size_t count, bool is_signed, uint32_t* out) {
    is_signed ? argmax(in, rows, count, out, [](uint32_t a, uint32_t b) { return signed_less(b, a); })
              : argmax(in, rows, count, out, [](uint32_t a, uint32_t b) { return b < a; });
}

}  // namespace ttnn::compute
