#include "ttnn/compute/heads.hpp"

#include <algorithm>

#include "ttnn/compute/tiles.hpp"

namespace ttnn::compute {
namespace {

// Rows of a batch and columns of a row, in elements or in tiles.
struct Extent {
    uint64_t rows;
    uint64_t columns;
};
Extent elements_of(const Tensor& tensor, uint64_t matrices) {
    const uint64_t columns = tensor.logical_shape().from_end(0);
    return {tensor.logical_volume() / std::max<uint64_t>(columns * matrices, 1), columns};
}
Extent tiles_of(const Tensor& tensor, uint64_t matrices) {
    return {tensor.spec().page_rows() / std::max<uint64_t>(matrices, 1), tensor.spec().page_columns()};
}

bool whole_tiles(uint64_t columns) { return columns % tile_size == 0; }

// Heads that consist of whole tiles on both sides are moved as they are.
bool moves_tiles(const Tensor& a, const Tensor& b) {
    return a.layout() == Layout::TILE && b.layout() == Layout::TILE && a.spec().tile() == Tile() && same_tiles(a, b) &&
           a.padded_shape()[-2] == b.padded_shape()[-2] && a.logical_shape()[-2] == b.logical_shape()[-2];
}

Walk to_heads(const HeadColumns& c, Extent wide, uint64_t head, uint64_t own, uint64_t unit) {
    const uint64_t size = wide.rows * own;  // of a head
    return {.dims = {{c.batches, wide.rows * wide.columns, c.heads() * size},
                     {c.groups, c.group_step / unit, c.per_group * size},
                     {c.per_group, head, size},
                     {wide.rows, wide.columns, own},
                     {head, 1, 1}},
            .from = c.first / unit,
            .to = 0};
}

Walk reversed(Walk way) {
    for (Walk::Dim& dim : way.dims) {
        std::swap(dim.from_stride, dim.to_stride);
    }
    std::swap(way.from, way.to);
    return way;
}

}  // namespace

void take_heads(const Tensor& rows, const HeadColumns& columns, bool transposed, Tensor& heads) {
    const bool aligned = whole_tiles(columns.head_dim) && whole_tiles(columns.first) && whole_tiles(columns.group_step);
    if (aligned && !transposed && moves_tiles(rows, heads)) {
        const uint64_t head = columns.head_dim / tile_size;
        return copy_tiles(rows, heads, to_heads(columns, tiles_of(rows, columns.batches), head, head, tile_size));
    }
    const Extent wide = elements_of(rows, columns.batches);
    const uint64_t own = heads.logical_volume() / std::max<uint64_t>(columns.batches * columns.heads() * wide.rows, 1);
    Walk way = to_heads(columns, wide, columns.head_dim, own, 1);
    if (transposed) {
        way.dims[3].to_stride = 1;
        way.dims[4].to_stride = wide.rows;
    }
    walk(rows, way, heads);
}

void join_heads(const Tensor& heads, uint64_t batches, uint64_t count, Tensor& rows) {
    const uint64_t head = heads.logical_shape().from_end(0);
    const HeadColumns columns{.batches = batches, .per_group = count, .head_dim = head};
    if (whole_tiles(head) && moves_tiles(heads, rows)) {
        const uint64_t wide = head / tile_size;
        return copy_tiles(heads, rows, reversed(to_heads(columns, tiles_of(rows, batches), wide, wide, tile_size)));
    }
    walk(heads, reversed(to_heads(columns, elements_of(rows, batches), head, head, 1)), rows);
}

}  // namespace ttnn::compute
