// Runs: 16 consecutive elements in storage order, the unit that all packed formats are made of. Internal to pack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/core/math.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn::pack {

inline constexpr size_t run_length = 16;  // a row of a face; block floats share an exponent over it

// One format. Run k is at numbers + k * stride, its elements at values + k * run_bytes, its exponent at exponents + k.
// Formats without exponents ignore that pointer.
template <class T>
struct RunCodec {
    size_t run_bytes = 0;
    bool shared_exponent = false;
    void (*encode)(const T* numbers, size_t stride, std::byte* values, std::byte* exponents, size_t runs) = nullptr;
    void (*decode)(const std::byte* values, const std::byte* exponents, T* numbers, size_t stride,
                   size_t runs) = nullptr;

    // Bytes of exponents in front of a page, padding included.
    size_t exponent_bytes(size_t runs) const { return shared_exponent ? round_up<size_t>(runs, 16) : 0; }
};

// Instruction sets that formats are implemented for; all give the same bits.
enum class VectorLevel : uint8_t { BASELINE, AVX2, AVX512 };
VectorLevel best_level();  // of this machine

RunCodec<float> bfloat16_codec(VectorLevel level);
RunCodec<float> bfloat8_codec(VectorLevel level);
RunCodec<float> bfloat4_codec(VectorLevel level);

// The best implementation for numbers of type T (float or uint32_t). Throws when the dtype does not convert to T.
template <class T>
const RunCodec<T>& run_codec(DataType dtype);
template <>
const RunCodec<float>& run_codec(DataType dtype);
template <>
const RunCodec<uint32_t>& run_codec(DataType dtype);

}  // namespace ttnn::pack
