#include "ttnn/compute/slices.hpp"

#include <algorithm>

#include "ttnn/core/error.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn::compute {
namespace {

// Runs of elements that belong to one slice: `outer` of `inner` elements each.
struct Runs {
    size_t outer = 1;
    size_t length = 1;
    size_t inner = 1;

    Runs(const Shape& shape, size_t dim) : length(shape[static_cast<int64_t>(dim)]) {
        for (size_t i = 0; i < shape.rank(); ++i) {
            (i < dim ? outer : inner) *= i == dim ? 1 : shape[static_cast<int64_t>(i)];
        }
    }
};

// Calls change(run, number of the outer block, place in the list) for the runs of every slice that is named.
template <class T, class Change>
void change_slices(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, Tensor& output,
                   const Change& change) {
    const Runs runs(input.logical_shape(), dim);
    const Dense<uint32_t> named = read<uint32_t>(numbers);
    Dense<T> values = read<T>(input);
    for (size_t i = 0; i < named.size(); ++i) {
        checkpoint();
        require(named[i] < runs.length, "{}: a slice has number {}, but the dimension has {}", op, named[i],
                runs.length);
        for (size_t block = 0; block < runs.outer; ++block) {
            change(values.data() + (block * runs.length + named[i]) * runs.inner, runs.inner, block, i);
        }
    }
    write<T>(output, values.span());
}

template <class T>
void replace(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, const Tensor& source,
             Tensor& output) {
    const Dense<T> from = read<T>(source);
    const size_t length = source.logical_shape()[static_cast<int64_t>(dim)];
    change_slices<T>(op, input, dim, numbers, output, [&](T* run, size_t size, size_t block, size_t i) {
        const T* begin = from.data() + (block * length + i) * size;
        std::copy(begin, begin + size, run);
    });
}

}  // namespace

void replace_slices(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, const Tensor& source,
                    Tensor& output) {
    is_integer(input.dtype()) ? replace<uint32_t>(op, input, dim, numbers, source, output)
                              : replace<float>(op, input, dim, numbers, source, output);
}

void fill_slices(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, double value,
                 Tensor& output) {
    if (is_integer(input.dtype())) {
        const auto bits = static_cast<uint32_t>(static_cast<int64_t>(value));
        change_slices<uint32_t>(op, input, dim, numbers, output,
                                [&](uint32_t* run, size_t size, size_t, size_t) { std::fill_n(run, size, bits); });
    } else {
        const auto number = static_cast<float>(value);
        change_slices<float>(op, input, dim, numbers, output,
                             [&](float* run, size_t size, size_t, size_t) { std::fill_n(run, size, number); });
    }
}

}  // namespace ttnn::compute
