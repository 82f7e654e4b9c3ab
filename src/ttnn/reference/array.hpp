// Array: dense fp64 numbers, the only thing references compute with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ttnn/op/parameter_types.hpp"
#include "ttnn/reference/values.hpp"
#include "ttnn/tensor/shape.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::reference {

struct Array {
    Shape shape;
    Values values;  // row-major
    // How far off each element of a right result may be because of what happens inside: fp32 sums, results of a step
    // that are stored before the next. Empty: not at all.
    Values slack{};
    // Functions on the way that nobody rounds correctly: as many ULP more than the operation itself may be off by.
    double functions = 0;

    Array() = default;
    explicit Array(const Shape& dims, double fill = 0.0) : shape(dims), values(dims.volume(), fill) {}
    Array(const Shape& dims, Values data) : shape(dims), values(std::move(data)) {}

    // Element at a multi-index of `rank` entries.
    double& at(std::span<const uint32_t> index) { return values[offset(index)]; }
    double at(std::span<const uint32_t> index) const { return values[offset(index)]; }
    size_t offset(std::span<const uint32_t> index) const;
};

using Outputs = std::vector<Array>;

// The values as the device holds them: read back, already rounded to the tensor's dtype. Those of a large tensor are
// read when they are asked for.
Array values(const Tensor& tensor);
// The same with the padding, whatever is in it.
Array padded_values(const Tensor& tensor);
// A tensor's values, or one number.
Array values(const TensorOrScalar& operand);

// Calls `visit` with every multi-index of a shape, in row-major order.
void for_each_index(const Shape& shape, const std::function<void(std::span<const uint32_t>)>& visit);

Array map(const Array& input, const std::function<double(double)>& function);
// The same where the numbers of a large array are made when they are asked for: the function must own what it uses.
Array mapped(const Array& input, std::function<double(double)> function);
Array zipped(const Array& a, const Array& b, std::function<double(double, double)> function);
// NumPy broadcasting.
Array zip(const Array& a, const Array& b, const std::function<double(double, double)>& function);
Array zip(const Array& a, const Array& b, const Array& c,
          const std::function<double(double, double, double)>& function);
// The element of a (possibly smaller) array that a broadcast index of the result reads.
double broadcast_at(const Array& array, std::span<const uint32_t> index);

// Converts a finished result to an integer-like dtype's range where the operation wraps (two's complement).
double wrap_to(DataType dtype, double value);

}  // namespace ttnn::reference
