#include "ttnn/op/bind.hpp"

namespace ttnn {
namespace {

// Values by position in Python's order, and by name.
class ValueArguments {
public:
    ValueArguments(const OpInfo& op, const std::vector<tracelift::Value>& positional,
                   const tracelift::Value::Dict& keywords, const DecodeContext& context)
        : op_(op), positional_(positional), keywords_(keywords), context_(context) {}

    size_t positional() const { return positional_.size(); }
    size_t count() const { return positional_.size() + keywords_.size(); }
    size_t most_positional() const { return op_.fields.size(); }
    size_t field_of(size_t argument) const {
        if (argument < positional_.size()) {
            return argument;
        }
        const FieldInfo* field = op_.find_field(keyword(argument));
        return field == nullptr ? op_.fields.size() : static_cast<size_t>(field - op_.fields.data());
    }
    static bool ignores(size_t /*argument*/) { return false; }
    bool convert(size_t argument, const FieldInfo& field, void* to) {
        const bool by_position = argument < positional_.size();
        return decode_value(field, by_position ? positional_[argument] : keywords_[argument - positional_.size()].value,
                            context_, to, why_);
    }
    std::string_view keyword(size_t argument) const { return keywords_[argument - positional_.size()].key; }
    const std::string& why() const { return why_; }

private:
    const OpInfo& op_;
    const std::vector<tracelift::Value>& positional_;
    const tracelift::Value::Dict& keywords_;
    const DecodeContext& context_;
    std::string why_;
};

}  // namespace

FieldSet required_fields(const OpInfo& op) {
    require(op.fields.size() <= most_fields, "{} has {} parameters; calls take at most {}", op.name, op.fields.size(),
            most_fields);
    FieldSet required;
    for (size_t i = 0; i < op.fields.size(); ++i) {
        required.set(i, op.fields[i].required());
    }
    return required;
}

bool decode_value(const FieldInfo& field, const tracelift::Value& value, const DecodeContext& context, void* to,
                  std::string& why) {
    try {
        field.type->decode(value, context, to);
        return true;
    } catch (const Error& error) {
        why = error.what();
        return false;
    }
}

std::string misfit_text(const OpInfo& op, const Misfit& misfit, std::string_view detail) {
    const auto name = [&] { return op.fields[misfit.field].name; };
    switch (misfit.kind) {
        case Misfit::Kind::NONE: return {};
        case Misfit::Kind::TOO_MANY:
            return fmt::format("{} takes at most {} arguments, got {}", op.name, op.fields.size(), detail);
        case Misfit::Kind::UNKNOWN_KEYWORD:
            return fmt::format("{} has no argument '{}'; its signature is {}{}", op.name, detail, op.name,
                               op.signature());
        case Misfit::Kind::GIVEN_TWICE: return fmt::format("{}: argument '{}' is given twice", op.name, name());
        case Misfit::Kind::WRONG_TYPE:
            return fmt::format("{}: argument '{}' (#{}): {}", op.name, name(), misfit.field, detail);
        case Misfit::Kind::MISSING: return fmt::format("{}: argument '{}' is missing", op.name, name());
    }
    return {};
}

std::optional<AnyParams> try_decode_call(const OpInfo& op, const std::vector<tracelift::Value>& positional,
                                         const tracelift::Value::Dict& keywords, const DecodeContext& context,
                                         std::string& why) {
    std::optional<AnyParams> params(std::in_place, op);
    ValueArguments arguments(op, positional, keywords, context);
    const Misfit misfit = bind_arguments(op, required_fields(op), arguments, params->data());
    if (!misfit) {
        return params;
    }
    why = misfit.kind == Misfit::Kind::TOO_MANY          ? misfit_text(op, misfit, std::to_string(positional.size()))
          : misfit.kind == Misfit::Kind::UNKNOWN_KEYWORD ? misfit_text(op, misfit, arguments.keyword(misfit.argument))
                                                         : misfit_text(op, misfit, arguments.why());
    return std::nullopt;
}

AnyParams decode_call(const OpInfo& op, const std::vector<tracelift::Value>& positional,
                      const tracelift::Value::Dict& keywords, const DecodeContext& context) {
    std::string why;
    if (auto params = try_decode_call(op, positional, keywords, context, why)) {
        return std::move(*params);
    }
    throw DecodeError(why);
}

}  // namespace ttnn
