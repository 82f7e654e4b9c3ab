// `tracelift sweep`: configurations and modules as tests.
#include "tracelift/cli/sweep.hpp"

#include "tracelift/cli/commands.hpp"

namespace tracelift::cli {
namespace {

constexpr const Command* commands[] = {&sweep_run_command, &sweep_generate_command, &sweep_merge_command,
                                       &sweep_results_command, &sweep_compare_command};

}  // namespace

std::string suite_of(const Options& options) {
    return options.value("--suite-name").value_or(options.value_or("--suite", ""));
}

const Command sweep_command{.name = "sweep",
                            .help = "run stored configurations and Python sweep modules as tests",
                            .example = "tracelift sweep run --all",
                            .commands = commands};

}  // namespace tracelift::cli
