#include "tracelift/formats/original_text.hpp"

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/format1.hpp"
#include "tracelift/formats/short_form.hpp"
#include "tracelift/formats/value_text.hpp"

namespace tracelift {
namespace {

// Objects that have a form of their own; empty for all others.
std::string known_object(const Value::Entry& only) {
    if (only.key == "Shape") {
        return fmt::format("Shape({})", only.value.to_text());
    }
    const bool known = only.key == "Tensor" || only.key == "MemoryConfig";
    const auto value = known ? read_argument(Value::Dict{{"arg0", Value::Dict{only}}}, 0) : std::nullopt;
    return value ? show_text(*value) : std::string();
}

std::string text_at(const Value& value, int depth) {
    if (const auto* dict = value.as<Value::Dict>()) {
        const std::string known = dict->size() == 1 ? known_object(dict->front()) : std::string();
        return known.empty() ? short_form::of_dict(*dict, depth, text_at) : known;
    }
    if (const auto* list = value.as<Value::List>()) {
        return short_form::of_list(*list, depth, text_at);
    }
    if (const auto* text = value.as<std::string>()) {
        return fmt::format("\"{}\"", *text);
    }
    if (const auto* number = value.as<double>()) {
        return python_float(*number);
    }
    return value.to_text();
}

// A damaged argument: only tensors are shown repaired, and without their wrapper.
std::string damaged_text(const Value& entry, const Value& body, size_t position) {
    const auto value = read_argument(entry, position);
    const auto* record = value ? value->as<Value::Struct>() : nullptr;
    const bool unread = value && value->as<Value::Unparsed>() != nullptr;
    if (unread || (record != nullptr && record->type == "Tensor")) {
        return show_text(*value);
    }
    const Value* error = body.find("error");
    const auto* why = error != nullptr ? error->as<std::string>() : nullptr;
    return short_form::of_unread(why != nullptr ? std::string_view(*why) : std::string_view());
}

bool is_internal(const Value& value) {
    const auto* text = value.as<std::string>();
    return value.is_null() || (text != nullptr && (*text == "nullopt" || *text == "<nullopt>" ||
                                                   text->find("unsupported type") != text->npos ||
                                                   text->find("std::reference_wrapper") != text->npos));
}

}  // namespace

std::vector<std::string> original_lines(const Value& arguments, bool debug) {
    std::vector<std::string> lines;
    const auto add = [&](std::string_view name, const Value& value, const std::string& text) {
        if (debug || !is_internal(value)) {
            lines.push_back(fmt::format("{}: {}", name, text));
        }
    };
    if (const auto* dict = arguments.as<Value::Dict>()) {
        for (const auto& entry : *dict) {
            add(entry.key, entry.value, text_at(entry.value, 0));
        }
    } else if (const auto* list = arguments.as<Value::List>()) {
        for (size_t i = 0; i < list->size(); ++i) {
            const Value& entry = (*list)[i];
            const auto* wrapper = entry.as<Value::Dict>();
            const bool single = wrapper != nullptr && wrapper->size() == 1;
            const bool damaged = single && wrapper->front().key == "UnparsedElement";
            const Value& body = single ? wrapper->front().value : entry;
            add(fmt::format("arg{}", i), body, damaged ? damaged_text(entry, body, i) : text_at(entry, 0));
        }
    }
    return lines;
}

}  // namespace tracelift
