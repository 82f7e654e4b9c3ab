// Which device a call runs on.
#pragma once

#include <string_view>

#include "ttnn/op/op_info.hpp"

namespace tracelift {

// The board of the first argument that is on a device, or is one; empty for calls on the host.
std::string_view board_of(const ttnn::OpInfo& op, const void* params);

}  // namespace tracelift
