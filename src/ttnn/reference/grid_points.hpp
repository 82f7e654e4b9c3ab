// Points of grids, for references.
#pragma once

#include <bit>
#include <cstdint>

namespace ttnn::reference {

// torch's unnormalised coordinate.
inline double pixel_coordinate(double at, double size, bool align_corners) {
    return align_corners ? (at + 1) / 2 * (size - 1) : ((at + 1) * size - 1) / 2;
}

// The number whose low bits a 16-bit integer stands in.
inline double number_of_bits(int64_t integer) {
    const auto bits = static_cast<uint32_t>(static_cast<uint16_t>(static_cast<int16_t>(integer))) << 16;
    return static_cast<double>(std::bit_cast<float>(bits));
}
inline int64_t bits_of_number(double number) {
    return static_cast<int16_t>(std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16);
}

}  // namespace ttnn::reference
