// A command of `tracelift` as plain data: its name, its arguments and options with a line of help each, an example, and
// what it does. The parser, the help, the completion of shells and the tests all read this.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tracelift::cli {

class Options;

// The numbers that an option takes.
struct Range {
    double least = 1;
    double most = std::numeric_limits<double>::max();
    bool whole = true;
};

struct OptionInfo {
    std::string_view name;        // "--output", with a short one in front: "-o,--output"
    std::string_view value = {};  // what it takes: FILE, DIR, OP; "a|b", "a": words to choose from; empty: none
    std::string_view help = {};
    std::optional<Range> range = {};  // it takes a number, or one of the words in lower case in `value`
    bool value_optional = false;      // it may stand alone: then its first word is meant

    std::string_view long_name() const { return name.substr(name.find("--")); }
};

// What stands on the command line without a dash.
struct ArgumentInfo {
    std::string_view name;  // "FILE", "OP"
    std::string_view help;
    size_t least = 1;
    size_t most = 1;
};
inline constexpr size_t any_number = std::numeric_limits<size_t>::max();

struct Command {
    std::string_view name;
    std::string_view help;  // one line
    std::string_view example;
    std::span<const ArgumentInfo> arguments = {};
    std::span<const OptionInfo> options = {};
    std::string_view statuses = "0 done, 1 failed, 2 wrong usage";
    int failure = 1;               // the status of an error
    bool rest_is_targets = false;  // what stands behind `--` belongs to the program that is run
    int (*run)(const Options& options) = nullptr;
    std::span<const Command* const> commands = {};  // of a command that only groups others
};

// Bad arguments: the message is printed with the command's usage, status 2.
struct UsageError {
    std::string message;
};

// Options that many commands have.
inline constexpr OptionInfo dir_option{"--dir", "DIR",
                                       "the store: a folder, or a master file that is read without importing it "
                                       "(default: $TRACELIFT_DIR, else traced_operations)"};
inline constexpr OptionInfo folder_option{"--dir", "DIR",  // of commands that change the store
                                          "the store's folder (default: $TRACELIFT_DIR, else traced_operations)"};
inline constexpr OptionInfo json_option{"--json", {}, "print JSON for programs"};
inline constexpr OptionInfo model_option{"--model", "MODEL", "only what this model executed: any part of its name"};
inline constexpr Range any_count{1, 1e15, true};

std::span<const Command* const> all_commands();  // in the order of the help

}  // namespace tracelift::cli
