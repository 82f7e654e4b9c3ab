// Running sums and products along a dimension, and running averages along rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

enum class Accumulation : uint8_t { SUM, PRODUCT };

// Every element becomes what has come together up to it, itself included, from either end of the dimension. Floats run
// in fp64 and are rounded once each, integers wrap around.
void accumulate(const Tensor& input, size_t dim, Accumulation kind, bool from_the_end, Tensor& output);

// Along the last dimension: the first element stays, every other becomes weight * its predecessor's result +
// (1 - weight) * itself.
void average_rows(const Tensor& input, double weight, Tensor& output);

}  // namespace ttnn::compute
