#include "ttnn/compute/indexed.hpp"

#include <algorithm>
#include <vector>

#include "ttnn/core/error.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn::compute {
namespace {

uint32_t checked(std::string_view op, uint32_t index, size_t columns) {
    if (index >= columns) [[unlikely]] {
        fail("{}: argument 'index' holds {}, but the dimension has {} elements", op, index, columns);
    }
    return index;
}

// Rows of a shape: its leading dimensions in row-major order.
class Rows {
public:
    explicit Rows(const Shape& shape) : shape_(shape), index_(shape.rank() == 0 ? 0 : shape.rank() - 1, 0) {}
    size_t count() const { return shape_.volume() / std::max(shape_.from_end(0), 1U); }
    // Which row of another shape stands at the place of this one.
    size_t row_in(const Shape& other) const {
        size_t row = 0;
        for (size_t i = 0; i < index_.size(); ++i) {
            row = row * other[static_cast<int64_t>(i)] + index_[i];
        }
        return row;
    }
    void advance() {
        for (size_t i = index_.size(); i-- > 0 && ++index_[i] == shape_[static_cast<int64_t>(i)];) {
            index_[i] = 0;
        }
    }

private:
    const Shape& shape_;
    std::vector<uint32_t> index_;
};

template <class T>
void gather(std::string_view op, const Tensor& input, const Tensor& index, Tensor& output) {
    const Dense<T> from = read<T>(input);
    const Dense<uint32_t> places = read<uint32_t>(index);
    const size_t columns = input.logical_shape().from_end(0);
    const size_t width = std::max<size_t>(index.logical_shape().from_end(0), 1);
    Dense<T> to(places.size());
    for (size_t row = 0; row < places.size() / width; ++row) {
        checkpoint();
        const T* source = from.data() + row * columns;
        for (size_t i = row * width; i < (row + 1) * width; ++i) {
            to[i] = source[checked(op, places[i], columns)];
        }
    }
    write<T>(output, to.span());
}

template <class T, class Take>
void scatter(std::string_view op, const Tensor& input, const Tensor& index, const Tensor& source,
             const ScatterShapes& shapes, Tensor& output, Take take) {
    Dense<T> to = read<T>(input);
    const Dense<uint32_t> places = read<uint32_t>(index);
    const Dense<T> from = read<T>(source);
    const size_t columns = shapes.input.from_end(0);
    const size_t width = shapes.index.from_end(0);
    Rows rows(shapes.index);
    for (size_t row = 0; width != 0 && row < rows.count(); ++row, rows.advance()) {
        checkpoint();
        T* target = to.data() + rows.row_in(shapes.input) * columns;
        for (size_t i = row * width; i < (row + 1) * width; ++i) {
            take(target[checked(op, places[i], columns)], from[i]);
        }
    }
    write<T>(output, to.span());
}

template <class T>
void scatter_as(std::string_view op, const Tensor& input, const Tensor& index, const Tensor& source,
                const ScatterShapes& shapes, ScatterMode mode, Tensor& output) {
    const auto with = [&](auto take) { scatter<T>(op, input, index, source, shapes, output, take); };
    switch (mode) {
        case ScatterMode::ADD: return with([](T& to, T from) { to += from; });
        case ScatterMode::MULTIPLY: return with([](T& to, T from) { to *= from; });
        case ScatterMode::REPLACE: return with([](T& to, T from) { to = from; });
    }
}

}  // namespace

void gather_columns(std::string_view op, const Tensor& input, const Tensor& index, Tensor& output) {
    is_integer(input.dtype()) ? gather<uint32_t>(op, input, index, output) : gather<float>(op, input, index, output);
}

void scatter_columns(std::string_view op, const Tensor& input, const Tensor& index, const Tensor& source,
                     const ScatterShapes& shapes, ScatterMode mode, Tensor& output) {
    is_integer(input.dtype()) ? scatter_as<uint32_t>(op, input, index, source, shapes, mode, output)
                              : scatter_as<float>(op, input, index, source, shapes, mode, output);
}

}  // namespace ttnn::compute
