#include "ttnn/compute/tiles.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "ttnn/core/stop.hpp"
#include "ttnn/tensor/pack.hpp"

namespace ttnn::compute {
namespace {

// Copies tiles, or brings them to another dtype one by one.
class TileCopy {
public:
    TileCopy(const Tensor& from, Tensor& to)
        : from_(from),
          to_(to),
          source_(from.bytes().data()),
          target_(to.mutable_bytes().data()),
          size_(from.spec().page_size()),
          as_they_are_(same_tiles(from, to)),
          numbers_(as_they_are_ ? 0 : from.spec().tile().num_elements()) {}

    void copy(uint64_t from, uint64_t to) {
        const std::byte* source = source_ + from_.page_offset(from);
        std::byte* target = target_ + to_.page_offset(to);
        if (as_they_are_) {
            std::memcpy(target, source, size_);
            return;
        }
        pack::decode_faces(from_.dtype(), from_.spec().tile(), source, numbers_.data(), 1);
        pack::encode_faces(to_.dtype(), to_.spec().tile(), numbers_.data(), target, 1);
    }

    void walk(std::span<const Walk::Dim> dims, uint64_t from, uint64_t to) {
        if (dims.empty()) {
            return copy(from, to);
        }
        checkpoint();
        for (uint64_t i = 0; i < dims[0].size; ++i) {
            walk(dims.subspan(1), from + i * dims[0].from_stride, to + i * dims[0].to_stride);
        }
    }

private:
    const Tensor& from_;
    const Tensor& to_;
    const std::byte* source_;
    std::byte* target_;
    const uint64_t size_;
    const bool as_they_are_;
    std::vector<float> numbers_;
};

// Sixteen numbers of a row that lie side by side in a face, with their exponent where the dtype has one.
struct RunBytes {
    size_t exponents;  // bytes in front of the numbers
    size_t bytes;      // of a run

    explicit RunBytes(DataType dtype) {
        constexpr size_t run = 16;
        const size_t tile = Tile().bytes(dtype);
        exponents = is_block_float(dtype) ? Tile().num_elements() / run : 0;
        bytes = (tile - exponents) * run / Tile().num_elements();
    }
    void copy(const std::byte* from, uint64_t from_run, std::byte* to, uint64_t to_run) const {
        std::memcpy(to + exponents + to_run * bytes, from + exponents + from_run * bytes, bytes);
        if (exponents != 0) {
            to[to_run] = from[from_run];
        }
    }
};

}  // namespace

bool same_tiles(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.spec().tile() == b.spec().tile() && a.spec().page_size() == b.spec().page_size();
}

void copy_tiles(const Tensor& from, Tensor& to, const Walk& way) {
    TileCopy(from, to).walk(way.dims, way.from, way.to);
}

void write_tile_row(Tensor& to, uint64_t row, std::span<const float> numbers) {
    constexpr uint64_t face = 16;
    const Tile tile;
    const TensorSpec& spec = to.spec();
    const RunBytes runs(spec.dtype());
    std::vector<std::byte> scratch(spec.page_size());
    std::byte* bytes = to.mutable_bytes().data();
    const uint64_t inside = row % tile.height();
    for (uint64_t column = 0; column < spec.page_columns(); ++column) {
        const size_t first = column * tile.width();
        const size_t count = std::min<size_t>(tile.width(), numbers.size() - first);
        pack::encode_tile(spec.dtype(), tile, numbers.data() + first, tile.width(), 1, count, 0.0F, scratch.data());
        std::byte* page = bytes + to.page_offset(row / tile.height() * spec.page_columns() + column);
        for (uint64_t side = 0; side < 2; ++side) {
            const uint64_t run = (inside / face * 2 + side) * face + inside % face;
            runs.copy(scratch.data(), side * face, page, run);
        }
    }
}

}  // namespace ttnn::compute
