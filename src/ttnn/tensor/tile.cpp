#include "ttnn/tensor/tile.hpp"

#include <bit>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn {

Tile::Tile(std::array<uint32_t, 2> shape, bool transpose_tile) : shape_(shape), transposed_(transpose_tile) {
    require(std::has_single_bit(shape[0]) && shape[0] <= 32 && (shape[1] == 32 || shape[1] == 16),
            "tile shape must have a height of 32, 16, 8, 4, 2 or 1 and a width of 32 or 16, got [{}, {}]", shape[0],
            shape[1]);
}

uint32_t Tile::bytes(DataType dtype) const {
    require(dtype != DataType::INVALID, "a tile of {} has no size", dtype);
    if (!is_block_float(dtype)) {
        return num_elements() * static_cast<uint32_t>(element_size(dtype));
    }
    const uint32_t mantissas = dtype == DataType::BFLOAT8_B ? num_elements() : num_elements() / 2;
    return mantissas + round_up(face_shape()[0] * num_faces(), 16u);
}

std::string Tile::to_string() const { return fmt::format("Tile with shape: [{}, {}]", shape_[0], shape_[1]); }

}  // namespace ttnn
