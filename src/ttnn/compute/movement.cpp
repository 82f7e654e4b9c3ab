#include "ttnn/compute/movement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "ttnn/core/stop.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::compute {
namespace {

constexpr uint64_t block = 32;  // rows and columns of a transposed block: both sides stay in the first-level cache

std::vector<uint64_t> strides_of(const Shape& shape) {
    std::vector<uint64_t> strides(shape.rank());
    uint64_t stride = 1;
    for (size_t i = shape.rank(); i-- > 0;) {
        strides[i] = stride;
        stride *= shape[static_cast<int64_t>(i)];
    }
    return strides;
}

// Drops dimensions of one element and joins neighbours that both sides step through evenly.
std::vector<Walk::Dim> joined(const std::vector<Walk::Dim>& dims) {
    std::vector<Walk::Dim> result;
    for (const Walk::Dim& dim : dims) {
        if (dim.size == 1) {
            continue;
        }
        if (!result.empty() && result.back().from_stride == dim.from_stride * dim.size &&
            result.back().to_stride == dim.to_stride * dim.size) {
            result.back() = {result.back().size * dim.size, dim.from_stride, dim.to_stride};
        } else {
            result.push_back(dim);
        }
    }
    return result;
}

template <class T>
void copy_row(const T* from, T* to, const Walk::Dim& dim) {
    if (dim.from_stride == 1 && dim.to_stride == 1) {
        std::memcpy(to, from, dim.size * sizeof(T));
    } else if (dim.from_stride == 0 && dim.to_stride == 1) {
        std::fill_n(to, dim.size, *from);
    } else {
        for (uint64_t i = 0; i < dim.size; ++i) {
            to[i * dim.to_stride] = from[i * dim.from_stride];
        }
    }
}

template <class T>
void copy_blocks(const T* from, T* to, const Walk::Dim& outer, const Walk::Dim& inner) {
    if (inner.from_stride <= 1) {
        for (uint64_t r = 0; r < outer.size; ++r) {
            checkpoint();
            copy_row(from + r * outer.from_stride, to + r * outer.to_stride, inner);
        }
        return;
    }
    for (uint64_t i = 0; i < outer.size; i += block) {
        checkpoint();
        for (uint64_t j = 0; j < inner.size; j += block) {
            const uint64_t rows = std::min(block, outer.size - i);
            const uint64_t columns = std::min(block, inner.size - j);
            for (uint64_t r = i; r < i + rows; ++r) {
                copy_row(from + r * outer.from_stride + j * inner.from_stride,
                         to + r * outer.to_stride + j * inner.to_stride, {columns, inner.from_stride, inner.to_stride});
            }
        }
    }
}

template <class T>
void copy_dims(const T* from, T* to, std::span<const Walk::Dim> dims) {
    if (dims.empty()) {
        *to = *from;
    } else if (dims.size() == 1) {
        copy_row(from, to, dims[0]);
    } else if (dims.size() == 2) {
        copy_blocks(from, to, dims[0], dims[1]);
    } else {
        for (uint64_t i = 0; i < dims[0].size; ++i) {
            checkpoint();
            copy_dims(from + i * dims[0].from_stride, to + i * dims[0].to_stride, dims.subspan(1));
        }
    }
}

// Brings the dimension that the source steps through by one next to the innermost, where copy_blocks wants it. The
// order of the others does not matter to the result.
void bring_inward(std::vector<Walk::Dim>& dims) {
    if (dims.size() < 3 || dims.back().from_stride == 1) {
        return;
    }
    const auto fast = std::ranges::find(dims, uint64_t{1}, &Walk::Dim::from_stride);
    if (fast != dims.end()) {
        std::rotate(fast, fast + 1, dims.end() - 1);
    }
}

template <class T>
void copy_walk(const Walk& way, const T* from, T* to) {
    std::vector<Walk::Dim> dims = joined(way.dims);
    if (std::ranges::any_of(dims, [](const Walk::Dim& dim) { return dim.size == 0; })) {
        return;
    }
    bring_inward(dims);
    copy_dims(from + way.from, to + way.to, std::span<const Walk::Dim>(dims));
}

template <class T>
T as_element(double value) {
    if constexpr (std::is_same_v<T, uint32_t>) {
        // Infinities come from callers that pad any dtype with the lowest number.
        const double bounded = std::clamp(value, -2147483648.0, 4294967295.0);
        return std::isnan(value) ? 0 : static_cast<uint32_t>(static_cast<int64_t>(bounded));
    } else {
        return static_cast<float>(value);
    }
}

template <class T>
void walk_as(std::span<const Tensor> inputs, std::span<const Walk> walks, Tensor& output, double fill_value) {
    uint64_t reached = 0;
    for (const Walk& way : walks) {
        uint64_t volume = 1;
        for (const Walk::Dim& dim : way.dims) {
            volume *= dim.size;
        }
        reached += volume;
    }
    Dense<T> result(output.logical_volume());
    if (reached < result.size()) {
        std::ranges::fill(result, as_element<T>(fill_value));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        copy_walk(walks[i], read<T>(inputs[i]).data(), result.data());
    }
    write<T>(output, result.span());
}

bool same_pages(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype() == b.dtype() && a.layout() == b.layout() && a.tile() == b.tile() &&
           a.logical_shape() == b.logical_shape() && a.page_height() == b.page_height() &&
           a.page_width() == b.page_width() && a.page_rows() == b.page_rows() && a.page_columns() == b.page_columns();
}

bool integers_only(const Tensor& a, const Tensor& b) { return is_integer(a.dtype()) && is_integer(b.dtype()); }

// Band by band; what shares its bytes with the input is read whole before it is written.
template <class T>
void refill_as(const Tensor& input, Tensor& output, double pad) {
    if (input.storage_key() == output.storage_key()) {
        return write<T>(output, read<T>(input).span(), as_element<T>(pad));
    }
    Dense<T> values;
    for (const Band& band : bands_of(output.spec(), usual_band)) {
        checkpoint();
        if (values.size() < band.size) {
            values = Dense<T>(band.size);
        }
        const std::span<T> part = values.span().first(band.size);
        read_part<T>(input, band.first, part);
        write_band<T>(output, band, part, as_element<T>(pad));
    }
}

template <class T>
void transfer_padded_as(const Tensor& input, Tensor& output) {
    const Shape& source = input.padded_shape();
    const Shape target = output.logical_shape().to_rank(source.rank());
    Walk way;
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    for (size_t i = 0; i < source.rank(); ++i) {
        const auto at = static_cast<int64_t>(i);
        way.dims.push_back({std::min(source[at], target[at]), from[i], to[i]});
    }
    Dense<T> result(output.logical_volume());
    std::ranges::fill(result, T{});
    copy_walk(way, read_padded<T>(input).data(), result.data());
    write<T>(output, result.span());
}

template <class T>
void fill_as(Tensor& tensor, double value) {
    std::vector<T> values;
    for (const Band& band : bands_of(tensor.spec(), usual_band)) {
        values.resize(band.size, as_element<T>(value));
        write_band<T>(tensor, band, values);
    }
}

}  // namespace

