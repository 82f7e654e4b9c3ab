// BFLOAT8_B and BFLOAT4_B: how one number is packed and unpacked. Internal to pack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn::pack {

// `Bits` counts sign and magnitude together. Everything happens in the integer domain, so infinities and NaN (exponent
// field 255) follow the same rule as other numbers.
template <unsigned Bits>
struct BlockFloat {
    static constexpr unsigned magnitude_bits = Bits - 1;
    static constexpr uint32_t magnitude_mask = (1U << magnitude_bits) - 1;
    static constexpr unsigned dropped_bits = 24 - magnitude_bits;
    static constexpr size_t run_bytes = run_length * Bits / 8;
    // Exponent field of float(magnitude) when its top bit is set.
    static constexpr int32_t top_exponent = 127 + static_cast<int32_t>(magnitude_bits) - 1;

    static uint32_t quantize(uint32_t bits, uint32_t shared) {
        const uint32_t exponent = (bits >> 23) & 0xFF;
        const uint32_t distance = shared - exponent;
        if (exponent == 0 || distance > 23) {
            return 0;
        }
        const uint32_t aligned = ((bits & 0x7FFFFF) | 0x800000) >> distance;
        const uint32_t half = (1U << (dropped_bits - 1)) - 1 + ((aligned >> dropped_bits) & 1);
        const uint32_t rounded = (aligned + half) >> dropped_bits;
        const uint32_t magnitude = rounded < magnitude_mask ? rounded : magnitude_mask;
        return magnitude == 0 ? 0 : magnitude | (bits >> 31) << magnitude_bits;
    }

    // Added to the exponent of float(magnitude), which is normalised already.
    static int32_t exponent_move(uint32_t shared) { return (static_cast<int32_t>(shared) - top_exponent) * (1 << 23); }

    static float expand(uint32_t quantized, int32_t move) {
        const auto magnitude = static_cast<int32_t>(quantized & magnitude_mask);
        const int32_t moved = std::bit_cast<int32_t>(static_cast<float>(magnitude)) + move;
        // Exponents below 1 have no normal float.
        if (magnitude == 0 || moved < (1 << 23)) {
            return 0.0F;
        }
        return std::bit_cast<float>(static_cast<uint32_t>(moved) | (quantized >> magnitude_bits) << 31);
    }
};

// Implementations with vector instructions, level AVX2 or AVX512; x86-64 only.
template <unsigned Bits>
RunCodec<float> block_float_vector_codec(VectorLevel level);

}  // namespace ttnn::pack
