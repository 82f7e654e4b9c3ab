#include "ttnn/compute/rotary.hpp"

#include <algorithm>
#include <vector>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::compute {
namespace {

// turned = x @ matrix, 32 columns at a time.
void turn(const float* x, const float* matrix, size_t count, float* turned) {
    gemm({.m = count / tile_size, .n = tile_size, .k = tile_size}, x, matrix, turned);
}

// turned = x * cos + turned * sin
TTNN_VECTOR_CLONES
void combine(const float* x, const float* cosines, const float* sines, size_t count, float* turned) {
    for (size_t i = 0; i < count; ++i) {
        turned[i] = x[i] * cosines[i] + turned[i] * sines[i];
    }
}

TTNN_VECTOR_CLONES
void combine_halves(const float* x, const float* cosines, const float* sines, size_t half, float* out) {
    for (size_t i = 0; i < half; ++i) {
        out[i] = x[i] * cosines[i] - x[half + i] * sines[i];
    }
    for (size_t i = 0; i < half; ++i) {
        out[half + i] = x[half + i] * cosines[half + i] + x[i] * sines[half + i];
    }
}

}  // namespace

void rotate_rows(const Tensor& input, const Tensor& cosines, const Tensor& sines, const Tensor& matrix,
                 Tensor& output) {
    const Shape& shape = input.logical_shape();
    const uint64_t width = shape[3];
    const uint64_t rows = shape[2];
    const uint64_t stored = cosines.logical_shape()[2];  // rows of a table
    const uint64_t tables = cosines.logical_shape()[1];
    const Dense<float> turning = read<float>(matrix);
    const uint64_t used = (tables == 1 ? rows : tables * stored) * width;
    Dense<float> cos(used);
    Dense<float> sin(used);
    read_part<float>(cosines, 0, cos.span());
    read_part<float>(sines, 0, sin.span());
    std::vector<float> x;
    std::vector<float> turned;
    for (const Band& band : bands_of(output.spec(), usual_band)) {
        checkpoint();
        x.resize(band.size);
        turned.resize(band.size);
        read_part<float>(input, band.first, x);
        turn(x.data(), turning.data(), x.size(), turned.data());
        for (uint64_t at = 0; at < band.size; at += width) {
            const uint64_t row = (band.first + at) / width;
            const uint64_t table = tables == 1 ? 0 : row / rows % tables;
            const uint64_t place = (table * stored + row % rows) * width;
            combine(x.data() + at, cos.data() + place, sin.data() + place, width, turned.data() + at);
        }
        write_band<float>(output, band, turned);
    }
}

void rotate_users(const Tensor& input, const Tensor& cosines, const Tensor& sines, const Tensor& matrices,
                  uint64_t first, Tensor& output) {
    const Shape& shape = input.logical_shape();
    const uint64_t width = shape[3];
    const uint64_t own = shape[2] * width;  // numbers of a user
    const uint64_t table = cosines.logical_shape()[2] * width;
    const Dense<float> x = read<float>(input);
    const Dense<float> cos = read<float>(cosines);
    const Dense<float> sin = read<float>(sines);
    const Dense<float> turning = read<float>(matrices);
    Dense<float> turned(x.size());
    for (uint64_t user = 0; user < shape[1]; ++user) {
        const uint64_t place = first + user;
        turn(x.data() + user * own, turning.data() + place * tile_size * tile_size, own, turned.data() + user * own);
        for (uint64_t at = user * own; at < (user + 1) * own; at += width) {
            combine(x.data() + at, cos.data() + place * table, sin.data() + place * table, width, turned.data() + at);
        }
    }
    write<float>(output, turned.span());
}

void rotate_halves(const Tensor& input, const Tensor& cosines, const Tensor& sines, std::optional<uint64_t> only,
                   Tensor& output) {
    const Shape& shape = input.padded_shape();
    const uint64_t width = shape[-1];
    const uint64_t rows = shape[-2];
    const Dense<float> x = read_padded<float>(input);
    const Dense<float> cos = read_padded<float>(cosines);
    const Dense<float> sin = read_padded<float>(sines);
    Dense<float> result(x.size());
    for (uint64_t at = 0; at < x.size(); at += width) {
        const uint64_t place = only.value_or(at / width % rows) * width;
        combine_halves(x.data() + at, cos.data() + place, sin.data() + place, width / 2, result.data() + at);
    }
    write<float>(output, result.span());
}

void swap_halves(const Tensor& input, Tensor& output) {
    const uint64_t half = input.logical_shape()[-1] / 2;
    std::vector<float> x;
    std::vector<float> result;
    for (const Band& band : bands_of(output.spec(), usual_band)) {
        checkpoint();
        x.resize(band.size);
        result.resize(band.size);
        read_part<float>(input, band.first, x);
        for (uint64_t at = 0; at < band.size; at += 2 * half) {
            for (uint64_t i = at; i < at + half; ++i) {
                result[i] = -x[i + half];
                result[i + half] = x[i];
            }
        }
        write_band<float>(output, band, result);
    }
}

}  // namespace ttnn::compute
