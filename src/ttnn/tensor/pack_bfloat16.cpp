// float32 <-> bfloat16: round to nearest even, every NaN becomes 0x7FC0.
#include <bit>
#include <cstring>

#include "ttnn/core/x86_intrinsics.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn::pack {

uint16_t to_bfloat16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : rounded);
}

float from_bfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

namespace {

constexpr size_t run_bytes = run_length * sizeof(uint16_t);

void encode_baseline(const float* numbers, size_t stride, std::byte* values, std::byte*, size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_bytes) {
        uint16_t packed[run_length];
        for (size_t i = 0; i < run_length; ++i) {
            packed[i] = to_bfloat16(numbers[i]);
        }
        std::memcpy(values, packed, run_bytes);
    }
}

void decode_baseline(const std::byte* values, const std::byte*, float* numbers, size_t stride, size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_bytes) {
        uint16_t packed[run_length];
        std::memcpy(packed, values, run_bytes);
        for (size_t i = 0; i < run_length; ++i) {
            numbers[i] = from_bfloat16(packed[i]);
        }
    }
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] inline __m256i round_avx2(const float* from) {
    const __m256 value = _mm256_loadu_ps(from);
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), _mm256_set1_epi32(0x7FC0), nan);
}

[[gnu::target("avx2")]] void encode_avx2(const float* numbers, size_t stride, std::byte* values, std::byte*,
                                         size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_bytes) {
        const __m256i packed = _mm256_packus_epi32(round_avx2(numbers), round_avx2(numbers + 8));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), _mm256_permute4x64_epi64(packed, 0xD8));
    }
}

[[gnu::target("avx2")]] void decode_avx2(const std::byte* values, const std::byte*, float* numbers, size_t stride,
                                         size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_bytes) {
        for (size_t half = 0; half < 2; ++half) {
            const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values) + half);
            const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(packed), 16);
            _mm256_storeu_ps(numbers + half * 8, _mm256_castsi256_ps(bits));
        }
    }
}

// The result is in the upper halves.
[[gnu::target("avx512f,avx512bw")]] inline __m512i round_avx512(const float* from) {
    const __m512 value = _mm512_loadu_ps(from);
    const __m512i bits = _mm512_castps_si512(value);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const __m512i down = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF));
    const __m512i rounded = _mm512_mask_add_epi32(down, odd, down, _mm512_set1_epi32(1));
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    return _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7FC00000));
}

[[gnu::target("avx512f,avx512bw")]] void encode_avx512(const float* numbers, size_t stride, std::byte* values,
                                                       std::byte*, size_t runs) {
    alignas(64) static constexpr uint16_t upper_halves[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                              23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                              45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    const __m512i halves = _mm512_load_si512(upper_halves);
    for (; runs >= 2; runs -= 2, numbers += 2 * stride, values += 2 * run_bytes) {
        const __m512i first = round_avx512(numbers);
        const __m512i second = round_avx512(numbers + stride);
        _mm512_storeu_si512(values, _mm512_permutex2var_epi16(first, halves, second));
    }
    if (runs == 1) {
        const __m512i last = _mm512_srli_epi32(round_avx512(numbers), 16);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), _mm512_cvtepi32_epi16(last));
    }
}

[[gnu::target("avx512f,avx512bw")]] void decode_avx512(const std::byte* values, const std::byte*, float* numbers,
                                                       size_t stride, size_t runs) {
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_bytes) {
        const __m256i packed = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
        const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(packed), 16);
        _mm512_storeu_ps(numbers, _mm512_castsi512_ps(bits));
    }
}

#endif

}  // namespace

RunCodec<float> bfloat16_codec(VectorLevel level) {
    switch (level) {
#if defined(__x86_64__)
        case VectorLevel::AVX512: return {run_bytes, false, encode_avx512, decode_avx512};
        case VectorLevel::AVX2: return {run_bytes, false, encode_avx2, decode_avx2};
#endif
        default: return {run_bytes, false, encode_baseline, decode_baseline};
    }
}

}  // namespace ttnn::pack
