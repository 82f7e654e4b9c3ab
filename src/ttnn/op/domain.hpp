// Domain and Tolerance: what inputs of an operation may look like, and how close its result must be.
#pragma once

#include <cstdint>

namespace ttnn {

// Legal values of a tensor argument.
struct Domain {
    enum class Kind : uint8_t {
        REAL,     // uniform in [low, high]
        INTEGER,  // whole numbers in [low, high]
        BINARY,   // 0 or 1
        MASK,     // 0 or a large negative number, as attention masks
        SPECIAL,  // uniform in [low, high] with NaN and both infinities among it
        ONE_HOT,  // one 1 in every row of the last dimension, in the columns in turn, and 0 elsewhere
    };
    Kind kind = Kind::REAL;
    double low = -1.0;
    double high = 1.0;

    static constexpr Domain real(double low, double high) { return {Kind::REAL, low, high}; }
    static constexpr Domain integer(double low, double high) { return {Kind::INTEGER, low, high}; }
    static constexpr Domain binary() { return {Kind::BINARY, 0.0, 1.0}; }
    static constexpr Domain special() { return {Kind::SPECIAL, -1.0, 1.0}; }
    static constexpr Domain one_hot() { return {Kind::ONE_HOT, 0.0, 1.0}; }
    static constexpr Domain mask() { return {Kind::MASK, -1e4, 0.0}; }
};

// Largest allowed distance from the reference in units in the last place of the output's dtype (block floats: of the
// shared exponent of 16 elements). Integer outputs are compared exactly.
struct Tolerance {
    double ulp_float32 = 4;
    double ulp_bfloat16 = 1;
    double ulp_block_float = 1;
    // Differences below this are accepted whatever their ULP: sums of cancelling terms have no relative accuracy.
    double absolute = 0;
};

}  // namespace ttnn
