// DecodedCall: the arguments of a request as parameters of its operation, or why no overload takes them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tracelift/catalog/status.hpp"
#include "tracelift/value/value.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

struct DecodedCall {
    std::optional<ttnn::AnyParams> params{};
    Status status = Status::REJECTED;  // where there are none
    std::string message{};
};

// Tensors are made on the host or the device, as their arguments say.
DecodedCall decode_arguments(const ttnn::OpInfo& op, const Value::Dict& arguments,
                             const std::shared_ptr<ttnn::Device>& device);

}  // namespace tracelift
