// Values of tensors: all of them at once, and copies between host and device.
#include <type_traits>
#include <utility>

#include "ttnn/core/error.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/tensor/placement.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace {

using placement::bit_dtype;
using placement::NumberPlacement;
using placement::pages_in_order;
using placement::read_page_rows;
using placement::stored_dtype;
using placement::write_page_rows;

// As many rows of pages as hold `numbers`.
size_t page_rows_of(const TensorSpec& spec, size_t numbers) {
    return numbers / std::max<size_t>(spec.page_columns() * spec.page_width() * spec.page_height(), 1) + 1;
}

template <class T>
void read_numbers(const Tensor& tensor, DataType dtype, const Shape& shape, T* to) {
    if (tensor.is_mocked()) [[unlikely]] {
        std::fill_n(to, shape.volume(), T{});
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const NumberPlacement place(spec, shape);
    const std::byte* bytes = tensor.bytes().data();
    if (shape.volume() == 0) {
        return;
    }
    if (spec.layout() == Layout::ROW_MAJOR && pages_in_order(tensor) && place.unpadded()) {
        return in_blocks(shape.volume(), [&](size_t first, size_t count) {
            pack::decode(dtype, bytes + first * element_size(dtype), to + first, count);
        });
    }
    parallel(spec.page_rows(), page_rows_of(spec, parallel_numbers), [&](size_t first, size_t last) {
        read_page_rows(tensor, dtype, place, {first, last}, to);
    });
}

template <class T>
void write_numbers(Tensor& tensor, DataType dtype, const Shape& shape, const T* from, T pad) {
    if (drops_writes(tensor)) [[unlikely]] {
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const NumberPlacement place(spec, shape);
    std::byte* bytes = tensor.mutable_bytes().data();
    if (spec.num_pages() == 0) {
        return;
    }
    if (spec.layout() == Layout::ROW_MAJOR && pages_in_order(tensor) && place.unpadded()) {
        return in_blocks(shape.volume(), [&](size_t first, size_t count) {
            pack::encode(dtype, from + first, bytes + first * element_size(dtype), count);
        });
    }
    parallel(spec.page_rows(), page_rows_of(spec, parallel_numbers), [&](size_t first, size_t last) {
        write_page_rows(tensor, bytes, dtype, place, {first, last}, from, pad);
    });
}

template <class T>
void require_readable(const Tensor& tensor, const char* what) {
    if constexpr (std::is_same_v<T, uint32_t>) {
        require(is_integer(tensor.dtype()),
                "{} as uint32_t needs a tensor of integers (UINT8, UINT16, UINT32, INT32), got {}", what,
                tensor.dtype());
    }
}

template <class T>
void check_and_write(Tensor& tensor, const Shape& shape, std::span<const T> values, T pad) {
    require_readable<T>(tensor, "write");
    require(values.size() == shape.volume(), "write needs {} values for {}, got {}", shape.volume(), shape,
            values.size());
    write_numbers(tensor, stored_dtype(tensor.spec()), shape, values.data(), pad);
}

bool same_page_grid(const TensorSpec& a, const TensorSpec& b) {
    return a.page_size() == b.page_size() && a.page_height() == b.page_height() && a.page_rows() == b.page_rows() &&
           a.page_columns() == b.page_columns();
}

void copy_values(const Tensor& from, Tensor& to) {
    if (same_page_grid(from.spec(), to.spec())) {
        return copy_pages(from, to);
    }
    if (from.spec().layout() == Layout::TILE && is_block_float(from.dtype())) {
        return write<float>(to, read<float>(from).span());
    }
    const DataType dtype = bit_dtype(stored_dtype(from.spec()));
    Dense<uint32_t> patterns(from.logical_volume());
    read_numbers(from, dtype, from.logical_shape(), patterns.data());
    write_numbers(to, dtype, to.logical_shape(), std::as_const(patterns).data(), uint32_t{0});
}

}  // namespace

template <class T>
Dense<T> read(const Tensor& tensor) {
    require_readable<T>(tensor, "read");
    Dense<T> result(tensor.logical_volume());
    read_numbers(tensor, stored_dtype(tensor.spec()), tensor.logical_shape(), result.data());
    return result;
}

template <>
Dense<double> read(const Tensor& tensor) {
    Dense<double> result(tensor.logical_volume());
    if (is_integer(tensor.dtype())) {
        const bool is_signed = tensor.dtype() == DataType::INT32;
        const auto patterns = read<uint32_t>(tensor);
        std::ranges::transform(patterns, result.begin(), [is_signed](uint32_t value) {
            return is_signed ? static_cast<double>(static_cast<int32_t>(value)) : static_cast<double>(value);
        });
        return result;
    }
    const auto floats = read<float>(tensor);
    std::ranges::copy(floats, result.begin());
    return result;
}

template <class T>
void write(Tensor& tensor, std::span<const T> values, T pad) {
    check_and_write(tensor, tensor.logical_shape(), values, pad);
}

template <class T>
Dense<T> read_padded(const Tensor& tensor) {
    require_readable<T>(tensor, "read_padded");
    Dense<T> result(tensor.padded_shape().volume());
    read_numbers(tensor, stored_dtype(tensor.spec()), tensor.padded_shape(), result.data());
    return result;
}

template <class T>
void write_padded(Tensor& tensor, std::span<const T> values) {
    check_and_write(tensor, tensor.padded_shape(), values, T{});
}

template Dense<float> read(const Tensor&);
template Dense<uint32_t> read(const Tensor&);
template Dense<float> read_padded(const Tensor&);
template Dense<uint32_t> read_padded(const Tensor&);
template void write(Tensor&, std::span<const float>, float);
template void write(Tensor&, std::span<const uint32_t>, uint32_t);
template void write_padded(Tensor&, std::span<const float>);
template void write_padded(Tensor&, std::span<const uint32_t>);

Tensor copy_to_host(const Tensor& tensor) {
    return map_parts(tensor, [](const Tensor& part) {
        Tensor result = Tensor::allocate_on_host(part.spec());
        copy_pages(part, result);
        return result;
    });
}

Tensor copy_to_device(const Tensor& tensor, const std::shared_ptr<Device>& device,
                      const std::optional<MemoryConfig>& memory_config) {
    tensor.bytes();  // a deallocated tensor must not take device memory first
    Tensor result = Tensor::allocate_on_device(
        memory_config ? tensor.spec().with_memory_config(memory_config->with_shards_of_any_size()) : tensor.spec(),
        device);
    copy_parts(tensor, result, [](const Tensor& from, Tensor& to) { copy_values(from, to); });
    return result;
}

}  // namespace ttnn
