// Input values that somebody recorded, in place of made ones.
#pragma once

#include <filesystem>

#include "ttnn/op/op_info.hpp"

namespace tracelift {

// Fills every tensor of the call with the values that a parameter file of the same operation has for it. Throws
// FileError where the file is of another call or has no values.
void fill_from_file(ttnn::AnyParams& params, const std::filesystem::path& file);

}  // namespace tracelift
