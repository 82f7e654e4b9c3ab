// The values of a tensor as JSON text: nested lists, one level per dimension.
#pragma once

#include <span>
#include <string>

#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

std::string values_text(const Tensor& tensor);

// Elements in row-major order; no dimensions: one number. Whole numbers are written without a fraction where
// `integers`.
std::string values_text(std::span<const double> values, std::span<const uint32_t> dims, bool integers);

// The shortest text that reads back as the same number, always with a point or an exponent; "inf", "-inf" and "nan" in
// quotation marks.
void append_json_number(std::string& out, double value);

}  // namespace ttnn
