#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/sweep/worker.hpp"

namespace {

using tracelift::cli::Command;

const Command* const commands[] = {
    &tracelift::cli::trace_command,    &tracelift::cli::import_command, &tracelift::cli::ops_command,
    &tracelift::cli::show_command,     &tracelift::cli::sweep_command,  &tracelift::cli::selfcheck_command,
    &tracelift::cli::graph_command,    &tracelift::cli::report_command, &tracelift::cli::opcheck_command,
    &tracelift::cli::describe_command, &tracelift::cli::boards_command};

void print_help(std::FILE* to) {
    fmt::print(to,
               "tracelift {}: lifts operation traces out of model runs into tests\n\nusage: tracelift COMMAND ...\n\n",
               TRACELIFT_VERSION);
    for (const Command* command : commands) {
        fmt::print(to, "  {:<10} {}\n", command->name, command->help);
    }
    fmt::print(to, "\n'tracelift COMMAND --help' tells the rest.\n");
}

int run(const Command& command, std::span<const std::string> arguments) {
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print("usage: tracelift {} {}\n\n{}\n", command.name, command.usage, command.help);
            return 0;
        }
    }
    try {
        return command.run(arguments);
    } catch (const tracelift::cli::UsageError& error) {
        fmt::print(stderr, "tracelift {}: {}\nusage: tracelift {} {}\n", command.name, error.message, command.name,
                   command.usage);
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tracelift {}: {}\n", command.name, error.what());
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty()) {
        print_help(stderr);
        return 2;
    }
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print_help(stdout);
        return 0;
    }
    if (arguments[0] == "--version") {
        fmt::print("tracelift {}\n", TRACELIFT_VERSION);
        return 0;
    }
    if (arguments[0] == tracelift::worker_argument) {
        return tracelift::run_worker();
    }
    for (const Command* command : commands) {
        if (command->name == arguments[0]) {
            return run(*command, std::span(arguments).subspan(1));
        }
    }
    fmt::print(stderr, "tracelift: unknown command '{}'\n\n", arguments[0]);
    print_help(stderr);
    return 2;
}
