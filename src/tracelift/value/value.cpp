#include "tracelift/value/value.hpp"

#include <fmt/format.h>

namespace tracelift {
namespace {

template <class... Fs>
struct Overload : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;

std::string dict_text(const Value::Dict& dict, std::string_view separator) {
    std::string text;
    for (const auto& entry : dict) {
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", entry.key, separator, entry.value.to_text());
    }
    return text;
}

}  // namespace

bool Value::Struct::operator==(const Struct& other) const { return type == other.type && fields == other.fields; }

bool Value::operator==(const Value& other) const { return data_ == other.data_; }

const Value* Value::find(std::string_view key) const {
    const Dict* dict = nullptr;
    if (const auto* record = as<Struct>()) {
        dict = &record->fields;
    } else {
        dict = as<Dict>();
    }
    if (dict == nullptr) {
        return nullptr;
    }
    for (const auto& entry : *dict) {
        if (entry.key == key) {
            return &entry.value;
        }
    }
    return nullptr;
}

std::string_view Value::kind() const {
    static constexpr std::string_view names[] = {"null", "bool", "int",    "float",  "string",  "list",
                                                 "dict", "enum", "struct", "object", "unparsed"};
    return names[data_.index()];
}

std::string Value::to_text() const {
    return std::visit(
        Overload{[](std::monostate) { return std::string("None"); },
                 [](bool value) { return std::string(value ? "True" : "False"); },
                 [](int64_t value) { return std::to_string(value); },
                 [](double value) {
                     std::string text = fmt::format("{}", value);
                     return text.find_first_of(".eni") == std::string::npos ? text + ".0" : text;
                 },
                 [](const std::string& value) { return fmt::format("\"{}\"", value); },
                 [](const List& list) {
                     std::string text;
                     for (const auto& item : list) {
                         text += (text.empty() ? "" : ", ") + item.to_text();
                     }
                     return "[" + text + "]";
                 },
                 [](const Dict& dict) { return "{" + dict_text(dict, ": ") + "}"; },
                 [](const Enum& value) { return value.type + "." + value.member; },
                 [](const Struct& value) { return value.type + "(" + dict_text(value.fields, "=") + ")"; },
                 [](const Object& value) { return "<" + value.type + " " + value.text + ">"; },
                 [](const Unparsed& value) { return "<unparsed: " + value.text + ">"; }},
        data_);
}

}  // namespace tracelift
