#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "tracelift/cli/completion.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/output.hpp"
#include "tracelift/cli/parser.hpp"
#include "tracelift/sweep/worker.hpp"

namespace {

using namespace tracelift::cli;  // NOLINT(google-build-using-namespace): what this program is

int wrong_usage(const Invocation& invocation, const std::string& message) {
    const std::string name = invocation.name.empty() ? "tracelift" : "tracelift " + invocation.name;
    fmt::print(stderr, "{}: {}\n{}\n'{} --help' shows the rest\n", name, message,
               usage_of(invocation.command, invocation.name), name);
    return 2;
}

int failed(const Invocation& invocation, const std::exception& error) {
    fmt::print(stderr, "tracelift {}: {}\n", invocation.name, error.what());
    return invocation.command->failure;
}

int run(const Invocation& invocation) {
    try {
        return invocation.command->run(*invocation.options);
    } catch (const UsageError& error) {
        return wrong_usage(invocation, error.message);
    } catch (const Interrupted& interrupted) {
        fmt::print(stderr, "tracelift {}: ended by {}; nothing was changed. To continue, run the same command again.\n",
                   invocation.name, signal_name(interrupted.signal));
        return interrupted_status(interrupted.signal);
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) != 0) {  // the command is not to blame, so that its own status would mislead
            throw;
        }
        return failed(invocation, error);
    } catch (const std::exception& error) {
        return failed(invocation, error);
    }
}

int dispatch(std::vector<std::string> arguments) {
    if (arguments.empty()) {
        fmt::print(stderr, "{}", help_of_all());
        return 2;
    }
    if (arguments[0] == tracelift::worker_argument) {
        return arguments.size() == 1 ? tracelift::run_worker()
                                     : tracelift::become_worker({arguments.begin() + 1, arguments.end()});
    }
    if (arguments[0] == candidates_argument) {
        return print_candidates({arguments.begin() + 1, arguments.end()});
    }
    if (arguments[0] == "help") {  // `tracelift help show` as git has it
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    const Invocation invocation = parse(arguments);
    if (invocation.text) {
        fmt::print("{}", *invocation.text);
        return 0;
    }
    if (invocation.usage_error) {
        return wrong_usage(invocation, *invocation.usage_error);
    }
    return run(invocation);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return finish_output(dispatch({argv + 1, argv + argc}));
    } catch (const std::system_error& error) {
        return lost_output(error.code().message());
    }
}
