#include "ttnn/reference/array.hpp"

#include <algorithm>
#include <cmath>

#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::reference {
namespace {

class TensorValues : public Values::Source {
public:
    explicit TensorValues(Tensor tensor) : tensor_(std::move(tensor)) {}
    void read(size_t first, std::span<double> to) const override { read_part<double>(tensor_, first, to); }
    double at(size_t index) const override { return read_element(tensor_, index); }

private:
    const Tensor tensor_;
};

// Walks along the rows of a broadcast result.
class Zipped : public Values::Source {
public:
    Zipped(Array a, Array b, Shape shape, std::function<double(double, double)> function)
        : a_(std::move(a)), b_(std::move(b)), shape_(std::move(shape)), function_(std::move(function)) {}

    void read(size_t first, std::span<double> to) const override {
        const size_t width = shape_.from_end(0);
        std::vector<double> other;
        for (size_t done = 0; done < to.size();) {
            const size_t at = first + done;
            // Where neither operand is spread all the rest is one run.
            const bool whole = a_.shape == shape_ && b_.shape == shape_;
            const auto part =
                to.subspan(done, whole ? to.size() - done : std::min(width - at % width, to.size() - done));
            other.resize(part.size());
            read_run(a_, at, part);
            read_run(b_, at, other);
            for (size_t i = 0; i < part.size(); ++i) {
                part[i] = function_(part[i], other[i]);
            }
            done += part.size();
        }
    }
    double at(size_t index) const override {
        return function_(a_.values[source_of(a_, index)], b_.values[source_of(b_, index)]);
    }

private:
    // Which element of an operand element `index` of the result reads.
    size_t source_of(const Array& operand, size_t index) const {
        size_t result = 0;
        size_t stride = 1;
        for (size_t i = 0; i < shape_.rank(); ++i) {
            const uint32_t size = operand.shape.from_end(i);
            result += size == 1 ? 0 : index % shape_.from_end(i) * stride;
            stride *= size;
            index /= shape_.from_end(i);
        }
        return result;
    }
    void read_run(const Array& operand, size_t first, std::span<double> to) const {
        if (operand.shape.from_end(0) == 1 && shape_.from_end(0) != 1) {
            std::ranges::fill(to, operand.values[source_of(operand, first)]);
        } else {
            operand.values.read(source_of(operand, first), to);
        }
    }

    const Array a_;
    const Array b_;
    const Shape shape_;
    const std::function<double(double, double)> function_;
};

}  // namespace

size_t Array::offset(std::span<const uint32_t> index) const {
    size_t result = 0;
    for (size_t i = 0; i < shape.rank(); ++i) {
        result = result * shape[static_cast<int64_t>(i)] + index[i];
    }
    return result;
}

Array values(const Tensor& tensor) {
    const size_t count = tensor.logical_volume();
    const auto source = std::make_shared<const TensorValues>(tensor);
    Array array(tensor.logical_shape(), Values(count, source));
    if (count < made_when_asked) {
        array.values.held();
    }
    return array;
}

Array padded_values(const Tensor& tensor) {
    Array array(tensor.padded_shape());
    if (is_integer(tensor.dtype())) {
        const Dense<uint32_t> bits = read_padded<uint32_t>(tensor);
        const bool is_signed = tensor.dtype() == DataType::INT32;
        std::ranges::transform(bits, array.values.begin(), [is_signed](uint32_t value) {
            return is_signed ? static_cast<double>(static_cast<int32_t>(value)) : static_cast<double>(value);
        });
    } else {
        std::ranges::copy(read_padded<float>(tensor), array.values.begin());
    }
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

Array mapped(const Array& input, std::function<double(double)> function) {
    return {input.shape, mapped(input.values, std::move(function))};
}

Array zipped(const Array& a, const Array& b, std::function<double(double, double)> function) {
    const Shape shape = broadcast(a.shape, b.shape);
    if (shape.volume() < made_when_asked) {
        return zip(a, b, function);
    }
    return {shape, Values(shape.volume(), std::make_shared<const Zipped>(a, b, shape, std::move(function)))};
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
