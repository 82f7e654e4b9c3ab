#include "ttnn/reference/reduce.hpp"

#include <algorithm>

#include "ttnn/reference/rounding.hpp"

namespace ttnn::reference {

double sum_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

double mean_of(const std::vector<double>& values) { return sum_of(values) / static_cast<double>(values.size()); }

double max_of(const std::vector<double>& values) { return *std::ranges::max_element(values); }

double min_of(const std::vector<double>& values) { return *std::ranges::min_element(values); }

double product_of(const std::vector<double>& values) {
    double product = 1;
    for (const double value : values) {
        product *= value;
    }
    return product;
}

double variance_of(const std::vector<double>& values, bool correction) {
    const double mean = mean_of(values);
    std::vector<double> squares(values.size());
    std::ranges::transform(values, squares.begin(), [&](double value) { return (value - mean) * (value - mean); });
    return sum_of(squares) / (static_cast<double>(values.size()) - (correction ? 1 : 0));
}

Array reduce_at_once(const Array& input, const Dims& dims, const Collect& function) {
    Shape shape = input.shape;
    for (size_t i = 0; i < shape.rank(); ++i) {
        shape[static_cast<int64_t>(i)] = dims[i] ? 1 : shape[static_cast<int64_t>(i)];
    }
    Shape gone = input.shape;  // what one number of the result is made of
    for (size_t i = 0; i < shape.rank(); ++i) {
        gone[static_cast<int64_t>(i)] = dims[i] ? gone[static_cast<int64_t>(i)] : 1;
    }
    Array result(shape);
    std::vector<double> list;
    std::vector<uint32_t> source(shape.rank());
    for_each_index(shape, [&](std::span<const uint32_t> index) {
        list.clear();
        for_each_index(gone, [&](std::span<const uint32_t> inside) {
            for (size_t i = 0; i < source.size(); ++i) {
                source[i] = index[i] + inside[i];
            }
            list.push_back(input.at(source));
        });
        result.at(index) = function(list);
    });
    return result;
}

Array reduce(const Array& input, const Dims& dims, DataType dtype, const Collect& function) {
    const size_t rank = input.shape.rank();
    if (std::ranges::count(dims, 1) == 2 && rank >= 2 && dims[rank - 1] && dims[rank - 2]) {
        return reduce_at_once(input, dims, function);
    }
    Array result = input;
    bool first = true;
    for (size_t i = rank; i-- > 0;) {
        if (!dims[i]) {
            continue;
        }
        Dims one(rank, 0);
        one[i] = 1;
        result = reduce_at_once(first ? result : rounded(result, dtype), one, function);
        first = false;
    }
    return result;
}

}  // namespace ttnn::reference
