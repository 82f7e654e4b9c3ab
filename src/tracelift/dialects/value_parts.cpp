#include "tracelift/dialects/value_parts.hpp"

#include <cmath>

#include "ttnn/op/values_text.hpp"

namespace tracelift {
namespace {

void write_core(JsonText& json, const Value* core) {
    json.begin_object();
    for (const std::string_view axis : {"x", "y"}) {
        const Value* value = core == nullptr ? nullptr : core->find(axis);
        const auto* number = value == nullptr ? nullptr : value->as<int64_t>();
        json.key(axis);
        json.number(number == nullptr ? int64_t{0} : *number);
    }
    json.end_object();
}

}  // namespace

void write_bool(JsonText& json, bool value) { json.raw(value ? "true" : "false"); }

void write_finite(JsonText& json, double value) {
    std::string text;
    ttnn::append_json_number(text, value);
    json.raw(text);
}

std::string_view non_finite_text(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

std::string_view member_of(const Value* value) {
    if (value == nullptr) {
        return {};
    }
    if (const auto* member = value->as<Value::Enum>()) {
        return member->member;
    }
    const auto* text = value->as<std::string>();
    return text == nullptr ? std::string_view() : *text;
}

std::string enum_text(const Value* value) {
    const auto* member = value == nullptr ? nullptr : value->as<Value::Enum>();
    return member == nullptr ? std::string() : member->type + "." + member->member;
}

void write_integers(JsonText& json, const Value* list) {
    json.begin_array();
    if (const auto* items = list == nullptr ? nullptr : list->as<Value::List>()) {
        for (const Value& item : *items) {
            const auto* number = item.as<int64_t>();
            json.number(number == nullptr ? int64_t{0} : *number);
        }
    }
    json.end_array();
}

void write_ranges(JsonText& json, const Value* core_range_set) {
    json.begin_array();
    const Value* ranges = core_range_set == nullptr ? nullptr : core_range_set->find("ranges");
    if (const auto* items = ranges == nullptr ? nullptr : ranges->as<Value::List>()) {
        for (const Value& range : *items) {
            json.begin_object();
            json.key("start");
            write_core(json, range.find("start"));
            json.key("end");
            write_core(json, range.find("end"));
            json.end_object();
        }
    }
    json.end_array();
}

std::string mesh_in(std::string_view device) {
    constexpr std::string_view begin = "MeshDevice(";
    const size_t end = device.find(" grid");
    if (!device.starts_with(begin) || end == device.npos) {
        return {};
    }
    const std::string_view sizes = device.substr(begin.size(), end - begin.size());
    if (sizes.empty() || sizes.find_first_not_of("0123456789x") != sizes.npos || sizes.starts_with('x') ||
        sizes.ends_with('x') || sizes.find("xx") != sizes.npos) {
        return {};
    }
    std::string list = "[";
    for (const char c : sizes) {
        c == 'x' ? list += ", " : list += c;
    }
    return list + "]";
}

}  // namespace tracelift
