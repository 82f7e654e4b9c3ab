// Block floats with AVX2 and AVX-512: 16 numbers at a time, bit for bit as BlockFloat states.
#include "ttnn/core/x86_intrinsics.hpp"
#include "ttnn/tensor/pack_block_float.hpp"

#if defined(__x86_64__)

namespace ttnn::pack {

namespace {

#define TTNN_AVX2 [[gnu::target("avx2"), gnu::always_inline]] inline
#define TTNN_AVX512 [[gnu::target("avx2,avx512f,avx512bw"), gnu::always_inline]] inline

// --- bytes of 16 quantized numbers <-> packed -------------------------------------------------------------------

template <unsigned Bits>
TTNN_AVX2 void store_quantized(std::byte* to, __m128i quantized) {
    if constexpr (Bits == 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), quantized);
    } else {
        const __m128i pairs = _mm_maddubs_epi16(quantized, _mm_set1_epi16(0x1001));  // even + 16 * odd
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(pairs, pairs));
    }
}

template <unsigned Bits>
TTNN_AVX2 __m128i load_quantized(const std::byte* from) {
    if constexpr (Bits == 8) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    } else {
        const __m128i pairs = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
        const __m128i low = _mm_set1_epi8(0x0F);
        return _mm_unpacklo_epi8(_mm_and_si128(pairs, low), _mm_and_si128(_mm_srli_epi16(pairs, 4), low));
    }
}

// --- AVX2: two halves of 8 --------------------------------------------------------------------------------------

TTNN_AVX2 uint32_t largest_avx2(__m256i a, __m256i b) {
    const __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF);
    const __m256i both = _mm256_max_epu32(_mm256_and_si256(a, magnitude), _mm256_and_si256(b, magnitude));
    __m128i largest = _mm_max_epu32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    largest = _mm_max_epu32(largest, _mm_shuffle_epi32(largest, 0x4E));
    largest = _mm_max_epu32(largest, _mm_shuffle_epi32(largest, 0xB1));
    return static_cast<uint32_t>(_mm_cvtsi128_si32(largest));
}

template <unsigned Bits>
TTNN_AVX2 __m256i quantize_avx2(__m256i bits, __m256i shared) {
    using Block = BlockFloat<Bits>;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i exponent = _mm256_and_si256(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(0xFF));
    const __m256i fraction = _mm256_and_si256(bits, _mm256_set1_epi32(0x7FFFFF));
    const __m256i significand = _mm256_or_si256(fraction, _mm256_set1_epi32(0x800000));
    const __m256i normal = _mm256_andnot_si256(_mm256_cmpeq_epi32(exponent, zero), significand);
    const __m256i aligned = _mm256_srlv_epi32(normal, _mm256_sub_epi32(shared, exponent));  // 0 from 32 on
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(aligned, Block::dropped_bits), _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32((1 << (Block::dropped_bits - 1)) - 1));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(aligned, half), Block::dropped_bits);
    const __m256i magnitude = _mm256_min_epu32(rounded, _mm256_set1_epi32(Block::magnitude_mask));
    const __m256i sign = _mm256_slli_epi32(_mm256_srli_epi32(bits, 31), Block::magnitude_bits);
    return _mm256_or_si256(magnitude, _mm256_andnot_si256(_mm256_cmpeq_epi32(magnitude, zero), sign));
}

template <unsigned Bits>
[[gnu::target("avx2")]] void encode_avx2(const float* numbers, size_t stride, std::byte* values, std::byte* exponents,
                                         size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += BlockFloat<Bits>::run_bytes) {
        const __m256i low = _mm256_castps_si256(_mm256_loadu_ps(numbers));
        const __m256i high = _mm256_castps_si256(_mm256_loadu_ps(numbers + 8));
        const uint32_t shared = largest_avx2(low, high) >> 23;
        exponents[run] = static_cast<std::byte>(shared);
        const __m256i exponent = _mm256_set1_epi32(static_cast<int>(shared));
        const __m256i words =
            _mm256_packus_epi32(quantize_avx2<Bits>(low, exponent), quantize_avx2<Bits>(high, exponent));
        const __m256i ordered = _mm256_permute4x64_epi64(words, 0xD8);
        store_quantized<Bits>(values,
                              _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1)));
    }
}

template <unsigned Bits>
TTNN_AVX2 __m256 expand_avx2(__m128i quantized, __m256i move) {
    using Block = BlockFloat<Bits>;
    const __m256i wide = _mm256_cvtepu8_epi32(quantized);
    const __m256i magnitude = _mm256_and_si256(wide, _mm256_set1_epi32(Block::magnitude_mask));
    const __m256i moved = _mm256_add_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(magnitude)), move);
    const __m256i sign = _mm256_slli_epi32(_mm256_srli_epi32(wide, Block::magnitude_bits), 31);
    const __m256i valid = _mm256_and_si256(_mm256_cmpgt_epi32(magnitude, _mm256_setzero_si256()),
                                           _mm256_cmpgt_epi32(moved, _mm256_set1_epi32((1 << 23) - 1)));
    return _mm256_castsi256_ps(_mm256_and_si256(valid, _mm256_or_si256(moved, sign)));
}

