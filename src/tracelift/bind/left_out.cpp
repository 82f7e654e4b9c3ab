#include "tracelift/bind/left_out.hpp"

#include <algorithm>

#include "tracelift/value/not_captured.hpp"

namespace tracelift {
namespace {

// Arguments that never change what an operation computes.
constexpr std::string_view without_effect[] = {"global_cb", "reshape_tile_mode", "sub_device_id", "subdevice_id",
                                               "topology"};

bool has_effect(std::string_view argument) {
    return std::ranges::find(without_effect, argument) == std::end(without_effect);
}

// Format 2 files of old have the fields of a program config and not its type, so that it could be several.
bool has_no_type(std::string_view argument, const Value& value) {
    return argument == "program_config" && value.as<Value::Dict>() != nullptr;
}

bool was_lost(std::string_view argument, const Value& value) {
    return was_not_captured(value) || has_no_type(argument, value);
}

bool is_opaque(const Value& value) {
    return value.as<Value::Object>() != nullptr || value.as<Value::Struct>() != nullptr ||
           value.as<Value::Unparsed>() != nullptr;
}

}  // namespace

bool can_be_left_out(std::string_view argument, const Value& value) {
    return was_lost(argument, value) || (is_opaque(value) && !has_effect(argument));
}

bool is_lost(const Value::Entry& argument) {
    return was_lost(argument.key, argument.value) && has_effect(argument.key);
}

bool has_lost_arguments(const BoundCall& call) { return std::ranges::any_of(call.arguments, is_lost); }

Value::Dict replayable(const Value::Dict& arguments) {
    Value::Dict taken = arguments;
    std::erase_if(taken, [](const Value::Entry& argument) { return can_be_left_out(argument); });
    return taken;
}

}  // namespace tracelift
