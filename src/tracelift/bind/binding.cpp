#include "tracelift/bind/binding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// One argument of a call and the field of the declaration that it fills; the value belongs to the call.
struct Given {
    const ttnn::FieldInfo* field;
    const Value* value;
};

// Throws when there are more positional arguments than the operation takes, or a name that it does not know. A None
// where the declaration has a default means the default and is left out.
std::vector<Given> given_arguments(const ttnn::OpInfo& op, const StoredCall& call, Order order) {
    std::vector<Given> given;
    const auto add = [&](const ttnn::FieldInfo& field, const Value& value) {
        if (!value.is_null() || field.required()) {
            given.push_back({&field, &value});
        }
    };
    const std::vector<const ttnn::FieldInfo*> cpp_order =
        order == Order::CPP ? op.cpp_fields() : std::vector<const ttnn::FieldInfo*>();
    for (size_t i = 0; i < call.positional.size(); ++i) {
        if (!call.positional[i]) {
            continue;
        }
        if (i >= op.fields.size()) {
            throw ttnn::DecodeError(
                fmt::format("takes at most {} arguments, argument {} was given", op.fields.size(), i));
        }
        add(order == Order::CPP ? *cpp_order[i] : op.fields[i], *call.positional[i]);
    }
    for (const auto& entry : call.keywords) {
        const ttnn::FieldInfo* field = op.find_field(entry.key);
        if (field == nullptr) {
            throw ttnn::DecodeError(fmt::format("{} has no argument '{}'; its signature is {}{}", op.name, entry.key,
                                                op.name, op.signature()));
        }
        add(*field, entry.value);
    }
    return given;
}

// As ttnn::decode_call does it, without a copy of the values.
ttnn::AnyParams decoded(const ttnn::OpInfo& op, const std::vector<Given>& given, const ttnn::DecodeContext& context) {
    ttnn::AnyParams params(op);
    for (size_t i = 0; i < given.size(); ++i) {
        const ttnn::FieldInfo& field = *given[i].field;
        const auto same = [&](const Given& other) { return other.field == &field; };
        if (std::any_of(given.begin(), given.begin() + static_cast<ptrdiff_t>(i), same)) {
            throw ttnn::DecodeError(fmt::format("{}: argument '{}' is given twice", op.name, field.name));
        }
        try {
            field.type->decode(*given[i].value, context, params.field(field));
        } catch (const ttnn::Error& error) {
            throw ttnn::DecodeError(fmt::format("{}: argument '{}' (#{}): {}", op.name, field.name,
                                                &field - op.fields.data(), error.what()));
        }
    }
    for (const ttnn::FieldInfo& field : op.fields) {
        const bool there = std::ranges::any_of(given, [&](const Given& one) { return one.field == &field; });
        if (field.required() && !there) {
            throw ttnn::DecodeError(fmt::format("{}: argument '{}' is missing", op.name, field.name));
        }
    }
    return params;
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
            const auto given = given_arguments(*overload, call, order);
            const ttnn::AnyParams params = decoded(*overload, given, context);
            BoundCall bound{std::string(overload->name), ttnn::encode_call(*overload, params.data()), true, {}, {}};
            drop_volatile(*overload, bound.arguments);
            for (const Given& one : given) {
                collect_placements(std::string(one.field->name), *one.value, bound.placements);
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

namespace {

// The value with the placements of its tensors back in their places.
Value placed(const std::string& path, const Value& value, const Value::Dict& placements) {
    if (const auto* list = value.as<Value::List>()) {
        Value::List items;
        for (size_t i = 0; i < list->size(); ++i) {
            items.push_back(placed(fmt::format("{}[{}]", path, i), (*list)[i], placements));
        }
        return items;
    }
    const auto found = std::ranges::find(placements, path, &Value::Entry::key);
    const auto* record = value.as<Value::Struct>();
    if (found == placements.end() || record == nullptr) {
        return value;
    }
    Value::Struct with = *record;
    with.fields.push_back({"tensor_placement", found->value});
    return with;
}

}  // namespace

BoundCall with_placements(BoundCall call) {
    if (!call.placements.empty()) {
        for (auto& entry : call.arguments) {
            entry.value = placed(entry.key, entry.value, call.placements);
        }
    }
    return call;
}

// The dict {arguments, hardware, mesh, operation}, whose keys stand in this order in the canonical form.
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
    ByteWriter writer;
    writer.reserve(2048);
    writer.varint(canonical_version);
    writer.dict(4);
    writer.key("arguments");
    put_canonical(call.arguments, writer);
    writer.key("hardware");
    put_canonical(machine, writer);
    writer.key("mesh");
    put_canonical(mesh, writer);
    writer.key("operation");
    put_canonical(Value(call.operation), writer);
    return sha256(writer.bytes());
}

}  // namespace tracelift
