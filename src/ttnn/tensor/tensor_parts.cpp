#include "ttnn/tensor/tensor_parts.hpp"

#include <type_traits>

#include "ttnn/core/error.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/tensor/placement.hpp"

namespace ttnn {
namespace {

using placement::for_each_stretch;
using placement::NumberPlacement;
using placement::NumberRows;
using placement::pages_in_order;
using placement::rows_in;
using placement::stored_dtype;
using placement::up_to;
using placement::write_page_rows;

// A run of elements inside one row of pages: `rows` whole rows of numbers, or a part of one row.
struct Piece {
    uint64_t row = 0;  // of the numbers
    uint64_t rows = 1;
    uint64_t column = 0;
    uint64_t columns = 0;
    uint64_t page_row = 0;
    uint64_t row_inside = 0;  // the first row, counted in the row of pages

    uint64_t size() const { return rows * columns; }
};

// The longest piece that begins at element `first` and has at most `count` elements.
Piece piece_at(const TensorSpec& spec, const NumberPlacement& place, uint64_t first, uint64_t count) {
    Piece piece;
    piece.row = first / place.columns;
    piece.column = first % place.columns;
    const uint64_t matrix = piece.row / place.rows;
    const uint64_t row = piece.row % place.rows;
    piece.page_row = matrix * (place.padded_rows / spec.page_height()) + row / spec.page_height();
    piece.row_inside = row % spec.page_height();
    piece.columns = std::min(place.columns - piece.column, count);
    if (piece.columns == place.columns) {
        const uint64_t left = std::min(spec.page_height() - piece.row_inside, place.rows - row);
        piece.rows = std::min(left, count / place.columns);
    }
    return piece;
}

// Calls use(Piece, offset of its first element in the run) for a run of elements.
template <class Use>
void for_each_piece(const TensorSpec& spec, const NumberPlacement& place, uint64_t first, uint64_t count, Use use) {
    for (uint64_t done = 0; done < count;) {
        checkpoint();
        const Piece piece = piece_at(spec, place, first + done, count - done);
        use(piece, done);
        done += piece.size();
    }
}

// Decodes a piece of a tensor in TILE through a block that begins at the top of the row of tiles.
template <class T>
void decode_tiles(const Tensor& tensor, const Piece& piece, DataType dtype, std::vector<T>& block, T* to) {
    const TensorSpec& spec = tensor.spec();
    const uint64_t width = spec.page_width();
    const uint64_t first_page = piece.column / width;
    const uint64_t pages = div_up(piece.column + piece.columns, width) - first_page;
    const uint64_t rows = piece.row_inside + piece.rows;
    const uint64_t skipped = piece.column - first_page * width;
    const uint64_t columns = skipped + piece.columns;
    const bool direct = piece.row_inside == 0 && skipped == 0;
    if (!direct) {
        block.resize(rows * columns);
    }
    T* target = direct ? to : block.data();
    const uint64_t page = piece.page_row * spec.page_columns() + first_page;
    const std::byte* bytes = tensor.bytes().data();
    for_each_stretch(tensor, pages_in_order(tensor), page, pages, [&](auto at, auto found, auto offset) {
        const uint64_t here = up_to(found * width, columns, at * width);
        pack::decode_tile_row(dtype, spec.tile(), bytes + offset, target + at * width, columns, rows, here);
    });
    if (direct) {
        return;
    }
    for (uint64_t row = 0; row < piece.rows; ++row) {
        std::copy_n(block.data() + (piece.row_inside + row) * columns + skipped, piece.columns,
                    to + row * piece.columns);
    }
}

// Calls use(offset in storage, elements, element of the row) for the stretches of a part of a row-major row.
template <class Use>
void for_each_row_run(const Tensor& tensor, uint64_t page_row, uint64_t column, uint64_t columns, size_t element,
                      Use use) {
    const TensorSpec& spec = tensor.spec();
    const uint64_t width = spec.page_width();
    for (uint64_t done = 0; done < columns;) {
        const uint64_t at = column + done;
        const uint64_t here = std::min(width - at % width, columns - done);
        use(tensor.page_offset(page_row * spec.page_columns() + at / width) + at % width * element, here, done);
        done += here;
    }
}

template <class T>
void read_run(const Tensor& tensor, uint64_t first, std::span<T> to) {
    if (tensor.is_mocked()) [[unlikely]] {
        std::ranges::fill(to, T{});
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const DataType dtype = stored_dtype(spec);
    const NumberPlacement place(spec, tensor.logical_shape());
    const std::byte* bytes = tensor.bytes().data();
    std::vector<T> block;
    for_each_piece(spec, place, first, to.size(), [&](const Piece& piece, uint64_t at) {
        if (spec.layout() == Layout::TILE) {
            decode_tiles(tensor, piece, dtype, block, to.data() + at);
            return;
        }
        for_each_row_run(tensor, piece.page_row, piece.column, piece.columns, element_size(dtype),
                         [&](auto offset, auto count, auto done) {
                             pack::decode(dtype, bytes + offset, to.data() + at + done, count);
                         });
    });
}

// Legacy tensors with padding between their matrices are read and written whole.
bool in_pieces(const Tensor& tensor) {
    return NumberPlacement(tensor.spec(), tensor.logical_shape()).leading_unpadded();
}

double widened(uint32_t bits, DataType dtype) {
    return dtype == DataType::INT32 ? static_cast<double>(static_cast<int32_t>(bits)) : static_cast<double>(bits);
}

// Byte of an element inside a packed tile of plain elements that is not transposed.
uint64_t offset_in_tile(const Tile& tile, size_t element, uint64_t row, uint64_t column) {
    const auto [face_height, face_width] = tile.face_shape();
    const uint64_t face = row / face_height * (tile.width() / face_width) + column / face_width;
    return ((face * face_height + row % face_height) * face_width + column % face_width) * element;
}

// --- elements as they are --------------------------------------------------------------------------------------------

constexpr size_t run = 16;  // elements of a row that lie side by side in a tile

template <size_t Size>
struct Element {
    std::byte bytes[Size];
};

// Tiles side by side <-> rows; only whole faces of 16 x 16, not transposed.
template <size_t Size>
void scatter_tiles(const Tile& tile, const std::byte* from, size_t stride, uint64_t rows, uint64_t columns,
                   const std::byte* pad, std::byte* to, uint64_t tiles) {
    using E = Element<Size>;
    E filler;
    std::memcpy(&filler, pad, Size);
    const uint64_t faces_across = tile.width() / run;
    for (uint64_t t = 0; t < tiles; ++t, to += tile.num_elements() * Size) {
        for (uint64_t r = 0; r < tile.height(); ++r) {
            for (uint64_t f = 0; f < faces_across; ++f) {
                const uint64_t column = t * tile.width() + f * run;
                const uint64_t present = r < rows ? up_to(run, columns, column) : 0;
                auto* target = reinterpret_cast<E*>(to) + ((r / run * faces_across + f) * run + r % run) * run;
                const std::byte* source = from + (r * stride + column) * Size;
                if (present == run) {
                    std::memcpy(target, source, run * Size);
                    continue;
                }
                std::memcpy(target, source, present * Size);
                std::fill(target + present, target + run, filler);
            }
        }
    }
}

template <size_t Size>
void gather_tiles(const Tile& tile, const std::byte* from, std::byte* to, size_t stride, uint64_t first_row,
                  uint64_t rows, uint64_t columns) {
    const uint64_t faces_across = tile.width() / run;
    for (uint64_t column = 0; column < columns; column += run) {
        const uint64_t t = column / tile.width();
        const uint64_t f = column % tile.width() / run;
        const uint64_t present = std::min<uint64_t>(run, columns - column);
        for (uint64_t r = first_row; r < first_row + rows; ++r) {
            const uint64_t place = t * tile.num_elements() + ((r / run * faces_across + f) * run + r % run) * run;
            std::byte* target = to + ((r - first_row) * stride + column) * Size;
            if (present == run) {
                std::memcpy(target, from + place * Size, run * Size);
            } else {
                std::memcpy(target, from + place * Size, present * Size);
            }
        }
    }
}

bool plain_faces(const TensorSpec& spec) {
    return spec.layout() == Layout::ROW_MAJOR ||
           (!spec.tile().transposed() && spec.tile().face_shape() == std::array<uint32_t, 2>{run, run});
}

template <size_t Size>
void gather(const Tensor& tensor, const NumberPlacement& place, uint64_t first, uint64_t count, std::byte* to) {
    const TensorSpec& spec = tensor.spec();
    const std::byte* bytes = tensor.bytes().data();
    const bool in_order = pages_in_order(tensor);
    for_each_piece(spec, place, first, count, [&](const Piece& piece, uint64_t at) {
        std::byte* target = to + at * Size;
        if (spec.layout() == Layout::ROW_MAJOR) {
            for_each_row_run(tensor, piece.page_row, piece.column, piece.columns, Size,
                             [&](auto offset, auto found, auto done) {
                                 std::memcpy(target + done * Size, bytes + offset, found * Size);
                             });
            return;
        }
        // A part of a row may begin inside a run of its tile: element by element up to the next one.
        const uint64_t width = spec.page_width();
        const uint64_t lead = std::min(piece.columns, (run - piece.column % run) % run);
        const uint64_t page = piece.page_row * spec.page_columns();
        for (uint64_t c = piece.column; c < piece.column + lead; ++c) {
            const uint64_t inside = offset_in_tile(spec.tile(), Size, piece.row_inside, c % width);
            std::memcpy(target + (c - piece.column) * Size, bytes + tensor.page_offset(page + c / width) + inside,
                        Size);
        }
        uint64_t column = piece.column + lead;
        const uint64_t end = piece.column + piece.columns;
        while (column < end) {
            const uint64_t stop = column % width != 0 ? std::min(end, round_up(column, width)) : end;
            const uint64_t first_page = page + column / width;
            const uint64_t skipped = column % width / run * run * run * Size;  // faces to the right of the first
            for_each_stretch(tensor, in_order, first_page, div_up(stop, width) - column / width,
                             [&](auto from_page, auto pages, auto offset) {
                                 const uint64_t begin = from_page == 0 ? column : (column / width + from_page) * width;
                                 const uint64_t here =
                                     std::min(stop, (column / width + from_page + pages) * width) - begin;
                                 gather_tiles<Size>(spec.tile(), bytes + offset + (from_page == 0 ? skipped : 0),
                                                    target + (begin - piece.column) * Size, piece.columns,
                                                    piece.row_inside, piece.rows, here);
                             });
            column = stop;
        }
    });
}

template <size_t Size>
void scatter(Tensor& tensor, const NumberPlacement& place, const Band& band, const std::byte* from,
             const std::byte* pad) {
    const TensorSpec& spec = tensor.spec();
    std::byte* bytes = tensor.mutable_bytes().data();
    const bool in_order = pages_in_order(tensor);
    const uint64_t width = spec.page_width();
    const uint64_t first_row = place.columns == 0 ? 0 : band.first / place.columns;
    for (uint64_t page_row = band.first_page_row; page_row < band.first_page_row + band.page_rows; ++page_row) {
        checkpoint();
        const NumberRows held = rows_in(spec, place, page_row);
        const std::byte* numbers = from + (held.rows == 0 ? 0 : (held.row - first_row) * place.columns * Size);
        const uint64_t page = page_row * spec.page_columns();
        for_each_stretch(tensor, in_order, page, spec.page_columns(), [&](auto at, auto pages, auto offset) {
            const uint64_t columns = held.rows == 0 ? 0 : up_to(pages * width, place.columns, at * width);
            const std::byte* source = columns == 0 ? from : numbers + at * width * Size;
            if (spec.layout() == Layout::TILE) {
                scatter_tiles<Size>(spec.tile(), source, place.columns, held.rows, columns, pad, bytes + offset, pages);
                return;
            }
            std::memcpy(bytes + offset, source, columns * Size);
            for (uint64_t i = columns; i < pages * width; ++i) {
                std::memcpy(bytes + offset + i * Size, pad, Size);
            }
        });
    }
}

// The bytes of a tensor whose elements lie in row-major order one after the other; nullptr where they do not.
const std::byte* dense_bytes(const Tensor& tensor, const NumberPlacement& place) {
    const bool dense = tensor.layout() == Layout::ROW_MAJOR && pages_in_order(tensor) && place.unpadded();
    return dense ? tensor.bytes().data() : nullptr;
}

template <size_t Size>
void copy_sized(const Tensor& from, Tensor& to, const std::byte* pad) {
    const NumberPlacement source(from.spec(), from.logical_shape());
    const NumberPlacement target(to.spec(), to.logical_shape());
    const std::byte* dense = dense_bytes(from, source);
    if (dense_bytes(to, target) != nullptr) {
        return gather<Size>(from, source, 0, from.logical_volume(), to.mutable_bytes().data());
    }
    std::vector<std::byte> block;
    for (const Band& band : bands_of(to.spec(), usual_band)) {
        if (dense == nullptr) {
            block.resize(band.size * Size);
            gather<Size>(from, source, band.first, band.size, block.data());
        }
        scatter<Size>(to, target, band, dense != nullptr ? dense + band.first * Size : block.data(), pad);
    }
}

}  // namespace

bool drops_writes(const Tensor& tensor) { return tensor.is_on_device() && (tensor.is_mocked() || dispatch_blocked()); }

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
        return in_blocks(pages * size,
                         [&](size_t first, size_t count) { std::memcpy(target + first, source + first, count); });
    }
    for (uint64_t page = 0; page < pages; ++page) {
        checkpoint();
        std::memcpy(target + to.page_offset(page), source + from.page_offset(page), size);
    }
}

