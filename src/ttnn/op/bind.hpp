// The binder: matches the arguments of a call, whatever they are made of, to the fields of a declaration. What does not
// fit is a code and not an exception: a call is tried on one overload after the other.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ttnn/op/op_info.hpp"

namespace ttnn {

struct Misfit {
    enum class Kind : uint8_t { NONE, TOO_MANY, UNKNOWN_KEYWORD, GIVEN_TWICE, WRONG_TYPE, MISSING };
    Kind kind = Kind::NONE;
    size_t field = 0;     // index among the fields
    size_t argument = 0;  // index among the arguments: positional ones, then keywords

    explicit operator bool() const { return kind != Kind::NONE; }
};

// Some fields of a declaration, which may have as many.
inline constexpr size_t most_fields = 256;
using FieldSet = std::bitset<most_fields>;

// The fields that a call must give. Throws for a declaration of more fields than calls can have.
FieldSet required_fields(const OpInfo& op);

// Converts the arguments into `params`, which holds the defaults. Arguments is a class with
//   size_t positional(), count()            how many
//   size_t most_positional()                how many the operation takes by position
//   size_t field_of(argument)               the field it fills; the number of fields when there is none
//   bool ignores(argument)                  whether one without a field is no mistake
//   bool convert(argument, field, to)       false: it is not of the field's type
template <class Arguments>
Misfit bind_arguments(const OpInfo& op, const FieldSet& required, Arguments&& arguments, void* params) {
    using Kind = Misfit::Kind;
    if (arguments.positional() > arguments.most_positional()) {
        return {Kind::TOO_MANY, 0, arguments.most_positional()};
    }
    FieldSet given;
    const size_t count = arguments.count();
    for (size_t argument = 0; argument < count; ++argument) {
        const size_t field = arguments.field_of(argument);
        if (field == op.fields.size()) {
            if (arguments.ignores(argument)) {
                continue;
            }
            return {Kind::UNKNOWN_KEYWORD, field, argument};
        }
        if (given[field]) {
            return {Kind::GIVEN_TWICE, field, argument};
        }
        given.set(field);
        const FieldInfo& info = op.fields[field];
        if (!arguments.convert(argument, info, static_cast<std::byte*>(params) + info.offset)) {
            return {Kind::WRONG_TYPE, field, argument};
        }
    }
    if ((required & ~given).none()) {
        return {};
    }
    size_t missing = 0;
    while (!required[missing] || given[missing]) {
        ++missing;
    }
    return {Kind::MISSING, missing, count};
}

// False when the value is not one of the field's type; `why` says the reason.
bool decode_value(const FieldInfo& field, const tracelift::Value& value, const DecodeContext& context, void* to,
                  std::string& why);

// The sentence for a misfit of values. `detail`: why a value has the wrong type, or the unknown keyword.
std::string misfit_text(const OpInfo& op, const Misfit& misfit, std::string_view detail);

// As decode_call does it; nothing when the values do not fit, and `why` is the sentence.
std::optional<AnyParams> try_decode_call(const OpInfo& op, const std::vector<tracelift::Value>& positional,
                                         const tracelift::Value::Dict& keywords, const DecodeContext& context,
                                         std::string& why);

}  // namespace ttnn
