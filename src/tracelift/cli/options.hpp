// Command-line arguments of a subcommand: options it knows, positional ones, and what stands behind `--`.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/cli/command.hpp"

namespace tracelift::cli {

class Options {
public:
    // `flags` stand alone, `values` take one ("--dir D" or "--dir=D"). Anything else with a dash is a UsageError.
    Options(std::span<const std::string> arguments, std::vector<std::string_view> flags,
            std::vector<std::string_view> values);

    bool has(std::string_view flag) const { return given_.contains(flag); }
    std::optional<std::string> value(std::string_view name) const;
    std::string value_or(std::string_view name, std::string_view otherwise) const;
    double number_or(std::string_view name, double otherwise) const;  // positive, or a UsageError
    const std::vector<std::string>& positional() const { return positional_; }
    const std::vector<std::string>& rest() const { return rest_; }  // behind `--`
    // The only positional argument; a UsageError when there is none or more.
    const std::string& only(std::string_view what) const;

private:
    std::map<std::string, std::string, std::less<>> given_;
    std::vector<std::string> positional_;
    std::vector<std::string> rest_;
};

}  // namespace tracelift::cli
