#include "tracelift/bind/binding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/bind/positional_names.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/bind.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// One argument of a call and the field of the declaration that it fills; the value belongs to the call.
struct Given {
    const ttnn::FieldInfo* field;
    const Value* value;
};

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

void collect_placements(std::string_view path, const Value& value, Value::Dict& placements) {
    if (const auto* list = value.as<Value::List>()) {
        for (size_t i = 0; i < list->size(); ++i) {
            const Value& item = (*list)[i];
            if (item.as<Value::List>() != nullptr || item.as<Value::Struct>() != nullptr) {
                collect_placements(fmt::format("{}[{}]", path, i), item, placements);
            }
        }
        return;
    }
    const auto* record = value.as<Value::Struct>();
    const Value* placement = record != nullptr ? value.find("tensor_placement") : nullptr;
    if (placement != nullptr) {
        placements.push_back({std::string(path), *placement});
    }
}

// An argument that its type refused: another overload with the same type refuses it too.
struct Refusal {
    const ttnn::TypeInfo* type;
    const Value* value;
    std::string why;
};

// Fits a call to one overload; what does not fit is returned instead of thrown, because it is common.
class Fit {
public:
    Fit(const ttnn::OpInfo& op, const ttnn::DecodeContext& context, std::vector<Refusal>& refusals)
        : op_(op), context_(context), refusals_(refusals) {}

    // Nothing when the call does not fit; why() says the reason.
    std::optional<BoundCall> operator()(const CallView& call, Order order) {
        ttnn::AnyParams params(op_);
        if (!take_arguments(call, order) || !decode(params)) {
            return std::nullopt;
        }
        BoundCall bound{std::string(op_.name), ttnn::encode_call(op_, params.data()), true, {}, {}};
        drop_volatile(op_, bound.arguments);
        for (const Given& one : left_out_) {
            if (!one.field->is_volatile()) {
                bound.arguments.push_back({std::string(one.field->name), *one.value});
            }
        }
        for (const Given& one : given_) {
            collect_placements(one.field->name, *one.value, bound.placements);
        }
        return bound;
    }
    const std::string& why() const { return why_; }

private:
    bool refuse(std::string why) {
        why_ = std::move(why);
        return false;
    }

    // A None where the declaration has a default means the default and is left out.
    void add(const ttnn::FieldInfo& field, const Value& value) {
        if (!field.required() && can_be_left_out(field.name, value)) {
            left_out_.push_back({&field, &value});
        } else if (!value.is_null() || field.required()) {
            given_.push_back({&field, &value});
        }
    }

    bool take_arguments(const CallView& call, Order order) {
        given_.reserve(call.positional.size() + call.keywords.size());
        const std::vector<const ttnn::FieldInfo*> cpp_order =
            order == Order::CPP ? op_.cpp_fields() : std::vector<const ttnn::FieldInfo*>();
        for (size_t i = 0; i < call.positional.size(); ++i) {
            if (call.positional[i] == nullptr) {
                continue;
            }
            if (i >= op_.fields.size()) {
                return refuse(fmt::format("takes at most {} arguments, argument {} was given", op_.fields.size(), i));
            }
            add(order == Order::CPP ? *cpp_order[i] : op_.fields[i], *call.positional[i]);
        }
        for (const auto& [name, value] : call.keywords) {
            const ttnn::FieldInfo* field = op_.find_field(name);
            if (field == nullptr) {
                return refuse(ttnn::misfit_text(op_, {ttnn::Misfit::Kind::UNKNOWN_KEYWORD}, name));
            }
            add(*field, *value);
        }
        return true;
    }

    // The arguments of ttnn::bind_arguments: each knows its field by now.
    class Fields {
    public:
        explicit Fields(Fit& fit) : fit_(fit) {}
        static size_t positional() { return 0; }
        static size_t most_positional() { return 0; }
        size_t count() const { return fit_.given_.size(); }
        size_t field_of(size_t argument) const {
            return static_cast<size_t>(fit_.given_[argument].field - fit_.op_.fields.data());
        }
        static bool ignores(size_t /*argument*/) { return false; }
        bool convert(size_t argument, const ttnn::FieldInfo& field, void* to) {
            why_ = fit_.refusal(*fit_.given_[argument].value, field, to);
            return why_ == nullptr;
        }
        std::string_view why() const { return why_ == nullptr ? std::string_view() : *why_; }

