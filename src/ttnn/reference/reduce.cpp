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
    Array result(shape);
    std::vector<std::vector<double>> lists(result.values.size());
    for_each_index(input.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> target(index.begin(), index.end());
        for (size_t i = 0; i < target.size(); ++i) {
            target[i] = dims[i] ? 0 : target[i];
        }
        lists[result.offset(target)].push_back(input.at(index));
    });
    std::ranges::transform(lists, result.values.begin(), function);
    return result;
}

Array reduce(const Array& input, const Dims& dims, DataType dtype, const Collect& function) {
    const size_t rank = input.shape.rank();
    if (std::ranges::count(dims, true) == 2 && rank >= 2 && dims[rank - 1] && dims[rank - 2]) {
        return reduce_at_once(input, dims, function);
    }
    Array result = input;
    bool first = true;
    for (size_t i = rank; i-- > 0;) {
        if (!dims[i]) {
            continue;
        }
        Dims one{};
        one[i] = true;
        result = reduce_at_once(first ? result : rounded(result, dtype), one, function);
        first = false;
    }
    return result;
}

}  // namespace ttnn::reference
