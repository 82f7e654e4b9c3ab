// Formats whose elements are plain integers or floats, and the choice of a format by dtype.
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ttnn/core/error.hpp"
#include "ttnn/core/vector_clones.hpp"
#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn::pack {

namespace {

// The same bits in memory as in T.
template <class T>
struct Verbatim {
    using Stored = T;
    TTNN_ALWAYS_INLINE static T encode(T value) { return value; }
    TTNN_ALWAYS_INLINE static T decode(T value) { return value; }
};

// Integers as floats: truncated, saturated, NaN becomes 0.
template <class Integer>
struct ByValue {
    using Stored = Integer;
    using Wide = std::conditional_t<(sizeof(Integer) < 4), int32_t, Integer>;  // what converts in one instruction
    static constexpr Integer lowest = std::numeric_limits<Integer>::min();
    static constexpr Integer highest = std::numeric_limits<Integer>::max();
    static constexpr auto low = static_cast<float>(lowest);
    static constexpr auto limit = static_cast<float>(uint64_t{1} << std::numeric_limits<Integer>::digits);

    TTNN_ALWAYS_INLINE static Integer encode(float value) {
        const float inside = value >= low && value < limit ? value : 0.0F;
        const auto converted = static_cast<Integer>(static_cast<Wide>(inside));
        return value >= limit ? highest : value < low ? lowest : converted;
    }
    TTNN_ALWAYS_INLINE static float decode(Integer value) { return static_cast<float>(static_cast<Wide>(value)); }
};

// Integers as 32-bit patterns: low bits stored, zero-extended when read.
template <class Integer>
struct Pattern {
    using Stored = Integer;
    TTNN_ALWAYS_INLINE static Integer encode(uint32_t value) { return static_cast<Integer>(value); }
    TTNN_ALWAYS_INLINE static uint32_t decode(Integer value) { return value; }
};

template <class Element, class T>
TTNN_ALWAYS_INLINE void encode_runs(const T* numbers, size_t stride, std::byte* values, size_t runs) {
    using Stored = typename Element::Stored;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_length * sizeof(Stored)) {
        std::array<Stored, run_length> stored;
        for (size_t i = 0; i < run_length; ++i) {
            stored[i] = Element::encode(numbers[i]);
        }
        std::memcpy(values, stored.data(), sizeof(stored));
    }
}

template <class Element, class T>
TTNN_ALWAYS_INLINE void decode_runs(const std::byte* values, T* numbers, size_t stride, size_t runs) {
    using Stored = typename Element::Stored;
    for (size_t run = 0; run < runs; ++run, numbers += stride, values += run_length * sizeof(Stored)) {
        std::array<Stored, run_length> stored;
        std::memcpy(stored.data(), values, sizeof(stored));
        for (size_t i = 0; i < run_length; ++i) {
            numbers[i] = Element::decode(stored[i]);
        }
    }
}

template <class Element, class T>
constexpr RunCodec<T> elementwise() {
    return {run_length * sizeof(typename Element::Stored), false,
            [](const T* numbers, size_t stride, std::byte* values, std::byte*, size_t runs) {
                encode_runs<Element>(numbers, stride, values, runs);
            },
            [](const std::byte* values, const std::byte*, T* numbers, size_t stride, size_t runs) {
                decode_runs<Element>(values, numbers, stride, runs);
            }};
}

using FloatCodecs = std::array<RunCodec<float>, static_cast<size_t>(DataType::INVALID)>;

FloatCodecs make_float_codecs() {
    FloatCodecs codecs;
    const auto at = [&](DataType dtype) -> RunCodec<float>& { return codecs[static_cast<size_t>(dtype)]; };
    const VectorLevel level = best_level();
    at(DataType::BFLOAT16) = bfloat16_codec(level);
    at(DataType::BFLOAT8_B) = bfloat8_codec(level);
    at(DataType::BFLOAT4_B) = bfloat4_codec(level);
    at(DataType::FLOAT32) = elementwise<Verbatim<float>, float>();
    at(DataType::UINT32) = elementwise<ByValue<uint32_t>, float>();
    at(DataType::INT32) = elementwise<ByValue<int32_t>, float>();
    at(DataType::UINT16) = elementwise<ByValue<uint16_t>, float>();
    at(DataType::UINT8) = elementwise<ByValue<uint8_t>, float>();
    return codecs;
}

}  // namespace

VectorLevel best_level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
        return VectorLevel::AVX512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return VectorLevel::AVX2;
    }
#endif
    return VectorLevel::BASELINE;
}

template <>
const RunCodec<float>& run_codec(DataType dtype) {
    static const FloatCodecs codecs = make_float_codecs();
    require(dtype < DataType::INVALID, "{} does not convert to floats: any dtype but INVALID is allowed", dtype);
    return codecs[static_cast<size_t>(dtype)];
}

template <>
const RunCodec<uint32_t>& run_codec(DataType dtype) {
    static constexpr auto word = elementwise<Verbatim<uint32_t>, uint32_t>();
    static constexpr auto half = elementwise<Pattern<uint16_t>, uint32_t>();
    static constexpr auto byte = elementwise<Pattern<uint8_t>, uint32_t>();
    require(is_integer(dtype), "{} has no 32-bit patterns: UINT8, UINT16, UINT32 or INT32 is allowed", dtype);
    return element_size(dtype) == 4 ? word : element_size(dtype) == 2 ? half : byte;
}

}  // namespace ttnn::pack
