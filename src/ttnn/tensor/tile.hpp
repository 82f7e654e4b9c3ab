// The shape of a tile and of the faces inside it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ttnn/tensor/types.hpp"

namespace ttnn {

inline constexpr uint32_t tile_size = 32;

class Tile {
public:
    Tile() = default;
    // Height 32, 16, 8, 4, 2 or 1, width 32 or 16; anything else throws.
    explicit Tile(std::array<uint32_t, 2> shape, bool transpose_tile = false);

    uint32_t height() const { return shape_[0]; }
    uint32_t width() const { return shape_[1]; }
    std::array<uint32_t, 2> shape() const { return shape_; }
    std::array<uint32_t, 2> face_shape() const { return {shape_[0] < 16 ? shape_[0] : 16, 16}; }
    uint32_t num_faces() const { return (shape_[0] / face_shape()[0]) * (shape_[1] / 16); }
    uint32_t num_elements() const { return shape_[0] * shape_[1]; }
    bool partial_face() const { return shape_[0] < 16; }
    bool narrow_tile() const { return shape_[1] == 16; }
    bool transposed() const { return transposed_; }
    // Bytes of one packed tile.
    uint32_t bytes(DataType dtype) const;
    bool operator==(const Tile&) const = default;
    std::string to_string() const;  // "Tile with shape: [32, 32]"

private:
    std::array<uint32_t, 2> shape_{tile_size, tile_size};
    bool transposed_ = false;
};

}  // namespace ttnn
