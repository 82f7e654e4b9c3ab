// Requests for the tests.
#pragma once

#include "tracelift/sweep/call.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

inline Value tensor_value(const ttnn::Shape& shape, const ttnn::MemoryConfig& memory = {}) {
    const ttnn::TensorSpec spec(shape, ttnn::DataType::BFLOAT16, ttnn::Layout::TILE, memory);
    const auto tensor = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
    return ttnn::type_info<ttnn::Tensor>().encode(&tensor);
}

// The same on a mesh, as its texts in masters say.
inline Value on_mesh(const Value& tensor, const char* placements, const char* distribution, const char* mesh) {
    auto placed = Value(tensor).take<Value::Struct>();
    placed.fields.push_back(
        {"tensor_placement",
         Value::Dict{{"placement", placements}, {"distribution_shape", distribution}, {"mesh_device_shape", mesh}}});
    return placed;
}

inline CallRequest double_request(int64_t id, const std::string& behaviour, const std::string& text = {}) {
    CallRequest request{.id = id,
                        .operation = "ttnn.double_" + behaviour,
                        .arguments = {{"input_tensor", tensor_value({32, 32})}},
                        .seed = 7};
    if (!text.empty()) {
        request.arguments.push_back({"text", text});
    }
    return request;
}

inline CallRequest operation_request(const std::string& operation, Value::Dict arguments,
                                     const std::string& board = {}) {
    return {.id = 1, .operation = operation, .arguments = std::move(arguments), .board = board, .seed = 7};
}

// A tensor that takes more than L1 of any board.
inline Value too_large_for_l1() { return tensor_value({1, 1, 32, 32 * 64 * 3000}, ttnn::l1_memory_config()); }

}  // namespace tracelift
