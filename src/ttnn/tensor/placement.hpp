// Where the logical elements of a tensor lie in its pages, and how runs of them are decoded and encoded. For the
// sources that read and write values of tensors; everybody else uses tensor.hpp and tensor_parts.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "ttnn/core/math.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::placement {

// Numbers of some shape in the pages of a spec: matrices of rows x columns, stored with padded_rows each.
struct NumberPlacement {
    Shape numbers;
    Shape stored;  // padded shape, same rank
    uint64_t rows;
    uint64_t columns;
    uint64_t padded_rows;
    uint64_t padded_columns;

    NumberPlacement(const TensorSpec& spec, const Shape& shape) {
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
inline DataType stored_dtype(const TensorSpec& spec) {
    return spec.layout() == Layout::ROW_MAJOR && is_block_float(spec.dtype()) ? DataType::FLOAT32 : spec.dtype();
}

// An integer type of the same size, to move bits without looking at them.
inline DataType bit_dtype(DataType dtype) {
    return dtype == DataType::BFLOAT16 ? DataType::UINT16 : dtype == DataType::FLOAT32 ? DataType::UINT32 : dtype;
}

inline uint64_t up_to(uint64_t limit, uint64_t total, uint64_t from) {
    return std::min(limit, total - std::min(total, from));
}

// Calls use(index, pages, offset) for stretches of the pages first .. first + count that follow each other in storage.
template <class Use>
void for_each_stretch(const Tensor& tensor, bool in_order, uint64_t first, uint64_t count, Use use) {
    if (in_order) {
        use(uint64_t{0}, count, first * tensor.spec().page_size());
        return;
    }
    const PageMap& map = tensor.pages();
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

inline bool pages_in_order(const Tensor& tensor) { return !tensor.buffer() || tensor.pages().identity(); }

// Rows of pages: number first .. last - 1 of a tensor.
struct PageRows {
    uint64_t first = 0;
    uint64_t last = 0;
};

// What of the numbers a row of pages holds: `rows` of their rows from number `row` on. None: padding only.
struct NumberRows {
    uint64_t row = 0;
    uint64_t rows = 0;
};
inline NumberRows rows_in(const TensorSpec& spec, const NumberPlacement& place, uint64_t page_row) {
    const uint64_t per_matrix = place.padded_rows / spec.page_height();
    const uint64_t m = page_row / per_matrix;
    const auto matrix = place.leading_unpadded() ? m : place.matrix_of(m);
    const uint64_t row = page_row % per_matrix * spec.page_height();
    const uint64_t rows = matrix ? up_to(spec.page_height(), place.rows, row) : 0;
    return rows == 0 ? NumberRows{} : NumberRows{*matrix * place.rows + row, rows};
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

// Decodes rows of pages: row 0 of the numbers goes to `to`.
template <class T>
void read_page_rows(const Tensor& tensor, DataType dtype, const NumberPlacement& place, PageRows range, T* to) {
    const TensorSpec& spec = tensor.spec();
    const std::byte* bytes = tensor.bytes().data();
    const bool in_order = pages_in_order(tensor);
    const uint64_t width = spec.page_width();
    for (uint64_t page_row = range.first; page_row < range.last; ++page_row) {
        checkpoint();
        const NumberRows held = rows_in(spec, place, page_row);
        if (held.rows == 0) {
            continue;
        }
        T* numbers = to + held.row * place.columns;
        const uint64_t page = page_row * spec.page_columns();
        for_each_stretch(tensor, in_order, page, spec.page_columns(), [&](auto at, auto pages, auto offset) {
            const uint64_t columns = up_to(pages * width, place.columns, at * width);
            if (columns == 0) {
                return;
            }
            if (spec.layout() == Layout::TILE) {
                pack::decode_tile_row(dtype, spec.tile(), bytes + offset, numbers + at * width, place.columns,
                                      held.rows, columns);
            } else {
                pack::decode(dtype, bytes + offset, numbers + at * width, columns);
            }
        });
    }
}

// Encodes rows of pages into the bytes of a tensor: row `first_row` of the numbers is at `from`.
template <class T>
void write_page_rows(const Tensor& tensor, std::byte* bytes, DataType dtype, const NumberPlacement& place,
                     PageRows range, const T* from, T pad, uint64_t first_row = 0) {
    const TensorSpec& spec = tensor.spec();
    const bool in_order = pages_in_order(tensor);
    const uint64_t width = spec.page_width();
    for (uint64_t page_row = range.first; page_row < range.last; ++page_row) {
        checkpoint();
        const NumberRows held = rows_in(spec, place, page_row);
        const T* numbers = held.rows == 0 ? from : from + (held.row - first_row) * place.columns;
        const uint64_t page = page_row * spec.page_columns();
        for_each_stretch(tensor, in_order, page, spec.page_columns(), [&](auto at, auto pages, auto offset) {
            const uint64_t columns = held.rows == 0 ? 0 : up_to(pages * width, place.columns, at * width);
            const T* first = columns == 0 ? from : numbers + at * width;
            if (spec.layout() == Layout::TILE) {
                pack::encode_tile_row(dtype, spec.tile(), first, place.columns, held.rows, columns, pad, bytes + offset,
                                      pages);
                return;
            }
            pack::encode(dtype, first, bytes + offset, columns);
            fill(dtype, bytes + offset + columns * element_size(dtype), pages * width - columns, pad);
        });
    }
}

}  // namespace ttnn::placement
