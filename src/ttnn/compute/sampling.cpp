#include "ttnn/compute/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "ttnn/compute/ordering.hpp"

namespace ttnn::compute {
namespace {

float to_bfloat16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16 & 1U)) & 0xFFFF0000U);
}

}  // namespace

void seed_users(const std::shared_ptr<Device>& device, std::span<const uint32_t> users, uint32_t seed) {
    device->user_generators().seed(users, seed);
}

std::array<double, sampling_users> draw_for_users(const std::shared_ptr<Device>& device, std::optional<uint32_t> seed) {
    static_assert(sampling_users == UserGenerators::users);
    return seed ? UserGenerators::first_numbers(*seed) : device->user_generators().draw();
}

uint32_t sample(const SamplingRow& row) {
    std::vector<uint64_t> keys(row.values.size());
    std::vector<uint32_t> places(std::min<size_t>(sampled_entries, row.values.size()));
    first_places(row.values, true, keys, places);
    places.resize(std::clamp<size_t>(row.most, 1, places.size()));
    const auto scaled = [&](uint32_t place) { return to_bfloat16(row.values[place] * row.inverse_heat); };
    std::vector<float> shares;
    float total = 0;
    for (const uint32_t place : places) {
        shares.push_back(std::exp(scaled(place) - scaled(places[0])));
        total += shares.back();
    }
    // The shortest prefix whose probability exceeds the share.
    size_t kept = 0;
    float sum = 0;
    do {
        shares[kept] = to_bfloat16(shares[kept] / total);
        sum += shares[kept];
        ++kept;
    } while (kept < shares.size() && !(sum > row.share));
    double reached = 0;
    for (size_t i = 0; i + 1 < kept; ++i) {
        reached += shares[i] / sum;
        if (reached > row.drawn) {
            return places[i];
        }
    }
    return places[kept - 1];
}

}  // namespace ttnn::compute
