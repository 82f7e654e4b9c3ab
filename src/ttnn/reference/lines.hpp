// Lines of an array along one of its dimensions, and their order: what references of operations along a dimension
// share.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ttnn/reference/movement.hpp"

namespace ttnn::reference {

class Lines {
public:
    Lines(const Shape& shape, size_t dim) : length_(shape[static_cast<int64_t>(dim)]) {
        for (size_t i = dim + 1; i < shape.rank(); ++i) {
            stride_ *= shape[static_cast<int64_t>(i)];
        }
        count_ = length_ == 0 ? 0 : static_cast<size_t>(shape.volume()) / length_;
    }
    size_t count() const { return count_; }
    size_t length() const { return length_; }
    // Number in row-major order of the i-th element of a line.
    size_t at(size_t line, size_t i) const { return (line / stride_ * length_ + i) * stride_ + line % stride_; }

private:
    size_t length_ = 0;
    size_t stride_ = 1;
    size_t count_ = 0;
};

// The places of a line in the order of their numbers; of equal ones the first comes first, NaN is the greatest.
inline std::vector<size_t> ordered(const Array& array, const Lines& lines, size_t line, bool descending) {
    std::vector<double> numbers(lines.length());
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = array.values[lines.at(line, i)];
    }
    std::vector<size_t> places(lines.length());
    std::iota(places.begin(), places.end(), size_t{0});
    const auto less = [](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); };
    std::ranges::stable_sort(places, [&](size_t a, size_t b) {
        return descending ? less(numbers[b], numbers[a]) : less(numbers[a], numbers[b]);
    });
    return places;
}

}  // namespace ttnn::reference
