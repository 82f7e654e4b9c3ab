#include "ttnn/compute/cumulative.hpp"

#include <algorithm>
#include <vector>

#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

// One step for all columns that run side by side; the totals keep more digits than the elements.
TTNN_VECTOR_CLONES void add_columns(double* totals, float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        totals[i] += static_cast<double>(values[i]);
        values[i] = static_cast<float>(totals[i]);
    }
}
TTNN_VECTOR_CLONES void multiply_columns(double* totals, float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        totals[i] *= static_cast<double>(values[i]);
        values[i] = static_cast<float>(totals[i]);
    }
}
void add_columns(uint32_t* totals, uint32_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = totals[i] += values[i];
    }
}
void multiply_columns(uint32_t* totals, uint32_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = totals[i] *= values[i];
    }
}

template <class T, class Total>
void accumulate_as(const Tensor& input, size_t dim, Accumulation kind, bool from_the_end, Tensor& output) {
    const Shape& shape = input.logical_shape();
    const size_t length = shape[static_cast<int64_t>(dim)];
    size_t columns = 1;
    for (size_t i = dim + 1; i < shape.rank(); ++i) {
        columns *= shape[static_cast<int64_t>(i)];
    }
    Dense<T> values = read<T>(input);
    const size_t blocks = values.size() / std::max<size_t>(length * columns, 1);
    std::vector<Total> totals(columns);
    for (size_t block = 0; block < blocks; ++block) {
        std::ranges::fill(totals, Total(kind == Accumulation::SUM ? 0 : 1));
        for (size_t i = 0; i < length; ++i) {
            checkpoint();
            T* row = values.data() + (block * length + (from_the_end ? length - 1 - i : i)) * columns;
            kind == Accumulation::SUM ? add_columns(totals.data(), row, columns)
                                      : multiply_columns(totals.data(), row, columns);
        }
    }
    write<T>(output, values.span());
}

}  // namespace

void accumulate(const Tensor& input, size_t dim, Accumulation kind, bool from_the_end, Tensor& output) {
    is_integer(input.dtype()) ? accumulate_as<uint32_t, uint32_t>(input, dim, kind, from_the_end, output)
                              : accumulate_as<float, double>(input, dim, kind, from_the_end, output);
}

void average_rows(const Tensor& input, double weight, Tensor& output) {
    Dense<float> values = read<float>(input);
    const size_t length = std::max(input.logical_shape().from_end(0), 1U);
    for (size_t row = 0; row < values.size() / length; ++row) {
        checkpoint();
        float* value = values.data() + row * length;
        double average = value[0];
        for (size_t i = 1; i < length; ++i) {
            average = weight * average + (1 - weight) * static_cast<double>(value[i]);
            value[i] = static_cast<float>(average);
        }
    }
    write<float>(output, values.span());
}

}  // namespace ttnn::compute
