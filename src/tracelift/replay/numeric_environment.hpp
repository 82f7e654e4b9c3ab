// NumericEnvironment: what the bits of a result depend on beside our own code.
#pragma once

#include <string>

#include "tracelift/base/json.hpp"

namespace tracelift {

struct NumericEnvironment {
    std::string version{};     // of tracelift; bits are compared across versions
    std::string processor{};   // its model
    std::string extensions{};  // vector instructions that kernels and libraries choose from
    std::string blas{};        // the library of matrix products, and what it chose its kernels for
    std::string libm{};        // the library of exp, log and the like
};

NumericEnvironment numeric_environment();

// Why results of one cannot be expected to have the bits of the other: "the processor is another: A, here B". Empty:
// they can.
std::string why_bits_may_differ(const NumericEnvironment& recorded, const NumericEnvironment& here);

Json to_json(const NumericEnvironment& environment);
// Throws std::exception that says what is wrong.
NumericEnvironment environment_from_json(const Json& json);

}  // namespace tracelift