Walk permuted(const Shape& source, std::span<const size_t> dims) {
    Shape target = source;
    for (size_t i = 0; i < dims.size(); ++i) {
        target[static_cast<int64_t>(i)] = source[static_cast<int64_t>(dims[i])];
    }
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    Walk way;
    for (size_t i = 0; i < dims.size(); ++i) {
        way.dims.push_back({target[static_cast<int64_t>(i)], from[dims[i]], to[i]});
    }
    return way;
}

Walk sliced(const Shape& source, const Shape& target, std::span<const uint32_t> starts,
            std::span<const uint32_t> steps) {
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    Walk way;
    for (size_t i = 0; i < source.rank(); ++i) {
        way.dims.push_back({target[static_cast<int64_t>(i)], from[i] * steps[i], to[i]});
        way.from += from[i] * starts[i];
    }
    return way;
}

Walk placed(const Shape& source, const Shape& target, std::span<const uint32_t> starts) {
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    Walk way;
    for (size_t i = 0; i < source.rank(); ++i) {
        way.dims.push_back({source[static_cast<int64_t>(i)], from[i], to[i]});
        way.to += to[i] * starts[i];
    }
    return way;
}

Walk repeated(const Shape& source, std::span<const uint32_t> factors) {
    Shape target = source;
    for (size_t i = 0; i < factors.size(); ++i) {
        target[static_cast<int64_t>(i)] *= factors[i];
    }
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    Walk way;
    for (size_t i = 0; i < factors.size(); ++i) {
        const uint64_t size = source[static_cast<int64_t>(i)];
        way.dims.push_back({factors[i], 0, to[i] * size});
        way.dims.push_back({size, from[i], to[i]});
    }
    return way;
}

void walk(std::span<const Tensor> inputs, std::span<const Walk> walks, Tensor& output, double fill_value) {
    if (is_integer(output.dtype())) {
        walk_as<uint32_t>(inputs, walks, output, fill_value);
    } else {
        walk_as<float>(inputs, walks, output, fill_value);
    }
}

void transfer(const Tensor& input, Tensor& output, double pad) {
    if (same_pages(input.spec(), output.spec())) {
        copy_pages(input, output);
    } else {
        refill(input, output, pad);
    }
}

void refill(const Tensor& input, Tensor& output, double pad) {
    const bool apart = input.storage_key() != output.storage_key();
    if (apart && same_elements(input.spec(), output.spec())) {
        const bool whole = is_integer(output.dtype());
        copy_elements(input, output, whole ? static_cast<double>(as_element<uint32_t>(pad)) : pad);
    } else if (integers_only(input, output)) {
        refill_as<uint32_t>(input, output, pad);
    } else {
        refill_as<float>(input, output, pad);
    }
}

void transfer_padded(const Tensor& input, Tensor& output) {
    if (integers_only(input, output)) {
        transfer_padded_as<uint32_t>(input, output);
    } else {
        transfer_padded_as<float>(input, output);
    }
}

void fill(Tensor& tensor, double value) {
    is_integer(tensor.dtype()) ? fill_as<uint32_t>(tensor, value) : fill_as<float>(tensor, value);
}

}  // namespace ttnn::compute
