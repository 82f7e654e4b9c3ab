// Values of tensors: where logical elements lie in the pages, and copies between host and device.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ttnn/core/error.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

namespace {

// Numbers of some shape in the pages of a spec: matrices of rows x columns, stored with padded_rows each.
struct Placement {
    Shape numbers;
    Shape stored;  // padded shape, same rank
    uint64_t rows;
    uint64_t columns;
    uint64_t padded_rows;
    uint64_t padded_columns;

    Placement(const TensorSpec& spec, const Shape& shape) {
        const size_t rank = std::max<size_t>({shape.rank(), spec.padded_shape().rank(), 2});
        numbers = shape.to_rank(rank);
        stored = spec.padded_shape().to_rank(rank);
        rows = numbers.from_end(1);
        columns = numbers.from_end(0);
        padded_rows = stored.from_end(1);
        padded_columns = stored.from_end(0);
    }

    uint64_t matrices() const { return leading(stored); }
    // Leading dimensions without padding, which is all but legacy tensors.
    bool leading_unpadded() const { return std::equal(numbers.begin(), numbers.end() - 2, stored.begin()); }
    bool unpadded() const { return numbers == stored; }

    // Which matrix of numbers a stored matrix holds; nullopt for padding.
    std::optional<uint64_t> matrix_of(uint64_t matrix) const {
        uint64_t index = 0;
        uint64_t stride = 1;
        for (size_t i = 2; i < stored.rank(); ++i) {
            const uint64_t at = matrix % stored.from_end(i);
            if (at >= numbers.from_end(i)) {
                return std::nullopt;
            }
            index += at * stride;
            stride *= numbers.from_end(i);
            matrix /= stored.from_end(i);
        }
        return index;
    }

    static uint64_t leading(const Shape& shape) {
        uint64_t product = 1;
        for (size_t i = 2; i < shape.rank(); ++i) {
            product *= shape.from_end(i);
        }
        return product;
    }
};

// Block floats outside tiles are plain floats.
DataType stored_dtype(const TensorSpec& spec) {
    return spec.layout() == Layout::ROW_MAJOR && is_block_float(spec.dtype()) ? DataType::FLOAT32 : spec.dtype();
}

// An integer type of the same size, to move bits without looking at them.
DataType bit_dtype(DataType dtype) {
    return dtype == DataType::BFLOAT16 ? DataType::UINT16 : dtype == DataType::FLOAT32 ? DataType::UINT32 : dtype;
}

uint64_t up_to(uint64_t limit, uint64_t total, uint64_t from) { return std::min(limit, total - std::min(total, from)); }

// Calls use(index, pages, offset) for stretches of the pages first .. first + count that follow each other in storage.
template <class Use>
void for_each_stretch(const Tensor& tensor, bool in_order, uint64_t first, uint64_t count, Use use) {
    if (in_order) {
        use(uint64_t{0}, count, first * tensor.spec().page_size());
        return;
    }
    const PageMap& map = tensor.buffer()->pages();
    for (uint64_t i = 0; i < count;) {
        const uint64_t slot = map.slot_of(first + i);
        uint64_t pages = 1;
        while (i + pages < count && map.slot_of(first + i + pages) == slot + pages) {
            ++pages;
        }
        use(i, pages, slot * map.page_size());
        i += pages;
    }
}

bool pages_in_order(const Tensor& tensor) { return !tensor.buffer() || tensor.buffer()->pages().identity(); }

// Calls use(first_page, row, rows) for every row of pages: `row` is that of the numbers, with `rows` of them present.
template <class Use>
void for_each_page_row(const TensorSpec& spec, const Placement& place, Use use) {
    const uint64_t page_rows = place.padded_rows / spec.page_height();
    uint64_t page = 0;
    for (uint64_t m = 0; m < place.matrices(); ++m) {
        const auto matrix = place.leading_unpadded() ? m : place.matrix_of(m);
        for (uint64_t r = 0; r < page_rows; ++r, page += spec.page_columns()) {
            const uint64_t row = r * spec.page_height();
            const uint64_t rows = matrix ? up_to(spec.page_height(), place.rows, row) : 0;
            use(page, rows == 0 ? 0 : *matrix * place.rows + row, rows);
        }
    }
}

template <class T>
void fill(DataType dtype, std::byte* to, uint64_t count, T pad) {
    const size_t size = element_size(dtype);
    std::byte element[4];
    pack::encode(dtype, &pad, element, 1);
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * size, element, size);
    }
}

