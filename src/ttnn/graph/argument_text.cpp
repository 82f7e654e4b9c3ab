#include "ttnn/graph/argument_text.hpp"

#include <algorithm>

#include "ttnn/op/type_info.hpp"

namespace ttnn::graph {
namespace {

using tracelift::Value;

std::string tensor_text(const Value& value) {
    Tensor tensor;
    type_info<Tensor>().decode(value, {nullptr, Tensor::without_bytes}, &tensor);
    const std::string_view storage = tensor.storage_type() == StorageType::DEVICE ? "DeviceStorage()" : "HostStorage()";
    return fmt::format("Tensor(storage={},tensor_spec={})", storage, tensor.spec().to_string());
}

template <class T>
std::string decoded_text(const Value& value) {
    T object{};
    type_info<T>().decode(value, {}, &object);
    return object.to_string();
}

std::string member_text(const Value& value);

std::string record_text(const Value::Struct& record) {
    std::string text;
    for (const auto& entry : record.fields) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", entry.key, member_text(entry.value));
    }
    return fmt::format("{}({})", record.type, text);
}

std::string list_text(const Value::List& list, std::string_view open, std::string_view close) {
    std::string text;
    for (const Value& item : list) {
        text += (text.empty() ? "" : ", ") + member_text(item);
    }
    return fmt::format("{}{}{}", open, text, close);
}

bool is_tensor(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "Tensor";
}

bool is_numbers(const Value::List& list) {
    return std::ranges::all_of(list, [](const Value& item) { return item.as<int64_t>() != nullptr; });
}

// Inside another value: empty optionals are qualified there.
std::string member_text(const Value& value) { return value.is_null() ? "std::nullopt" : argument_text(value, {}); }

}  // namespace

std::string unsupported(std::string_view type) {
    return fmt::format("[ unsupported type , std::reference_wrapper<{}>]", type);
}

std::string argument_text(const Value& value, std::string_view type) {
    if (value.is_null()) {
        return "nullopt";
    }
    if (const auto* flag = value.as<bool>()) {
        return *flag ? "1" : "0";
    }
    if (const auto* number = value.as<int64_t>()) {
        return std::to_string(*number);
    }
    if (const auto* number = value.as<double>()) {
        return fmt::format("{:g}", *number);  // what a stream prints
    }
    if (const auto* text = value.as<std::string>()) {
        return *text;
    }
    if (const auto* member = value.as<Value::Enum>()) {
        return fmt::format("{}::{}", member->type, member->member);
    }
    if (const auto* list = value.as<Value::List>()) {
        if (type.starts_with("Shape")) {
            return list_text(*list, "Shape([", "])");
        }
        return is_numbers(*list) ? list_text(*list, "SmallVector([", "])") : list_text(*list, "{", "}");
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return is_tensor(value)                 ? tensor_text(value)
               : record->type == "MemoryConfig" ? decoded_text<MemoryConfig>(value)
               : record->type == "CoreRangeSet" ? decoded_text<CoreRangeSet>(value)
                                                : record_text(*record);
    }
    if (const auto* object = value.as<Value::Object>()) {
        return object->type == "MeshDevice" ? unsupported("tt::tt_metal::distributed::MeshDevice*")
                                            : unsupported(object->type);
    }
    return value.to_text();
}

std::vector<std::string> argument_texts(const OpInfo& op, const Value::Dict& arguments) {
    std::vector<std::string> texts;
    size_t given = 0;
    for (const FieldInfo* field : op.cpp_fields()) {
        const auto found = std::ranges::find(arguments, field->name, &Value::Entry::key);
        if (found == arguments.end()) {
            const Value unset = field->type->encode(static_cast<const char*>(op.defaults) + field->offset);
            texts.push_back(argument_text(unset, field->type->name));
        } else {
            texts.push_back(argument_text(found->value, field->type->name));
            given = texts.size();
        }
    }
    texts.resize(given);
    return texts;
}

std::vector<std::string> primitive_texts(const Value::Dict& arguments) {
    std::vector<std::string> texts;
    for (const auto& entry : arguments) {
        texts.push_back(argument_text(entry.value, entry.key));
    }
    return texts;
}

std::vector<std::string> device_operation_texts(const Value::Dict& arguments) {
    std::string attributes;
    std::string tensors;
    const auto append = [](std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    for (const auto& entry : arguments) {
        const auto* list = entry.value.as<Value::List>();
        if (is_tensor(entry.value)) {
            append(tensors, argument_text(entry.value, {}));
        } else if (list != nullptr && !list->empty() && is_tensor(list->front())) {
            std::ranges::for_each(*list, [&](const Value& item) { append(tensors, argument_text(item, {})); });
        } else {
            append(attributes, entry.value.is_null() || entry.value.as<Value::Object>() != nullptr
                                   ? "std::nullopt"
                                   : argument_text(entry.value, entry.key));
        }
    }
    return {fmt::format("operation_attributes_t({})", attributes), fmt::format("{{{}}}", tensors)};
}

std::vector<std::string> creation_texts(const TensorSpec& spec) {
    return {fmt::format("{}", spec.logical_shape()), to_string(spec.dtype()), to_string(spec.layout()),
            unsupported("tt::tt_metal::IDevice*"), fmt::format("{}", spec.memory_config())};
}

}  // namespace ttnn::graph