template <class T>
void read_part(const Tensor& tensor, uint64_t first, std::span<T> to) {
    require(first + to.size() <= tensor.logical_volume(), "elements {} to {} are not all in a tensor of {}", first,
            first + to.size(), tensor.logical_shape());
    if (to.empty()) {
        return;
    }
    if constexpr (std::is_same_v<T, double>) {
        std::vector<uint32_t> bits;
        std::vector<float> numbers;
        const bool whole = is_integer(tensor.dtype());
        for (size_t done = 0; done < to.size(); done += usual_band) {
            const auto part = to.subspan(done, std::min<size_t>(usual_band, to.size() - done));
            if (whole) {
                bits.resize(part.size());
                read_part<uint32_t>(tensor, first + done, bits);
                std::ranges::transform(bits, part.begin(),
                                       [&](uint32_t value) { return widened(value, tensor.dtype()); });
            } else {
                numbers.resize(part.size());
                read_part<float>(tensor, first + done, numbers);
                std::ranges::copy(numbers, part.begin());
            }
        }
    } else if (in_pieces(tensor)) {
        read_run(tensor, first, to);
    } else {
        const auto all = read<T>(tensor);
        std::copy_n(all.begin() + first, to.size(), to.begin());
    }
}
template void read_part(const Tensor&, uint64_t, std::span<float>);
template void read_part(const Tensor&, uint64_t, std::span<uint32_t>);
template void read_part(const Tensor&, uint64_t, std::span<double>);