// Nothing reaches a device that does not dispatch.
bool drops_writes(const Tensor& tensor) { return tensor.is_on_device() && (tensor.is_mocked() || dispatch_blocked()); }

template <class T>
void read_numbers(const Tensor& tensor, DataType dtype, const Shape& shape, T* to) {
    if (tensor.is_mocked()) [[unlikely]] {
        std::fill_n(to, shape.volume(), T{});
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const Placement place(spec, shape);
    const std::byte* bytes = tensor.bytes().data();
    const bool in_order = pages_in_order(tensor);
    if (shape.volume() == 0) {
        return;
    }
    if (spec.layout() == Layout::ROW_MAJOR && in_order && place.unpadded()) {
        return pack::decode(dtype, bytes, to, shape.volume());
    }
    const uint64_t width = spec.page_width();
    for_each_page_row(spec, place, [&](uint64_t page, uint64_t row, uint64_t rows) {
        if (rows == 0) {
            return;
        }
        T* numbers = to + row * place.columns;
        for_each_stretch(tensor, in_order, page, spec.page_columns(), [&](auto at, auto pages, auto offset) {
            const uint64_t columns = up_to(pages * width, place.columns, at * width);
            if (columns == 0) {
                return;
            }
            if (spec.layout() == Layout::TILE) {
                pack::decode_tile_row(dtype, spec.tile(), bytes + offset, numbers + at * width, place.columns, rows,
                                      columns);
            } else {
                pack::decode(dtype, bytes + offset, numbers + at * width, columns);
            }
        });
    });
}

template <class T>
void write_numbers(Tensor& tensor, DataType dtype, const Shape& shape, const T* from, T pad) {
    if (drops_writes(tensor)) [[unlikely]] {
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const Placement place(spec, shape);
    std::byte* bytes = tensor.mutable_bytes().data();
    const bool in_order = pages_in_order(tensor);
    if (spec.num_pages() == 0) {
        return;
    }
    if (spec.layout() == Layout::ROW_MAJOR && in_order && place.unpadded()) {
        return pack::encode(dtype, from, bytes, shape.volume());
    }
    const uint64_t width = spec.page_width();
    for_each_page_row(spec, place, [&](uint64_t page, uint64_t row, uint64_t rows) {
        const T* numbers = from + row * place.columns;
        for_each_stretch(tensor, in_order, page, spec.page_columns(), [&](auto at, auto pages, auto offset) {
            const uint64_t columns = rows == 0 ? 0 : up_to(pages * width, place.columns, at * width);
            const T* first = columns == 0 ? from : numbers + at * width;
            if (spec.layout() == Layout::TILE) {
                pack::encode_tile_row(dtype, spec.tile(), first, place.columns, rows, columns, pad, bytes + offset,
                                      pages);
                return;
            }
            pack::encode(dtype, first, bytes + offset, columns);
            fill(dtype, bytes + offset + columns * element_size(dtype), pages * width - columns, pad);
        });
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

// Between tensors of the same page grid, whatever the order of their pages in storage.
void copy_pages(const Tensor& from, Tensor& to) {
    if (from.is_mocked() || drops_writes(to)) [[unlikely]] {
        return;
    }
    const uint64_t size = from.spec().page_size();
    const uint64_t pages = from.spec().num_pages();
    const std::byte* source = from.bytes().data();
    std::byte* target = to.mutable_bytes().data();
    if (pages == 0) {
        return;
    }
    if (pages_in_order(from) && pages_in_order(to)) {
        std::memcpy(target, source, pages * size);
        return;
    }
    for (uint64_t page = 0; page < pages; ++page) {
        std::memcpy(target + to.page_offset(page), source + from.page_offset(page), size);
    }
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
    Tensor result = Tensor::allocate_on_host(tensor.spec());
    copy_pages(tensor, result);
    return result;
}

Tensor copy_to_device(const Tensor& tensor, const std::shared_ptr<Device>& device,
                      const std::optional<MemoryConfig>& memory_config) {
    tensor.bytes();  // a deallocated tensor must not take device memory first
    Tensor result = Tensor::allocate_on_device(
        memory_config ? tensor.spec().with_memory_config(*memory_config) : tensor.spec(), device);
    copy_values(tensor, result);
    return result;
}

}  // namespace ttnn
