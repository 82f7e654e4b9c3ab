// A subcommand of `tracelift`: its name, one line of help and what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tracelift::cli {

struct Command {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    // Gets the arguments after its name; returns the exit status.
    int (*run)(std::span<const std::string> arguments);
};

// Bad arguments: the message is printed with the command's usage, status 2.
struct UsageError {
    std::string message;
};

extern const Command opcheck_command;
extern const Command describe_command;
extern const Command boards_command;
extern const Command trace_command;
extern const Command import_command;
extern const Command ops_command;
extern const Command show_command;
extern const Command sweep_command;
extern const Command selfcheck_command;
extern const Command graph_command;
extern const Command convert_command;
extern const Command export_command;
extern const Command merge_command;
extern const Command diff_command;
extern const Command verify_command;
extern const Command gc_command;
extern const Command models_command;
extern const Command runs_command;
extern const Command delete_run_command;
extern const Command select_command;
extern const Command sql_command;
extern const Command coverage_command;
extern const Command stats_command;
extern const Command report_command;

}  // namespace tracelift::cli
