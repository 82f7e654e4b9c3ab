// Functions of three operands over runs of numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// fp64 inside, so that sums which nearly cancel are rounded once.
void add_product(const float* a, const float* b, const float* c, double value, float* out, size_t count);
void multiply_add(const float* a, const float* b, const float* c, float* out, size_t count);
void interpolate(const float* start, const float* end, const float* weight, float* out, size_t count);
// `infinite_by_zero`: where c is 0 the quotient is infinite with the sign of b, also for b = 0.
void add_quotient(const float* a, const float* b, const float* c, double value, bool infinite_by_zero, float* out,
                  size_t count);

// The same for 32-bit patterns, wrapping.
void add_product(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t value, uint32_t* out, size_t count);
void multiply_add(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, size_t count);

template <class T>
void select(const T* condition, const T* if_true, const T* if_false, T* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = condition[i] != 0 ? if_true[i] : if_false[i];
    }
}

}  // namespace ttnn::compute
