#include "ttnn/compute/ordering.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

#include "ttnn/core/parallel.hpp"

namespace ttnn::compute {
namespace {

// An integer that compares as the number does; both zeros are equal.
uint32_t rank_of(float value) {
    if (value != value) {
        return UINT32_MAX;
    }
    const auto bits = std::bit_cast<uint32_t>(value == 0 ? 0.0F : value);
    constexpr uint32_t sign = 0x80000000U;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}
uint32_t rank_of(uint32_t value) { return value; }

// The place behind the rank makes every key unique, and equal numbers come in the order of their places.
template <class T>
void find_first(std::span<const T> row, bool descending, std::span<uint64_t> keys, std::span<uint32_t> places) {
    const auto all = keys.first(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
        const uint32_t rank = rank_of(row[i]);
        all[i] = uint64_t{descending ? ~rank : rank} << 32 | i;
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(places.size());
    if (places.size() * 8 < row.size()) {
        std::partial_sort(all.begin(), middle, all.end());
    } else {
        if (middle != all.end()) {
            std::nth_element(all.begin(), middle, all.end());
        }
        std::sort(all.begin(), middle);
    }
    std::transform(all.begin(), middle, places.begin(), [](uint64_t key) { return static_cast<uint32_t>(key); });
}

// A number that stands behind all others.
template <class T>
T last_of(bool descending) {
    if constexpr (std::is_same_v<T, float>) {
        return descending ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    } else {
        return descending ? 0 : std::numeric_limits<T>::max();
    }
}

template <class T>
void order(const Tensor& input, const Tensor& numbers, size_t real, bool descending, Tensor& values, Tensor& places) {
    const Dense<T> from = read<T>(input);
    const Dense<uint32_t> payload = numbers ? read<uint32_t>(numbers) : Dense<uint32_t>();
    const size_t count = input.logical_shape().from_end(0);
    const size_t kept = values.logical_shape().from_end(0);
    const T behind = last_of<T>(descending);
    const size_t rows = count == 0 ? 0 : from.size() / count;
    // Rows of the numbers may be shorter: they need not be there for padding.
    const size_t payload_count = numbers ? numbers.logical_shape().from_end(0) : 0;
    Dense<T> sorted(values.logical_volume());
    Dense<uint32_t> found(sorted.size());
    parallel(rows, parallel_numbers / 16 / std::max<size_t>(count, 1) + 1, [&](size_t first, size_t last) {
        Dense<uint64_t> keys(count);
        for (size_t row = first; row < last; ++row) {
            checkpoint();
            const T* in = from.data() + row * count;
            const std::span<uint32_t> to(found.data() + row * kept, kept);
            const size_t ordered = std::min(real, kept);
            first_places(std::span<const T>(in, real), descending, keys.span(), to.first(ordered));
            std::iota(to.begin() + static_cast<std::ptrdiff_t>(ordered), to.end(), static_cast<uint32_t>(ordered));
            for (size_t i = 0; i < kept; ++i) {
                // Rows of the result are whole tiles and may be longer than those that they come from.
                sorted[row * kept + i] = to[i] < count ? in[to[i]] : behind;
                if (numbers) {
                    to[i] = to[i] < payload_count ? payload[row * payload_count + to[i]] : 0;
                }
            }
        }
    });
    write<T>(values, sorted.span());
    write<uint32_t>(places, found.span());
}

}  // namespace

void first_places(std::span<const float> row, bool descending, std::span<uint64_t> keys, std::span<uint32_t> places) {
    find_first(row, descending, keys, places);
}
void first_places(std::span<const uint32_t> row, bool descending, std::span<uint64_t> keys,
                  std::span<uint32_t> places) {
    find_first(row, descending, keys, places);
}

void order_rows(const Tensor& input, const Tensor& numbers, size_t real, bool descending, Tensor& values,
                Tensor& places) {
    is_integer(input.dtype()) ? order<uint32_t>(input, numbers, real, descending, values, places)
                              : order<float>(input, numbers, real, descending, values, places);
}

}  // namespace ttnn::compute
