#include "ttnn/compute/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "ttnn/compute/ordering.hpp"

namespace ttnn::compute {
namespace {

using Generators = std::array<uint64_t, sampling_users>;

// splitmix64: a state that counts up, and a number mixed from it.
double next_number(uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
}

// Users with the same seed draw different numbers.
uint64_t start_of(uint32_t seed, uint32_t user) { return uint64_t{seed} << 32 | (user + 1) * 0x632BE5ABU; }

struct Known {
    std::mutex mutex;
    std::map<std::weak_ptr<Device>, Generators, std::owner_less<>> of_device;
};

// The generators of a device live as long as it does.
Generators& generators_of(Known& known, const std::shared_ptr<Device>& device) {
    std::erase_if(known.of_device, [](const auto& entry) { return entry.first.expired(); });
    const auto [place, fresh] = known.of_device.try_emplace(device);
    if (fresh) {
        std::random_device entropy;
        for (uint64_t& state : place->second) {
            state = uint64_t{entropy()} << 32 | entropy();
        }
    }
    return place->second;
}

Known& known_generators() {
    static Known known;
    return known;
}

float to_bfloat16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16 & 1U)) & 0xFFFF0000U);
}

}  // namespace

void seed_users(const std::shared_ptr<Device>& device, std::span<const uint32_t> users, uint32_t seed) {
    Known& known = known_generators();
    const std::lock_guard lock(known.mutex);
    Generators& generators = generators_of(known, device);
    for (const uint32_t user : users) {
        generators.at(user) = start_of(seed, user);
    }
}

std::array<double, sampling_users> draw_for_users(const std::shared_ptr<Device>& device, std::optional<uint32_t> seed) {
    std::array<double, sampling_users> drawn{};
    if (seed) {
        for (uint32_t user = 0; user < sampling_users; ++user) {
            uint64_t state = start_of(*seed, user);
            drawn[user] = next_number(state);
        }
        return drawn;
    }
    Known& known = known_generators();
    const std::lock_guard lock(known.mutex);
    std::ranges::transform(generators_of(known, device), drawn.begin(), next_number);
    return drawn;
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
