#include "ttnn/reference/array.hpp"

#include <cmath>

namespace ttnn::reference {

size_t Array::offset(std::span<const uint32_t> index) const {
    size_t result = 0;
    for (size_t i = 0; i < shape.rank(); ++i) {
        result = result * shape[static_cast<int64_t>(i)] + index[i];
    }
    return result;
}

Array values(const Tensor& tensor) {
    Array array(tensor.logical_shape());
    if (is_integer(tensor.dtype())) {
        const Dense<uint32_t> bits = read<uint32_t>(tensor);
        for (size_t i = 0; i < bits.size(); ++i) {
            array.values[i] = tensor.dtype() == DataType::INT32 ? static_cast<double>(static_cast<int32_t>(bits[i]))
                                                                : static_cast<double>(bits[i]);
        }
        return array;
    }
    const Dense<float> numbers = read<float>(tensor);
    std::copy(numbers.begin(), numbers.end(), array.values.begin());
    return array;
}

Array values(const TensorOrScalar& operand) {
    if (const auto* tensor = std::get_if<Tensor>(&operand)) {
        return values(*tensor);
    }
    // A scalar reaches the hardware as a 32-bit number.
    const double number = std::holds_alternative<double>(operand) ? std::get<double>(operand)
                                                                  : static_cast<double>(std::get<int64_t>(operand));
    return Array(Shape{},
                 {std::holds_alternative<double>(operand) ? static_cast<double>(static_cast<float>(number)) : number});
}

void for_each_index(const Shape& shape, const std::function<void(std::span<const uint32_t>)>& visit) {
    if (shape.volume() == 0) {
        return;
    }
    std::vector<uint32_t> index(shape.rank(), 0);
    while (true) {
        visit(index);
        size_t dim = shape.rank();
        while (dim > 0 && ++index[dim - 1] == shape[static_cast<int64_t>(dim - 1)]) {
            index[--dim] = 0;
        }
        if (dim == 0) {
            return;
        }
    }
}

Array map(const Array& input, const std::function<double(double)>& function) {
    Array result(input.shape);
    for (size_t i = 0; i < input.values.size(); ++i) {
        result.values[i] = function(input.values[i]);
    }
    return result;
}

double broadcast_at(const Array& array, std::span<const uint32_t> index) {
    size_t result = 0;
    const size_t skipped = index.size() - array.shape.rank();
    for (size_t i = 0; i < array.shape.rank(); ++i) {
        const uint32_t size = array.shape[static_cast<int64_t>(i)];
        result = result * size + (size == 1 ? 0 : index[skipped + i]);
    }
    return array.values[result];
}

Array zip(const Array& a, const Array& b, const std::function<double(double, double)>& function) {
    Array result(broadcast(a.shape, b.shape));
    for_each_index(result.shape,
                   [&](auto index) { result.at(index) = function(broadcast_at(a, index), broadcast_at(b, index)); });
    return result;
}

Array zip(const Array& a, const Array& b, const Array& c,
          const std::function<double(double, double, double)>& function) {
    Array result(broadcast(broadcast(a.shape, b.shape), c.shape));
    for_each_index(result.shape, [&](auto index) {
        result.at(index) = function(broadcast_at(a, index), broadcast_at(b, index), broadcast_at(c, index));
    });
    return result;
}

double wrap_to(DataType dtype, double value) {
    double modulus = 4294967296.0;
    if (dtype == DataType::UINT16) {
        modulus = 65536.0;
    } else if (dtype == DataType::UINT8) {
        modulus = 256.0;
    } else if (dtype != DataType::UINT32 && dtype != DataType::INT32) {
        return value;
    }
    double wrapped = std::fmod(std::trunc(value), modulus);
    if (wrapped < 0) {
        wrapped += modulus;
    }
    if (dtype == DataType::INT32 && wrapped >= 2147483648.0) {
        wrapped -= modulus;
    }
    return wrapped;
}

}  // namespace ttnn::reference
