#include "tracelift/capture/device_argument.hpp"

#include "tracelift/bind/board_text.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace tracelift {
namespace {

const ttnn::Device* device_argument(const ttnn::FieldInfo& field, const void* value) {
    if (field.type == &ttnn::type_info<ttnn::DeviceHandle>()) {
        return static_cast<const ttnn::DeviceHandle*>(value)->get();
    }
    if (field.type == &ttnn::type_info<std::optional<ttnn::DeviceHandle>>()) {
        const auto& device = *static_cast<const std::optional<ttnn::DeviceHandle>*>(value);
        return device ? device->get() : nullptr;
    }
    return foreign_device != nullptr ? foreign_device(field, value) : nullptr;
}

}  // namespace

std::string board_of(const ttnn::OpInfo& op, const void* params) {
    const ttnn::Device* device = nullptr;
    for (const uint16_t index : op.tensor_fields) {
        const ttnn::FieldInfo& field = op.fields[index];
        field.type->visit_tensors(static_cast<const char*>(params) + field.offset, [&](const ttnn::Tensor& tensor) {
            if (device == nullptr && tensor.buffer() != nullptr) {
                device = tensor.buffer()->device().get();
            }
        });
        if (device != nullptr) {
            return board_text(*device);
        }
    }
    for (const ttnn::FieldInfo& field : op.fields) {
        device = device_argument(field, static_cast<const char*>(params) + field.offset);
        if (device != nullptr) {
            return board_text(*device);
        }
    }
    return {};
}

}  // namespace tracelift
