#include "ttnn/compute/ternary.hpp"

#include <cmath>

namespace ttnn::compute {

void add_product(const float* a, const float* b, const float* c, double value, float* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(static_cast<double>(a[i]) +
                                    value * (static_cast<double>(b[i]) * static_cast<double>(c[i])));
    }
}

void multiply_add(const float* a, const float* b, const float* c, float* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(static_cast<double>(a[i]) * static_cast<double>(b[i]) + static_cast<double>(c[i]));
    }
}

void interpolate(const float* start, const float* end, const float* weight, float* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const auto from = static_cast<double>(start[i]);
        out[i] = static_cast<float>(from + static_cast<double>(weight[i]) * (static_cast<double>(end[i]) - from));
    }
}

void add_quotient(const float* a, const float* b, const float* c, double value, bool infinite_by_zero, float* out,
                  size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (infinite_by_zero && c[i] == 0) {
            out[i] = static_cast<float>(value * (b[i] < 0 ? -INFINITY : INFINITY));
        } else {
            out[i] = static_cast<float>(static_cast<double>(a[i]) +
                                        value * static_cast<double>(b[i]) / static_cast<double>(c[i]));
        }
    }
}

void add_product(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t value, uint32_t* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = a[i] + value * b[i] * c[i];
    }
}

void multiply_add(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = a[i] * b[i] + c[i];
    }
}

}  // namespace ttnn::compute
