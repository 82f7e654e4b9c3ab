#include "ttnn/tensor/pack.hpp"

#include <algorithm>
#include <cstring>

#include "ttnn/core/error.hpp"
#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn::pack {

namespace {

template <class T>
const RunCodec<T>& elementwise_codec(DataType dtype) {
    require(!is_block_float(dtype), "elements of {} cannot be converted one by one: they share exponents inside tiles",
            dtype);
    return run_codec<T>(dtype);
}

// Whole runs, then the rest through a run of its own.
template <class T>
void encode_elements(DataType dtype, const T* from, std::byte* to, size_t count) {
    const RunCodec<T>& codec = elementwise_codec<T>(dtype);
    const size_t runs = count / run_length;
    const size_t rest = count % run_length;
    codec.encode(from, run_length, to, nullptr, runs);
    if (rest != 0) {
        T numbers[run_length] = {};
        std::byte values[run_length * sizeof(T)];
        std::copy_n(from + runs * run_length, rest, numbers);
        codec.encode(numbers, run_length, values, nullptr, 1);
        std::memcpy(to + runs * codec.run_bytes, values, rest * element_size(dtype));
    }
}

template <class T>
void decode_elements(DataType dtype, const std::byte* from, T* to, size_t count) {
    const RunCodec<T>& codec = elementwise_codec<T>(dtype);
    const size_t runs = count / run_length;
    const size_t rest = count % run_length;
    codec.decode(from, nullptr, to, run_length, runs);
    if (rest != 0) {
        T numbers[run_length];
        std::byte values[run_length * sizeof(T)] = {};
        std::memcpy(values, from + runs * codec.run_bytes, rest * element_size(dtype));
        codec.decode(values, nullptr, numbers, run_length, 1);
        std::copy_n(numbers, rest, to + runs * run_length);
    }
}

void require_floating(DataType dtype) {
    require(is_floating(dtype), "dtype of faces must be BFLOAT16, FLOAT32, BFLOAT8_B or BFLOAT4_B, got {}", dtype);
}

}  // namespace

void encode(DataType dtype, const float* from, std::byte* to, size_t count) { encode_elements(dtype, from, to, count); }
void decode(DataType dtype, const std::byte* from, float* to, size_t count) { decode_elements(dtype, from, to, count); }
void encode(DataType dtype, const uint32_t* from, std::byte* to, size_t count) {
    encode_elements(dtype, from, to, count);
}
void decode(DataType dtype, const std::byte* from, uint32_t* to, size_t count) {
    decode_elements(dtype, from, to, count);
}

void decode_faces(DataType dtype, const Tile& tile, const std::byte* from, float* to, size_t tiles) {
    require_floating(dtype);
    const RunCodec<float>& codec = run_codec<float>(dtype);
    const size_t runs = tile.num_elements() / run_length;
    if (!codec.shared_exponent) {
        return codec.decode(from, nullptr, to, run_length, tiles * runs);
    }
    const size_t section = codec.exponent_bytes(runs);
    for (size_t i = 0; i < tiles; ++i, from += section + runs * codec.run_bytes, to += runs * run_length) {
        codec.decode(from + section, from, to, run_length, runs);
    }
}

void encode_faces(DataType dtype, const Tile& tile, const float* from, std::byte* to, size_t tiles) {
    require_floating(dtype);
    const RunCodec<float>& codec = run_codec<float>(dtype);
    const size_t runs = tile.num_elements() / run_length;
    if (!codec.shared_exponent) {
        return codec.encode(from, run_length, to, nullptr, tiles * runs);
    }
    const size_t section = codec.exponent_bytes(runs);
    for (size_t i = 0; i < tiles; ++i, from += runs * run_length, to += section + runs * codec.run_bytes) {
        codec.encode(from, run_length, to + section, to, runs);
        std::memset(to + runs, 0, section - runs);
    }
}

}  // namespace ttnn::pack
