// What the declaration of a recorded call's operation says about its tensors: where inputs are made outside this
// library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ttnn/op/domain.hpp"

namespace tracelift {

struct InputDomain {
    std::string name{};   // of the argument
    size_t position = 0;  // in Python's order
    ttnn::Domain domain{};
};

// The values that the tensors of a line of calls may have. Empty where no declaration takes the call.
std::vector<InputDomain> input_domains(std::string_view line);

// How many elements the outputs of the call have together, found out without running it. 0 where that is not known: no
// declaration takes the call, or the operation refuses it.
uint64_t output_elements(std::string_view line);

}  // namespace tracelift