double read_element(const Tensor& tensor, uint64_t index) {
    const TensorSpec& spec = tensor.spec();
    const DataType dtype = stored_dtype(spec);
    if (is_block_float(dtype) || spec.tile().transposed() || tensor.is_mocked() || !in_pieces(tensor)) {
        double value = 0;
        read_part<double>(tensor, index, {&value, 1});
        return value;
    }
    require(index < tensor.logical_volume(), "element {} is not in a tensor of {}", index, tensor.logical_shape());
    const Piece piece = piece_at(spec, NumberPlacement(spec, tensor.logical_shape()), index, 1);
    const uint64_t width = spec.page_width();
    const uint64_t page = tensor.page_offset(piece.page_row * spec.page_columns() + piece.column / width);
    const uint64_t inside = spec.layout() == Layout::TILE ? offset_in_tile(spec.tile(), element_size(dtype),
                                                                           piece.row_inside, piece.column % width)
                                                          : piece.column % width * element_size(dtype);
    const std::byte* at = tensor.bytes().data() + page + inside;
    if (is_integer(dtype)) {
        uint32_t bits = 0;
        pack::decode(dtype, at, &bits, 1);
        return widened(bits, dtype);
    }
    float number = 0;
    pack::decode(dtype, at, &number, 1);
    return number;
}

