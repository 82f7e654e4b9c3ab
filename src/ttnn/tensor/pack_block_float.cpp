#include "ttnn/tensor/pack_block_float.hpp"

#include <algorithm>

namespace ttnn::pack {

namespace {

template <unsigned Bits>
void encode_baseline(const float* numbers, size_t stride, std::byte* values, std::byte* exponents, size_t runs) {
    using Block = BlockFloat<Bits>;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += Block::run_bytes) {
        uint32_t largest = 0;
        for (size_t i = 0; i < run_length; ++i) {
            largest = std::max(largest, std::bit_cast<uint32_t>(numbers[i]) & 0x7FFFFFFF);
        }
        const uint32_t shared = largest >> 23;
        exponents[run] = static_cast<std::byte>(shared);
        const auto quantized = [&](size_t i) { return Block::quantize(std::bit_cast<uint32_t>(numbers[i]), shared); };
        for (size_t i = 0; i < Block::run_bytes; ++i) {
            if constexpr (Bits == 8) {
                values[i] = static_cast<std::byte>(quantized(i));
            } else {
                values[i] = static_cast<std::byte>(quantized(2 * i) | quantized(2 * i + 1) << 4);
            }
        }
    }
}

template <unsigned Bits>
void decode_baseline(const std::byte* values, const std::byte* exponents, float* numbers, size_t stride, size_t runs) {
    using Block = BlockFloat<Bits>;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += Block::run_bytes) {
        const int32_t move = Block::exponent_move(static_cast<uint32_t>(exponents[run]));
        for (size_t i = 0; i < Block::run_bytes; ++i) {
            const auto byte = static_cast<uint32_t>(values[i]);
            if constexpr (Bits == 8) {
                numbers[i] = Block::expand(byte, move);
            } else {
                numbers[2 * i] = Block::expand(byte & 0xF, move);
                numbers[2 * i + 1] = Block::expand(byte >> 4, move);
            }
        }
    }
}

template <unsigned Bits>
RunCodec<float> block_float_codec([[maybe_unused]] VectorLevel level) {
#if defined(__x86_64__)
    if (level != VectorLevel::BASELINE) {
        return block_float_vector_codec<Bits>(level);
    }
#endif
    return {BlockFloat<Bits>::run_bytes, true, encode_baseline<Bits>, decode_baseline<Bits>};
}

}  // namespace

RunCodec<float> bfloat8_codec(VectorLevel level) { return block_float_codec<8>(level); }
RunCodec<float> bfloat4_codec(VectorLevel level) { return block_float_codec<4>(level); }

}  // namespace ttnn::pack
