// What a command line said: options that were given, arguments, and what stood behind `--`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/cli/command.hpp"

namespace tracelift::cli {

class Options {
public:
    using Given = std::map<std::string, std::string, std::less<>>;  // by long name; flags have an empty text

    // Throws a UsageError where a value is not among those that the command takes, or there are too few or too many
    // arguments.
    Options(const Command& command, Given given, std::vector<std::string> positional, std::vector<std::string> rest);

    const Command& command() const { return *command_; }
    bool has(std::string_view name) const { return given_.contains(name); }
    bool json() const { return has("--json"); }
    const Given& given() const { return given_; }
    std::optional<std::string> value(std::string_view name) const;
    std::string value_or(std::string_view name, std::string_view otherwise) const;
    // Numbers were checked against the range of the option.
    double number_or(std::string_view name, double otherwise) const;
    int64_t whole_or(std::string_view name, int64_t otherwise) const;
    const std::vector<std::string>& positional() const { return positional_; }
    const std::vector<std::string>& rest() const { return rest_; }  // behind `--`

private:
    const Command* command_;
    Given given_;
    std::vector<std::string> positional_;
    std::vector<std::string> rest_;
};

// The words that an option lets one choose from: "raw|params" has two, "N|all" has `all`.
std::vector<std::string> words_of(const OptionInfo& option);

}  // namespace tracelift::cli
