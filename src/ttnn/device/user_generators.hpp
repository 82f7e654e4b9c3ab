// UserGenerators: the random numbers that the users of a device draw, each from a generator of its own.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

namespace ttnn {

class UserGenerators {
public:
    static constexpr uint32_t users = 32;
    using Numbers = std::array<double, users>;  // in [0, 1), one for each user

    // The first numbers after this seed. Users with the same seed draw different ones.
    static Numbers first_numbers(uint32_t seed);

    // What is not seeded begins at random.
    void seed(std::span<const uint32_t> users_to_seed, uint32_t seed);
    Numbers draw();

private:
    using States = std::array<uint64_t, users>;
    States& states();

    std::mutex mutex_;
    std::optional<States> states_;  // made when they are asked for
};

}  // namespace ttnn