std::vector<Band> bands_of(const TensorSpec& spec, uint64_t elements) {
    const NumberPlacement place(spec, spec.logical_shape());
    if (spec.num_pages() == 0 || !place.leading_unpadded()) {
        return {{0, spec.page_rows(), 0, spec.logical_shape().volume()}};
    }
    const uint64_t per_row = std::max<uint64_t>(place.columns * spec.page_height(), 1);
    const uint64_t step = std::max<uint64_t>(elements / per_row, 1);
    std::vector<Band> bands;
    uint64_t row = 0;  // of the numbers
    for (uint64_t first = 0; first < spec.page_rows(); first += step) {
        Band band{first, std::min(step, spec.page_rows() - first), row * place.columns, 0};
        for (uint64_t page_row = first; page_row < first + band.page_rows; ++page_row) {
            row += rows_in(spec, place, page_row).rows;
        }
        band.size = row * place.columns - band.first;
        bands.push_back(band);
    }
    return bands;
}

template <class T>
BandWriter<T>::BandWriter(Tensor& tensor)
    : tensor_(tensor),
      bytes_(drops_writes(tensor) || tensor.spec().num_pages() == 0 ? nullptr : tensor.mutable_bytes().data()) {}

template <class T>
void BandWriter<T>::write(const Band& band, std::span<const T> values, T pad) const {
    require(values.size() == band.size, "a band of {} elements cannot be filled with {} values", band.size,
            values.size());
    if (bytes_ == nullptr) {
        return;
    }
    const NumberPlacement place(tensor_.spec(), tensor_.logical_shape());
    write_page_rows(tensor_, bytes_, stored_dtype(tensor_.spec()), place,
                    {band.first_page_row, band.first_page_row + band.page_rows}, values.data(), pad,
                    place.columns == 0 ? 0 : band.first / place.columns);
}
template class BandWriter<float>;
template class BandWriter<uint32_t>;

