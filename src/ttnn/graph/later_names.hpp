// Names of functions as the original's releases from 2025 on write them: the class of a device operation instead of
// "Device Operation", and the conversion functions instead of from_torch and to_torch.
#pragma once

#include <string>
#include <string_view>

namespace ttnn::graph {

// `around`: the function in which this one is called; a primitive, for device operations.
std::string later_name(std::string_view name, std::string_view around);

}  // namespace ttnn::graph
