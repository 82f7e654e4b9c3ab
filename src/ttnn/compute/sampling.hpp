// Draws one of the most probable entries per user, and the generators that users draw from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

inline constexpr uint32_t sampling_users = 32;
inline constexpr uint32_t sampled_entries = 32;  // the largest that are looked at

// --- generators: one per user of a device, random until they are seeded ---
void seed_users(const std::shared_ptr<Device>& device, std::span<const uint32_t> users, uint32_t seed);
// Numbers in [0, 1) for all users: from a seed the same every time, else the next ones of their generators.
std::array<double, sampling_users> draw_for_users(const std::shared_ptr<Device>& device, std::optional<uint32_t> seed);

struct SamplingRow {
    std::span<const float> values;
    uint32_t most = 1;       // entries at most (k)
    float share = 1;         // of the probability that the prefix has to exceed (p)
    float inverse_heat = 1;  // 1 / temperature
    double drawn = 0;        // in [0, 1)
};
// The column of the entry that is drawn; probabilities are rounded to BFLOAT16 as the device holds them.
uint32_t sample(const SamplingRow& row);

}  // namespace ttnn::compute
