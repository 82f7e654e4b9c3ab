#include "tracelift/formats/value_text.hpp"

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/repair.hpp"
#include "tracelift/dialects/scalar_text.hpp"
#include "tracelift/formats/short_form.hpp"

namespace tracelift {
namespace {

std::string member_of(const Value& record, std::string_view name) {
    const Value* field = record.find(name);
    const auto* tagged = field != nullptr ? field->as<Value::Enum>() : nullptr;
    return tagged != nullptr ? tagged->member : "?";
}

std::string field_text(const Value& record, std::string_view name) {
    const Value* field = record.find(name);
    return field != nullptr ? show_text(*field) : "?";
}

std::string core_text(const Value* core) {
    return core != nullptr ? fmt::format("({},{})", field_text(*core, "x"), field_text(*core, "y")) : "?";
}

std::string grid_text(const Value& grid) {
    const Value* ranges = grid.find("ranges");
    const auto* list = ranges != nullptr ? ranges->as<Value::List>() : nullptr;
    std::string text;
    for (const Value& range : list != nullptr ? *list : Value::List{}) {
        text += fmt::format("{}{}→{}", text.empty() ? "" : ", ", core_text(range.find("start")),
                            core_text(range.find("end")));
    }
    return "[" + text + "]";
}

// "L1_HEIGHT_SHARDED, shard(...)"
std::string memory_text(const Value& config) {
    std::string text = member_of(config, "buffer_type") + "_" + member_of(config, "memory_layout");
    const Value* spec = config.find("shard_spec");
    const Value* nd_spec = config.find("nd_shard_spec");
    const Value* shard = spec != nullptr ? spec : nd_spec;
    if (shard != nullptr && !shard->is_null()) {
        const Value* grid = shard->find("grid");
        text += fmt::format(", shard(shard_shape={}, grid={}, orientation={})",
                            field_text(*shard, shard == spec ? "shape" : "shard_shape"),
                            grid != nullptr ? grid_text(*grid) : "?", member_of(*shard, "orientation"));
    }
    return text;
}

std::string tensor_text(const Value& tensor) {
    const Value* config = tensor.find("memory_config");
    return fmt::format("Tensor(shape={}, dtype={}, memory={})", field_text(tensor, "shape"), member_of(tensor, "dtype"),
                       config != nullptr ? memory_text(*config) : "?");
}

std::string unparsed_text(const Value::Unparsed& unparsed) {
    if (was_not_captured(unparsed)) {
        return fmt::format("\"{}\"", unparsed.text);
    }
    if (const auto shape = readable_shape(unparsed.text)) {
        return fmt::format("Tensor(shape={}, PARSE_ERROR)", show_text(*shape));
    }
    return short_form::of_unread(unparsed.reason);
}

std::string text_at(const Value& value, int depth);

// Numbers all: the original has them as text and prints it whole.
std::string list_text(const Value& value, const Value::List& list, int depth) {
    if (is_number_list(value)) {
        return text_of_number_list(list);
    }
    return short_form::of_list(list, depth, text_at);
}

std::string record_text(const Value& value, const Value::Struct& record, int depth) {
    if (record.type == "Tensor") {
        return tensor_text(value);
    }
    if (record.type == "MemoryConfig") {
        return fmt::format("MemoryConfig({})", memory_text(value));
    }
    if (record.type == "CoreRangeSet") {
        return grid_text(value);
    }
    return fmt::format("{{{}: {}}}", record.type, short_form::of_dict(record.fields, depth + 1, text_at));
}

std::string text_at(const Value& value, int depth) {
    if (const auto* list = value.as<Value::List>()) {
        return list_text(value, *list, depth);
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return short_form::of_dict(*dict, depth, text_at);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return record_text(value, *record, depth);
    }
    if (const auto* tagged = value.as<Value::Enum>()) {
        return tagged->type + "::" + tagged->member;
    }
    if (const auto* number = value.as<double>()) {
        return python_float(*number);
    }
    if (const auto* unparsed = value.as<Value::Unparsed>()) {
        return unparsed_text(*unparsed);
    }
    return value.to_text();
}

}  // namespace

std::string show_text(const Value& value) { return text_at(value, 0); }

std::string show_argument(const std::optional<Value>& argument) { return argument ? show_text(*argument) : "None"; }

}  // namespace tracelift
