#include "ttnn/device/user_generators.hpp"

#include <algorithm>
#include <random>

namespace ttnn {
namespace {

// splitmix64: a state that counts up, and a number mixed from it.
double next_number(uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
}

uint64_t start_of(uint32_t seed, uint32_t user) { return uint64_t{seed} << 32 | (user + 1) * 0x632BE5ABU; }

}  // namespace

UserGenerators::Numbers UserGenerators::first_numbers(uint32_t seed) {
    Numbers drawn{};
    for (uint32_t user = 0; user < users; ++user) {
        uint64_t state = start_of(seed, user);
        drawn[user] = next_number(state);
    }
    return drawn;
}

void UserGenerators::seed(std::span<const uint32_t> users_to_seed, uint32_t seed) {
    const std::lock_guard lock(mutex_);
    for (const uint32_t user : users_to_seed) {
        states().at(user) = start_of(seed, user);
    }
}

UserGenerators::Numbers UserGenerators::draw() {
    const std::lock_guard lock(mutex_);
    Numbers drawn{};
    std::ranges::transform(states(), drawn.begin(), next_number);
    return drawn;
}

UserGenerators::States& UserGenerators::states() {
    if (!states_) {
        std::random_device entropy;
        for (uint64_t& state : states_.emplace()) {
            state = uint64_t{entropy()} << 32 | entropy();
        }
    }
    return *states_;
}

}  // namespace ttnn
