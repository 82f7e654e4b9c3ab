#include "ttnn/reference/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace ttnn::reference {

double ulp_at(DataType dtype, double magnitude) {
    int fraction_bits = 23;
    int lowest_exponent = -126;
    if (dtype == DataType::BFLOAT16) {
        fraction_bits = 7;
    } else if (dtype == DataType::BFLOAT8_B) {
        fraction_bits = 6;
    } else if (dtype == DataType::BFLOAT4_B) {
        fraction_bits = 2;
    }
    int exponent = lowest_exponent;
    if (magnitude > 0 && std::isfinite(magnitude)) {
        exponent = std::max(std::ilogb(magnitude), lowest_exponent);
    }
    return std::ldexp(1.0, exponent - fraction_bits);
}

Array rounded(const Array& array, DataType dtype) {
    if (is_integer(dtype)) {
        return map(array, [&](double value) { return wrap_to(dtype, value); });
    }
    Tensor host = Tensor::allocate_on_host(TensorSpec(array.shape, dtype, Layout::TILE));
    const std::vector<float> single(array.values.begin(), array.values.end());
    write<float>(host, single);
    return values(host);
}

Array stored_between(const Array& array, DataType dtype) {
    Array result = rounded(array, dtype);
    if (is_integer(dtype)) {
        return result;
    }
    result.slack = array.slack.empty() ? Values(array.values.size(), 0.0) : array.slack;
    const size_t width = std::max<size_t>(array.shape.from_end(0), 1);
    for (size_t i = 0; i < result.values.size(); ++i) {
        double magnitude = std::abs(array.values[i]);
        if (is_block_float(dtype)) {  // neighbours in the row share an exponent
            const size_t first = i - i % width + i % width / 16 * 16;
            for (size_t k = first; k < std::min(first + 16, i - i % width + width); ++k) {
                magnitude = std::max(magnitude, std::abs(array.values[k]));
            }
        }
        result.slack[i] = std::max(result.slack[i], ulp_at(dtype, magnitude));
    }
    return result;
}

}  // namespace ttnn::reference
