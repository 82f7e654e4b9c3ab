#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/call_line.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/record_read.hpp"
#include "tracelift/dialects/serializer.hpp"

namespace tracelift {
namespace {

using records::at;

const std::string& operation_of(const Value& tree) {
    const auto* text = at(tree, "op_name").as<std::string>();
    if (text == nullptr) {
        throw std::invalid_argument("expected 'op_name' to be a string");
    }
    return *text;
}

FileCall read_tree(const Value& tree) {
    FileCall result;
    result.call.operation = operation_of(tree);
    const auto* inputs = at(tree, "inputs").as<Value::List>();
    if (inputs == nullptr) {
        throw std::invalid_argument("expected 'inputs' to be a list");
    }
    for (const Value& input : *inputs) {
        result.call.positional.emplace_back(read_call_value(input));
    }
    const Value* kwargs = tree.find("kwargs");
    if (const auto* named = kwargs != nullptr ? kwargs->as<Value::Dict>() : nullptr) {
        for (const auto& [key, value] : *named) {
            result.call.keywords.push_back({key, read_call_value(value)});
        }
    } else if (kwargs != nullptr && !kwargs->is_null()) {
        throw std::invalid_argument("expected 'kwargs' to be an object");
    }
    if (const Value* node = tree.find("test_nodeid"); node != nullptr && node->as<std::string>() != nullptr) {
        result.source = *node->as<std::string>();
    }
    if (const Value* run = tree.find("trace_uid"); run != nullptr && run->as<std::string>() != nullptr) {
        result.trace_uid = *run->as<std::string>();
    }
    if (const Value* spent = tree.find("duration_ms")) {
        const auto* number = spent->as<double>();
        const double milliseconds = number != nullptr ? *number : spent->as<int64_t>() ? *spent->as<int64_t>() : 0;
        result.nanoseconds = milliseconds > 0 && milliseconds < 1e12 ? static_cast<uint64_t>(milliseconds * 1e6) : 0;
    }
    if (const Value* error = tree.find("error"); error != nullptr && !error->is_null()) {
        const Value* message = error->find("message");
        result.error =
            message != nullptr && message->as<std::string>() ? *message->as<std::string>() : error->to_text();
        result.error = result.error.empty() ? "error" : result.error;
    }
    if (const Value* machine = tree.find("machine_info")) {
        result.hardware = hardware_of(*machine);
    } else if (const Value* board = tree.find("board"); board != nullptr && board->as<std::string>() != nullptr) {
        result.hardware = hardware_of_board(*board->as<std::string>());  // our own lines
    }
    return result;
}

}  // namespace

FileCall read_call_line(std::string_view line, const std::string& name) {
    thread_local JsonParser parser;
    try {
        return read_tree(parser.parse(line));
    } catch (const JsonError& error) {
        throw FileError(fmt::format("{}: column {}: {}", name, error.offset() + 1, error.what()));
    } catch (const std::invalid_argument& error) {
        throw FileError(fmt::format("{}: {}", name, error.what()));
    }
}

}  // namespace tracelift