    private:
        Fit& fit_;
        const std::string* why_ = nullptr;
    };

    bool decode(ttnn::AnyParams& params) {
        Fields fields(*this);
        const ttnn::Misfit misfit = ttnn::bind_arguments(op_, ttnn::required_fields(op_), fields, params.data());
        return misfit ? refuse(ttnn::misfit_text(op_, misfit, fields.why())) : true;
    }

    // Decodes one argument; why not, when that fails.
    const std::string* refusal(const Value& value, const ttnn::FieldInfo& field, void* to) {
        for (const Refusal& known : refusals_) {
            if (known.type == field.type && known.value == &value) {
                return &known.why;
            }
        }
        std::string why;
        if (ttnn::decode_value(field, value, context_, to, why)) {
            return nullptr;
        }
        return &refusals_.emplace_back(Refusal{field.type, &value, std::move(why)}).why;
    }

    const ttnn::OpInfo& op_;
    const ttnn::DecodeContext& context_;
    std::vector<Refusal>& refusals_;
    std::vector<Given> given_;
    std::vector<Given> left_out_;
    std::string why_;
};

}  // namespace

CallView view_of(const StoredCall& call) {
    CallView view{call.operation};
    for (const auto& argument : call.positional) {
        view.positional.push_back(argument ? &*argument : nullptr);
    }
    for (const auto& entry : call.keywords) {
        view.keywords.push_back({entry.key, &entry.value});
    }
    return view;
}

BoundCall as_stored(const CallView& call, std::string note) {
    BoundCall stored{dotted_name(call.operation), {}, false, std::move(note), {}};
    stored.arguments.reserve(call.positional.size() + call.keywords.size());
    for (size_t i = 0; i < call.positional.size(); ++i) {
        if (call.positional[i] != nullptr) {
            stored.arguments.push_back({fmt::format("arg{}", i), *call.positional[i]});
        }
    }
    for (const auto& [name, value] : call.keywords) {
        stored.arguments.push_back({std::string(name), *value});
    }
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

BoundCall Binder::bind(const CallView& call, Order order, std::string_view board) {
    const ttnn::OpInfo* op = ttnn::find_operation(call.operation);
    if (op == nullptr) {
        return as_stored(call, "there is no declaration of this operation");
    }
    ttnn::DecodeContext context{nullptr, ttnn::Tensor::without_bytes};
    try {
        context.device = device(board);
    } catch (const ttnn::Error& error) {
        return as_stored(call, error.what());
    }
    std::vector<Refusal> refusals;
    std::string reason;
    for (const ttnn::OpInfo* overload = op; overload != nullptr; overload = overload->next_overload) {
        Fit fit(*overload, context, refusals);
        if (auto bound = fit(call, order)) {
            return std::move(*bound);
        }
        reason += (reason.empty() ? "" : "; ") + fit.why();
    }
    return as_stored(call, std::move(reason));
}

const ttnn::OpInfo& overload_of(const BoundCall& call) {
    const ttnn::OpInfo* op = ttnn::find_operation(call.operation);
    while (op != nullptr && !fits(*op, call.arguments)) {
        op = op->next_overload;
    }
    if (op == nullptr) {
        throw ttnn::Error(
            fmt::format("{} has no overload with the arguments {}", call.operation, Value(call.arguments).to_text()));
    }
    return *op;
}

std::vector<std::string> positional_names(const BoundCall& call) {
    std::vector<std::string> names;
    for (const ttnn::FieldInfo* field : overload_of(call).cpp_fields()) {
        names.emplace_back(field->name);
    }
    return names;
}

std::vector<std::optional<Value>> positional_arguments(const BoundCall& call) {
    std::vector<std::optional<Value>> positional;
    for (const ttnn::FieldInfo* field : overload_of(call).cpp_fields()) {
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
