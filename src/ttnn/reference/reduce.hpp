// Reductions by definition: collect the elements, apply a function to the list.
#pragma once

#include <cmath>
#include <functional>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

using Collect = std::function<double(const std::vector<double>&)>;
using Dims = std::vector<uint8_t>;  // per dimension 1 where it is reduced, else 0

double sum_of(const std::vector<double>& values);
double mean_of(const std::vector<double>& values);
double max_of(const std::vector<double>& values);
double min_of(const std::vector<double>& values);
double product_of(const std::vector<double>& values);
double variance_of(const std::vector<double>& values, bool correction);

// All marked dimensions in one go; they stay with size 1.
Array reduce_at_once(const Array& input, const Dims& dims, const Collect& function);
// One dimension after the other from the last, rounded to `dtype` in between; the last two alone in one go.
Array reduce(const Array& input, const Dims& dims, DataType dtype, const Collect& function);

}  // namespace ttnn::reference
