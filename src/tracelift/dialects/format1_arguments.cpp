#include "tracelift/dialects/format1_arguments.hpp"

#include <fmt/format.h>

#include "tracelift/dialects/format1.hpp"

namespace tracelift {

Json format1_arguments(const BoundCall& call) {
    if (call.bound) {
        return write_arguments(positional_arguments(call));
    }
    // Without a declaration nothing says where a named argument stands: the names go along.
    Arguments positional;
    Value::Dict keywords;
    for (const auto& entry : call.arguments) {
        const bool null = entry.value.is_null();  // by position it would be one that was not given
        if (!null && entry.key == fmt::format("arg{}", positional.size())) {
            positional.emplace_back(entry.value);
        } else {
            keywords.push_back(entry);
        }
    }
    if (!keywords.empty()) {
        positional.emplace_back(Value::Struct{std::string(keywords_type), std::move(keywords)});
    }
    return write_arguments(positional, Typing::OWN);
}

}  // namespace tracelift
