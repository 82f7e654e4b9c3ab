// Reproducible random numbers: a pure function of seed and position, so that any order of work gives the same tensor.
#pragma once

#include <cstdint>
#include <random>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/dense.hpp"

namespace ttnn::compute {

// Uniform in [0, 1), 24 random bits each. Seed 0 asks for fresh randomness.
inline Dense<float> uniform_floats(uint64_t seed, size_t count) {
    uint64_t key = seed;
    if (seed == 0) {
        std::random_device entropy;
        key = uint64_t{entropy()} << 32 | entropy();
    }
    Dense<float> values(count);
    for (size_t i = 0; i < count; ++i) {
        // splitmix64
        uint64_t z = key + (i + 1) * 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        z ^= z >> 31;
        values[i] = static_cast<float>(z >> 40) * 0x1p-24F;
    }
    return values;
}

}  // namespace ttnn::compute
