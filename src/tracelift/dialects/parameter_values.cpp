#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/dialects/record_read.hpp"
#include "tracelift/value/non_finite.hpp"

namespace tracelift {
namespace {

void add_numbers(const Value& tree, std::vector<double>& numbers) {
    if (const auto* list = tree.as<Value::List>()) {
        for (const Value& item : *list) {
            add_numbers(item, numbers);
        }
        return;
    }
    const auto* text = tree.as<std::string>();
    if (const auto* number = tree.as<double>()) {
        numbers.push_back(*number);
    } else if (const auto* whole = tree.as<int64_t>()) {
        numbers.push_back(static_cast<double>(*whole));
    } else if (const auto* flag = tree.as<bool>()) {
        numbers.push_back(*flag ? 1 : 0);
    } else if (const auto special = text != nullptr ? non_finite_number(*text) : std::nullopt) {
        numbers.push_back(*special);
    } else {
        throw std::invalid_argument(fmt::format("expected a number among the values, got {:.60}", tree.to_text()));
    }
}

bool is_tensor(const Value& tree) {
    const Value* type = tree.find("type");
    const auto* name = type != nullptr ? type->as<std::string>() : nullptr;
    return name != nullptr && name->ends_with("Tensor") && tree.find("shape") != nullptr;
}

void add_tensors(const Value& tree, std::vector<std::vector<double>>& tensors) {
    if (const auto* list = tree.as<Value::List>()) {
        for (const Value& item : *list) {
            add_tensors(item, tensors);
        }
    } else if (is_tensor(tree)) {
        const Value* values = tree.find("values");
        if (values == nullptr) {
            throw std::invalid_argument(
                "a tensor has no values; record them with --trace-params --trace-params-with-values");
        }
        add_numbers(*values, tensors.emplace_back());
    }
}

ParameterValues read_tree(const Value& tree) {
    ParameterValues read;
    const auto* operation = records::at(tree, "operation_name").as<std::string>();
    const auto* args = records::at(tree, "args").as<Value::List>();
    const auto* kwargs = records::at(tree, "kwargs").as<Value::Dict>();
    if (operation == nullptr || args == nullptr || kwargs == nullptr) {
        throw std::invalid_argument("expected 'operation_name', a list 'args' and an object 'kwargs'");
    }
    read.operation = *operation;
    const auto add = [&](ParameterValues::Argument argument, const Value& value) {
        add_tensors(value, argument.tensors);
        if (!argument.tensors.empty()) {
            read.arguments.push_back(std::move(argument));
        }
    };
    for (const Value& arg : *args) {
        const auto* position = records::at(arg, "position").as<int64_t>();
        if (position == nullptr || *position < 0) {
            throw std::invalid_argument("expected every one of 'args' to be {position, value}");
        }
        add({.position = static_cast<size_t>(*position)}, records::at(arg, "value"));
    }
    for (const auto& [key, value] : *kwargs) {
        add({.name = key}, value);
    }
    return read;
}

}  // namespace

ParameterValues read_param_values(std::string_view text, const std::string& name) {
    try {
        return read_tree(parse_json(text));
    } catch (const JsonError& error) {
        throw FileError(fmt::format("{}: {}: {}", name, place_of(text, error.offset()), error.what()));
    } catch (const std::invalid_argument& error) {
        throw FileError(fmt::format("{}: {}", name, error.what()));
    }
}

}  // namespace tracelift
