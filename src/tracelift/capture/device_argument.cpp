#include "tracelift/capture/device_argument.hpp"

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

std::string_view board_of(const ttnn::OpInfo& op, const void* params) {
    std::string_view board;
    for (const uint16_t index : op.tensor_fields) {
        const ttnn::FieldInfo& field = op.fields[index];
        field.type->visit_tensors(static_cast<const char*>(params) + field.offset, [&](const ttnn::Tensor& tensor) {
            if (board.empty() && tensor.buffer() != nullptr) {
                board = tensor.buffer()->device()->board().name;
            }
        });
        if (!board.empty()) {
            return board;
        }
    }
    for (const ttnn::FieldInfo& field : op.fields) {
        if (const ttnn::Device* device = device_argument(field, static_cast<const char*>(params) + field.offset)) {
            return device->board().name;
        }
    }
    return {};
}

}  // namespace tracelift