bool same_elements(const TensorSpec& a, const TensorSpec& b) {
    const auto plain = [](const TensorSpec& spec) {
        return plain_faces(spec) && NumberPlacement(spec, spec.logical_shape()).leading_unpadded();
    };
    return a.dtype() == b.dtype() && !is_block_float(a.dtype()) && plain(a) && plain(b);
}

void copy_elements(const Tensor& from, Tensor& to, double pad) {
    require(same_elements(from.spec(), to.spec()) && from.logical_volume() == to.logical_volume(),
            "{} cannot be copied element by element into {}", from.spec().to_string(), to.spec().to_string());
    if (from.is_mocked() || drops_writes(to)) {
        return;
    }
    std::byte filler[4] = {};
    if (is_integer(to.dtype())) {
        const uint32_t bits = static_cast<uint32_t>(static_cast<int64_t>(pad));
        pack::encode(to.dtype(), &bits, filler, 1);
    } else {
        const float number = static_cast<float>(pad);
        pack::encode(to.dtype(), &number, filler, 1);
    }
    switch (element_size(to.dtype())) {
        case 1: return copy_sized<1>(from, to, filler);
        case 2: return copy_sized<2>(from, to, filler);
        default: return copy_sized<4>(from, to, filler);
    }
}

}  // namespace ttnn
