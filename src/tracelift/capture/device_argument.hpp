// Which device a call runs on.
#pragma once

#include <string>

#include "ttnn/op/op_info.hpp"

namespace ttnn {
class Device;
}

namespace tracelift {

// Finds the device in an argument whose type only a language binding knows; nullptr when it is none. Set by the binding
// when it is loaded.
using ForeignDevice = const ttnn::Device* (*)(const ttnn::FieldInfo& field, const void* value);
inline ForeignDevice foreign_device = nullptr;

// The board of the first argument that is on a device, or is one, with the mesh (bind/board_text.hpp); empty for calls
// on the host.
std::string board_of(const ttnn::OpInfo& op, const void* params);

}  // namespace tracelift
