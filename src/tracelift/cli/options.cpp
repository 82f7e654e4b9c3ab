#include "tracelift/cli/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace tracelift::cli {

Options::Options(std::span<const std::string> arguments, std::vector<std::string_view> flags,
                 std::vector<std::string_view> values) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--") {
            rest_.assign(arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
            return;
        }
        if (!argument.starts_with('-') || argument == "-") {
            positional_.push_back(argument);
            continue;
        }
        const size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        if (equals == argument.npos && std::ranges::find(flags, name) != flags.end()) {
            given_[name] = "";
        } else if (std::ranges::find(values, name) == values.end()) {
            throw UsageError{fmt::format("unknown option '{}'", argument)};
        } else if (equals != argument.npos) {
            given_[name] = argument.substr(equals + 1);
        } else if (i + 1 == arguments.size()) {
            throw UsageError{fmt::format("{} needs a value", name)};
        } else {
            given_[name] = arguments[++i];
        }
    }
}

std::optional<std::string> Options::value(std::string_view name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? std::nullopt : std::optional(found->second);
}

std::string Options::value_or(std::string_view name, std::string_view otherwise) const {
    return value(name).value_or(std::string(otherwise));
}

double Options::number_or(std::string_view name, double otherwise) const {
    const auto text = value(name);
    if (!text) {
        return otherwise;
    }
    double number = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (problem != std::errc() || end != text->data() + text->size() || !(number > 0)) {
        throw UsageError{fmt::format("{} takes a positive number, got '{}'", name, *text)};
    }
    return number;
}

const std::string& Options::only(std::string_view what) const {
    if (positional_.size() != 1) {
        throw UsageError{fmt::format("expected one {}, got {}", what, positional_.size())};
    }
    return positional_.front();
}

}  // namespace tracelift::cli
