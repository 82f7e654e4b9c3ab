#include "tracelift/bind/binding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/bind/positional_names.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/bind.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/op/tensor_placement.hpp"

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

bool is_tensor(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "Tensor";
}

bool is_on_one_chip(const Value& placement) {
    try {
        return ttnn::TensorPlacement::decode(placement).mesh.num_chips() == 1;
    } catch (const ttnn::DecodeError&) {
        return false;  // nobody knows
    }
}

// The tensors of a bound call have no bytes and so no mesh: where those of the call lie is what the call says.
Value placed_like(const Value& given, Value bound) {
    const auto* items = given.as<Value::List>();
    if (const auto* list = bound.as<Value::List>(); list != nullptr && items != nullptr) {
        Value::List placed = std::move(bound).take<Value::List>();
        for (size_t i = 0; i < std::min(placed.size(), items->size()); ++i) {
            placed[i] = placed_like((*items)[i], std::move(placed[i]));
        }
        return placed;
    }
    const Value* placement = is_tensor(given) && is_tensor(bound) ? given.find(ttnn::placement_field) : nullptr;
    if (placement == nullptr || is_on_one_chip(*placement)) {
        return bound;
    }
    auto tensor = std::move(bound).take<Value::Struct>();
    tensor.fields.push_back({std::string(ttnn::placement_field), *placement});
    return tensor;
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
        BoundCall bound{std::string(op_.name), ttnn::encode_call(op_, params.data()), true, {}};
        drop_volatile(op_, bound.arguments);
        for (const Given& one : given_) {
            const auto argument = std::ranges::find(bound.arguments, one.field->name, &Value::Entry::key);
            if (one.field->type->has_tensors && argument != bound.arguments.end()) {
                argument->value = placed_like(*one.value, std::move(argument->value));
            }
        }
        for (const Given& one : left_out_) {
            if (!one.field->is_volatile()) {
                bound.arguments.push_back({std::string(one.field->name), *one.value});
            }
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
    BoundCall stored{dotted_name(call.operation), {}, false, std::move(note)};
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
    return devices_.emplace(board, open_board(board)).first->second;
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

// Takes the placements out of the tensors of an argument and keeps them by their path: "input_tensor", "tensors[1]".
Value without_placements(const std::string& path, Value value, Value::Dict& placements) {
    if (value.as<Value::List>() != nullptr) {
        auto list = std::move(value).take<Value::List>();
        for (size_t i = 0; i < list.size(); ++i) {
            list[i] = without_placements(fmt::format("{}[{}]", path, i), std::move(list[i]), placements);
        }
        return list;
    }
    if (value.find(ttnn::placement_field) == nullptr || !is_tensor(value)) {
        return value;
    }
    auto tensor = std::move(value).take<Value::Struct>();
    const auto found = std::ranges::find(tensor.fields, ttnn::placement_field, &Value::Entry::key);
    placements.push_back({path, std::move(found->value)});
    tensor.fields.erase(found);
    return tensor;
}

bool has_placements(const Value& value) {
    const auto* list = value.as<Value::List>();
    return list != nullptr ? std::ranges::any_of(*list, has_placements)
                           : is_tensor(value) && value.find(ttnn::placement_field) != nullptr;
}

// Of a bound call: where its tensors lie counts with the mesh, and so its hash is that of the same call in earlier
// stores. Calls that no declaration took have it in their arguments.
struct HashedCall {
    Value::Dict arguments;
    Value::Dict placements;
};
std::optional<HashedCall> taken_apart(const BoundCall& call) {
    const auto placed = [](const Value::Entry& argument) { return has_placements(argument.value); };
    if (!call.bound || std::ranges::none_of(call.arguments, placed)) {
        return std::nullopt;
    }
    HashedCall hashed{call.arguments, {}};
    for (auto& argument : hashed.arguments) {
        argument.value = without_placements(argument.key, std::move(argument.value), hashed.placements);
    }
    return hashed;
}

}  // namespace

// The dict {arguments, hardware, mesh, operation}, whose keys stand in this order in the canonical form.
std::string identity(const BoundCall& call, const std::optional<Hardware>& hardware) {
    Value machine;
    Value mesh;
    if (hardware) {
        machine = Value::List{hardware->board_type, hardware->device_series, hardware->card_count};
        mesh = Value::List(hardware->mesh_shape.begin(), hardware->mesh_shape.end());
    }
    const std::optional<HashedCall> placed = taken_apart(call);
    if (placed) {
        mesh = Value::Dict{{"shape", std::move(mesh)}, {"placements", placed->placements}};
    }
    ByteWriter writer;
    writer.reserve(2048);
    writer.varint(canonical_version);
    writer.dict(4);
    writer.key("arguments");
    put_canonical(placed ? placed->arguments : call.arguments, writer);
    writer.key("hardware");
    put_canonical(machine, writer);
    writer.key("mesh");
    put_canonical(mesh, writer);
    writer.key("operation");
    put_canonical(Value(call.operation), writer);
    return sha256(writer.bytes());
}

}  // namespace tracelift
