#include "tracelift/dialects/format2_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/dialects/format2_values.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// The key of an argument: arg<i> for required ones that stand in front in Python's order.
std::string key_of(const BoundCall& call, const std::string& name) {
    const ttnn::OpInfo* op = call.bound ? ttnn::find_operation(call.operation) : nullptr;
    if (op == nullptr || op->next_overload != nullptr) {
        return name;  // which overload it is, names tell better than positions
    }
    for (size_t i = 0; i < op->fields.size(); ++i) {
        const ttnn::FieldInfo& field = op->fields[i];
        if (!field.required() || field.keyword_only()) {
            return name;
        }
        if (field.name == name) {
            return fmt::format("arg{}", i);
        }
    }
    return name;
}

}  // namespace

Json format2_arguments(const BoundCall& call) {
    Json arguments = Json::object();
    for (const auto& [name, value] : call.arguments) {
        arguments[key_of(call, name)] = write_python_value(value);
    }
    return arguments;
}

}  // namespace tracelift
