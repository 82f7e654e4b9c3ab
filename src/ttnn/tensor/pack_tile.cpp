// Tiles: which numbers of a block go where, by faces.
#include <algorithm>
#include <cstring>

#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn::pack {

namespace {

constexpr size_t max_elements = 32 * 32;

// A tile as loops need it. Rows of a face are 16 wide in every supported tile.
struct Geometry {
    size_t height;
    size_t width;
    size_t face_height;
    bool transposed;

    explicit Geometry(const Tile& tile)
        : height(tile.height()),
          width(tile.width()),
          face_height(tile.face_shape()[0]),
          transposed(tile.transposed()) {}

    size_t runs() const { return height * width / run_length; }
};

// Calls use(top, left, first_run) for every face of an upright tile in storage order.
template <class Use>
void for_each_face(const Geometry& tile, Use use) {
    size_t run = 0;
    for (size_t top = 0; top < tile.height; top += tile.face_height) {
        for (size_t left = 0; left < tile.width; left += run_length, run += tile.face_height) {
            use(top, left, run);
        }
    }
}

// Calls use(row, column, position) for every element in storage order; transposed tiles store columns as rows.
template <class Use>
void for_each_element(const Geometry& tile, Use use) {
    size_t position = 0;
    if (!tile.transposed) {
        for_each_face(tile, [&](size_t top, size_t left, size_t) {
            for (size_t row = top; row < top + tile.face_height; ++row) {
                for (size_t column = left; column < left + run_length; ++column) {
                    use(row, column, position++);
                }
            }
        });
        return;
    }
    for (size_t left = 0; left < tile.width; left += run_length) {
        for (size_t top = 0; top < tile.height; top += tile.face_height) {
            for (size_t column = left; column < left + run_length; ++column) {
                for (size_t row = top; row < top + tile.face_height; ++row) {
                    use(row, column, position++);
                }
            }
        }
    }
}

// One packed tile in the making.
template <class T>
struct Page {
    const RunCodec<T>& codec;
    Geometry tile;
    size_t section;  // bytes of exponents

    Page(DataType dtype, const Tile& shape)
        : codec(run_codec<T>(dtype)), tile(shape), section(codec.exponent_bytes(tile.runs())) {}

    size_t bytes() const { return section + tile.runs() * codec.run_bytes; }

    void encode(const T* numbers, size_t stride, std::byte* page, size_t run, size_t runs) const {
        codec.encode(numbers, stride, page + section + run * codec.run_bytes, page + run, runs);
    }
    void decode(const std::byte* page, T* numbers, size_t stride, size_t run, size_t runs) const {
        codec.decode(page + section + run * codec.run_bytes, page + run, numbers, stride, runs);
    }
};

// How many of `count` rows from `top` on exist.
size_t rows_from(size_t top, size_t count, size_t rows) { return std::min(count, rows - std::min(rows, top)); }

// Upright tile with all its columns: faces straight from the block.
template <class T>
void encode_full_width(const Page<T>& page, const T* from, size_t stride, size_t rows, const T* padding,
                       std::byte* to) {
    for_each_face(page.tile, [&](size_t top, size_t left, size_t run) {
        const size_t present = rows_from(top, page.tile.face_height, rows);
        page.encode(from + top * stride + left, stride, to, run, present);
        page.encode(padding, 0, to, run + present, page.tile.face_height - present);
    });
}

template <class T>
void encode_any(const Page<T>& page, const T* from, size_t stride, size_t rows, size_t columns, T pad, std::byte* to) {
    T numbers[max_elements];
    for_each_element(page.tile, [&](size_t row, size_t column, size_t position) {
        numbers[position] = row < rows && column < columns ? from[row * stride + column] : pad;
    });
    page.encode(numbers, run_length, to, 0, page.tile.runs());
}

template <class T>
void decode_any(const Page<T>& page, const std::byte* from, T* to, size_t stride, size_t rows, size_t columns) {
    T numbers[max_elements];
    page.decode(from, numbers, run_length, 0, page.tile.runs());
    for_each_element(page.tile, [&](size_t row, size_t column, size_t position) {
        if (row < rows && column < columns) {
            to[row * stride + column] = numbers[position];
        }
    });
}

}  // namespace

template <class T>
void encode_tile_row(DataType dtype, const Tile& tile, const T* from, size_t stride, size_t rows, size_t columns, T pad,
                     std::byte* to, size_t tiles) {
    const Page<T> page(dtype, tile);
    const size_t runs = page.tile.runs();
    T padding[run_length];
    std::fill_n(padding, run_length, pad);
    for (size_t i = 0; i < tiles; ++i, to += page.bytes()) {
        const size_t left = std::min(i * page.tile.width, columns);
        const size_t present = std::min(page.tile.width, columns - left);
        if (present == page.tile.width && !page.tile.transposed) [[likely]] {
            encode_full_width(page, from + left, stride, rows, padding, to);
        } else {
            encode_any(page, from + left, stride, rows, present, pad, to);
        }
        if (page.section > runs) {
            std::memset(to + runs, 0, page.section - runs);
        }
    }
}

template <class T>
void decode_tile_row(DataType dtype, const Tile& tile, const std::byte* from, T* to, size_t stride, size_t rows,
                     size_t columns) {
    const Page<T> page(dtype, tile);
    for (size_t left = 0; left < columns; left += page.tile.width, from += page.bytes()) {
        const size_t present = std::min(page.tile.width, columns - left);
        if (present != page.tile.width || page.tile.transposed) [[unlikely]] {
            decode_any(page, from, to + left, stride, rows, present);
            continue;
        }
        for_each_face(page.tile, [&](size_t top, size_t face_left, size_t run) {
            page.decode(from, to + left + top * stride + face_left, stride, run,
                        rows_from(top, page.tile.face_height, rows));
        });
    }
}

template <class T>
void encode_tile(DataType dtype, const Tile& tile, const T* from, size_t stride, size_t rows, size_t columns, T pad,
                 std::byte* to) {
    encode_tile_row(dtype, tile, from, stride, rows, columns, pad, to, 1);
}

template <class T>
void decode_tile(DataType dtype, const Tile& tile, const std::byte* from, T* to, size_t stride, size_t rows,
                 size_t columns) {
    decode_tile_row(dtype, tile, from, to, stride, rows, std::min<size_t>(columns, tile.width()));
}

template void encode_tile_row(DataType, const Tile&, const float*, size_t, size_t, size_t, float, std::byte*, size_t);
template void encode_tile_row(DataType, const Tile&, const uint32_t*, size_t, size_t, size_t, uint32_t, std::byte*,
                              size_t);
template void decode_tile_row(DataType, const Tile&, const std::byte*, float*, size_t, size_t, size_t);
template void decode_tile_row(DataType, const Tile&, const std::byte*, uint32_t*, size_t, size_t, size_t);
template void encode_tile(DataType, const Tile&, const float*, size_t, size_t, size_t, float, std::byte*);
template void encode_tile(DataType, const Tile&, const uint32_t*, size_t, size_t, size_t, uint32_t, std::byte*);
template void decode_tile(DataType, const Tile&, const std::byte*, float*, size_t, size_t, size_t);
template void decode_tile(DataType, const Tile&, const std::byte*, uint32_t*, size_t, size_t, size_t);

}  // namespace ttnn::pack
