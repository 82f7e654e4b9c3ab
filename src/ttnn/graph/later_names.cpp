#include "ttnn/graph/later_names.hpp"

#include <cctype>
#include <utility>

#include "ttnn/core/observer.hpp"

namespace ttnn::graph {
namespace {

constexpr std::string_view primitive_prefix = "ttnn::prim::";

constexpr std::pair<std::string_view, std::string_view> renamed[] = {
    {"create_device_tensor", "tt::tt_metal::create_device_tensor"},
    {"ttnn::from_torch", "ttnn::convert_python_tensor_to_tt_tensor"},
    {"ttnn::to_torch", "tt::tt_metal::detail::convert_tt_tensor_to_framework_tensor"},
    {"ttnn::prim::binary", "ttnn::prim::binary_ng"},
};

// Classes that are not called as their primitive.
constexpr std::pair<std::string_view, std::string_view> odd_classes[] = {
    {"embedding", "EmbeddingsDeviceOperation"},
    {"pool2d", "Pool2D"},
    {"topk", "TopKDeviceOperation"},
};

// permute -> PermuteDeviceOperation, layer_norm -> LayerNormDeviceOperation
std::string class_of(std::string_view primitive) {
    for (const auto& [name, device_class] : odd_classes) {
        if (primitive == name) {
            return std::string(device_class);
        }
    }
    std::string text;
    bool capital = true;
    for (const char c : primitive) {
        if (c == '_') {
            capital = true;
            continue;
        }
        text += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        capital = false;
    }
    return text + "DeviceOperation";
}

}  // namespace

std::string later_name(std::string_view name, std::string_view around) {
    if (name == device_operation_name && around.starts_with(primitive_prefix)) {
        return class_of(around.substr(primitive_prefix.size()));
    }
    for (const auto& [documented, later] : renamed) {
        if (name == documented) {
            return std::string(later);
        }
    }
    return std::string(name);
}

}  // namespace ttnn::graph
