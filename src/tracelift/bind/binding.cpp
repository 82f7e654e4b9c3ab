#include "tracelift/bind/binding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/value/canonical.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// Positional arguments under their names. Throws when there are more than the operation takes.
Value::Dict named(const ttnn::OpInfo& op, const StoredCall& call, Order order) {
    std::vector<const ttnn::FieldInfo*> fields = op.cpp_fields();
    if (order == Order::PYTHON) {
        for (size_t i = 0; i < fields.size(); ++i) {
            fields[i] = &op.fields[i];
        }
    }
    Value::Dict arguments;
    for (size_t i = 0; i < call.positional.size(); ++i) {
        if (!call.positional[i]) {
            continue;
        }
        if (i >= fields.size()) {
            throw ttnn::DecodeError(fmt::format("takes at most {} arguments, argument {} was given", fields.size(), i));
        }
        arguments.push_back({std::string(fields[i]->name), *call.positional[i]});
    }
    arguments.insert(arguments.end(), call.keywords.begin(), call.keywords.end());
    return arguments;
}

// A None where the declaration has a default means the default.
void drop_nulls(const ttnn::OpInfo& op, Value::Dict& arguments) {
    std::erase_if(arguments, [&](const Value::Entry& entry) {
        const ttnn::FieldInfo* field = op.find_field(entry.key);
        return entry.value.is_null() && field != nullptr && !field->required();
    });
}

void drop_volatile(const ttnn::OpInfo& op, Value::Dict& arguments) {
    std::erase_if(arguments, [&](const Value::Entry& entry) {
        const ttnn::FieldInfo* field = op.find_field(entry.key);
        return field != nullptr && field->is_volatile();
    });
}

// By names alone: the operation knows every argument, and none that it needs is missing.
bool fits(const ttnn::OpInfo& op, const Value::Dict& arguments) {
    const bool known =
        std::ranges::all_of(arguments, [&](const auto& entry) { return op.find_field(entry.key) != nullptr; });
    return known && std::ranges::all_of(op.fields, [&](const ttnn::FieldInfo& field) {
               return !field.required() ||
                      std::ranges::find(arguments, field.name, &Value::Entry::key) != arguments.end();
           });
}

void collect_placements(const std::string& path, const Value& value, Value::Dict& placements) {
    if (const auto* list = value.as<Value::List>()) {
        for (size_t i = 0; i < list->size(); ++i) {
            collect_placements(fmt::format("{}[{}]", path, i), (*list)[i], placements);
        }
    }
    const auto* record = value.as<Value::Struct>();
    const Value* placement = record != nullptr ? value.find("tensor_placement") : nullptr;
    if (placement != nullptr) {
        placements.push_back({path, *placement});
    }
}

}  // namespace

BoundCall as_stored(const StoredCall& call, std::string note) {
    BoundCall stored{dotted_name(call.operation), {}, false, std::move(note), {}};
    for (size_t i = 0; i < call.positional.size(); ++i) {
        if (call.positional[i]) {
            stored.arguments.push_back({fmt::format("arg{}", i), *call.positional[i]});
        }
    }
    stored.arguments.insert(stored.arguments.end(), call.keywords.begin(), call.keywords.end());
    return stored;
}

std::string dotted_name(std::string_view operation) {
    std::string name;
    for (size_t i = 0; i < operation.size(); ++i) {
        const bool colons = operation.substr(i, 2) == "::";
        name += colons ? '.' : operation[i];
        i += colons ? 1 : 0;
    }
    return name.starts_with("ttnn.") ? name : "ttnn." + name;
}

std::string cpp_name(std::string_view operation) {
    std::string name;
    for (const char c : dotted_name(operation)) {
        name += c == '.' ? std::string("::") : std::string(1, c);
    }
    return name;
}

const std::shared_ptr<ttnn::Device>& Binder::device(std::string_view board) {
    const auto found = devices_.find(board);
    if (found != devices_.end()) {
        return found->second;
    }
    return devices_.emplace(board, ttnn::Device::open({.board = std::string(board)})).first->second;
}

BoundCall Binder::bind(const StoredCall& call, Order order, std::string_view board) {
    const ttnn::OpInfo* op = ttnn::find_operation(call.operation);
    if (op == nullptr) {
        return as_stored(call, "there is no declaration of this operation");
    }
    std::string reason;
    for (const ttnn::OpInfo* overload = op; overload != nullptr; overload = overload->next_overload) {
        try {
            const ttnn::DecodeContext context{device(board), ttnn::Tensor::without_bytes};
            Value::Dict arguments = named(*overload, call, order);
            drop_nulls(*overload, arguments);
            const ttnn::AnyParams params = ttnn::decode_call(*overload, {}, arguments, context);
            BoundCall bound{std::string(overload->name), ttnn::encode_call(*overload, params.data()), true, {}, {}};
            drop_volatile(*overload, bound.arguments);
            for (const auto& entry : arguments) {
                collect_placements(std::string(overload->find_field(entry.key)->name), entry.value, bound.placements);
            }
            return bound;
        } catch (const ttnn::Error& error) {
            reason += (reason.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    return as_stored(call, std::move(reason));
}

std::vector<std::optional<Value>> positional_arguments(const BoundCall& call) {
    std::vector<std::optional<Value>> positional;
    const ttnn::OpInfo* op = ttnn::find_operation(call.operation);
    while (op != nullptr && !fits(*op, call.arguments)) {
        op = op->next_overload;
    }
    if (op == nullptr) {
        throw ttnn::Error(
            fmt::format("{} has no overload with the arguments {}", call.operation, Value(call.arguments).to_text()));
    }
    for (const ttnn::FieldInfo* field : op->cpp_fields()) {
        const auto found = std::ranges::find(call.arguments, field->name, &Value::Entry::key);
        positional.push_back(found == call.arguments.end() ? std::nullopt : std::optional(found->value));
    }
    while (!positional.empty() && !positional.back()) {
        positional.pop_back();
    }
    return positional;
}

std::string identity(const BoundCall& call, const std::optional<Hardware>& hardware) {
    Value machine;
    Value mesh;
    if (hardware) {
        machine = Value::List{hardware->board_type, hardware->device_series, hardware->card_count};
        mesh = Value::List(hardware->mesh_shape.begin(), hardware->mesh_shape.end());
    }
    if (!call.placements.empty()) {
        mesh = Value::Dict{{"shape", std::move(mesh)}, {"placements", call.placements}};
    }
    return content_hash(Value::Dict{{"operation", call.operation},
                                    {"arguments", call.arguments},
                                    {"hardware", std::move(machine)},
                                    {"mesh", std::move(mesh)}});
}

}  // namespace tracelift
