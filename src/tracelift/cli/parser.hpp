// From the words of a command line to a command with its options. Only parser.cpp knows the library behind it.
#pragma once

#include <string>
#include <vector>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"

namespace tracelift::cli {

// What a command line asks for: a command to run, or only a text to print.
struct Invocation {
    const Command* command = nullptr;  // where an error is about, also when there are no options
    std::string name;                  // with the names above it: "report import"
    std::optional<Options> options{};
    std::optional<std::string> text{};         // help, the version
    std::optional<std::string> usage_error{};  // what is wrong with the command line
};

Invocation parse(const std::vector<std::string>& arguments);

// "usage: tracelift show [OPTIONS] [FILE] [OP]"; the whole tool without a command.
std::string usage_of(const Command* command, const std::string& name);
std::string help_of_all();

}  // namespace tracelift::cli