template <unsigned Bits>
[[gnu::target("avx2")]] void decode_avx2(const std::byte* values, const std::byte* exponents, float* numbers,
                                         size_t stride, size_t runs) {
    using Block = BlockFloat<Bits>;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += Block::run_bytes) {
        const __m128i quantized = load_quantized<Bits>(values);
        const __m256i move = _mm256_set1_epi32(Block::exponent_move(static_cast<uint32_t>(exponents[run])));
        _mm256_storeu_ps(numbers, expand_avx2<Bits>(quantized, move));
        _mm256_storeu_ps(numbers + 8, expand_avx2<Bits>(_mm_srli_si128(quantized, 8), move));
    }
}

// --- AVX-512 ------------------------------------------------------------------------------------------------------

template <unsigned Bits>
TTNN_AVX512 __m128i quantize_avx512(__m512i bits, __m512i shared) {
    using Block = BlockFloat<Bits>;
    const __m512i one = _mm512_set1_epi32(1);
    const __mmask16 normal = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x7F800000));
    const __m512i exponent = _mm512_and_si512(_mm512_srli_epi32(bits, 23), _mm512_set1_epi32(0xFF));
    const __m512i fraction = _mm512_and_si512(bits, _mm512_set1_epi32(0x7FFFFF));
    const __m512i significand = _mm512_maskz_or_epi32(normal, fraction, _mm512_set1_epi32(0x800000));
    const __m512i aligned = _mm512_srlv_epi32(significand, _mm512_sub_epi32(shared, exponent));  // 0 from 32 on
    const __mmask16 odd = _mm512_test_epi32_mask(aligned, _mm512_set1_epi32(1 << Block::dropped_bits));
    const __m512i down = _mm512_add_epi32(aligned, _mm512_set1_epi32((1 << (Block::dropped_bits - 1)) - 1));
    const __m512i rounded = _mm512_srli_epi32(_mm512_mask_add_epi32(down, odd, down, one), Block::dropped_bits);
    const __m512i magnitude = _mm512_min_epu32(rounded, _mm512_set1_epi32(Block::magnitude_mask));
    const __mmask16 negative =
        _mm512_mask_cmplt_epi32_mask(_mm512_test_epi32_mask(magnitude, magnitude), bits, _mm512_setzero_si512());
    const __m512i sign = _mm512_set1_epi32(1 << Block::magnitude_bits);
    return _mm512_cvtepi32_epi8(_mm512_mask_or_epi32(magnitude, negative, magnitude, sign));
}

template <unsigned Bits>
[[gnu::target("avx2,avx512f,avx512bw")]] void encode_avx512(const float* numbers, size_t stride, std::byte* values,
                                                            std::byte* exponents, size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += BlockFloat<Bits>::run_bytes) {
        const __m512i bits = _mm512_castps_si512(_mm512_loadu_ps(numbers));
        const uint32_t shared = largest_avx2(_mm512_castsi512_si256(bits), _mm512_extracti64x4_epi64(bits, 1)) >> 23;
        exponents[run] = static_cast<std::byte>(shared);
        store_quantized<Bits>(values, quantize_avx512<Bits>(bits, _mm512_set1_epi32(static_cast<int>(shared))));
    }
}

template <unsigned Bits>
[[gnu::target("avx2,avx512f,avx512bw")]] void decode_avx512(const std::byte* values, const std::byte* exponents,
                                                            float* numbers, size_t stride, size_t runs) {
    using Block = BlockFloat<Bits>;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += Block::run_bytes) {
        const __m512i wide = _mm512_cvtepu8_epi32(load_quantized<Bits>(values));
        const __m512i move = _mm512_set1_epi32(Block::exponent_move(static_cast<uint32_t>(exponents[run])));
        const __m512i magnitude = _mm512_and_si512(wide, _mm512_set1_epi32(Block::magnitude_mask));
        const __m512i moved = _mm512_add_epi32(_mm512_castps_si512(_mm512_cvtepi32_ps(magnitude)), move);
        const __m512i sign = _mm512_slli_epi32(_mm512_srli_epi32(wide, Block::magnitude_bits), 31);
        const __mmask16 valid = _mm512_mask_cmpge_epi32_mask(_mm512_test_epi32_mask(magnitude, magnitude), moved,
                                                             _mm512_set1_epi32(1 << 23));
        _mm512_storeu_ps(numbers, _mm512_castsi512_ps(_mm512_maskz_or_epi32(valid, moved, sign)));
    }
}

}  // namespace

template <unsigned Bits>
RunCodec<float> block_float_vector_codec(VectorLevel level) {
    if (level == VectorLevel::AVX512) {
        return {BlockFloat<Bits>::run_bytes, true, encode_avx512<Bits>, decode_avx512<Bits>};
    }
    return {BlockFloat<Bits>::run_bytes, true, encode_avx2<Bits>, decode_avx2<Bits>};
}

template RunCodec<float> block_float_vector_codec<8>(VectorLevel);
template RunCodec<float> block_float_vector_codec<4>(VectorLevel);

}  // namespace ttnn::pack

#endif
