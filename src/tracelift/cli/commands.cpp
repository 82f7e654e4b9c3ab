#include "tracelift/cli/commands.hpp"

namespace tracelift::cli {

std::span<const Command* const> all_commands() {
    static constexpr const Command* commands[] = {
        &init_command,     &trace_command,          &import_command,     &ops_command,    &show_command,
        &coverage_command, &stats_command,          &sql_command,        &sweep_command,  &selfcheck_command,
        &replay_command,   &generate_tests_command, &shrink_command,     &why_command,    &convert_command,
        &export_command,   &merge_command,          &diff_command,       &verify_command, &gc_command,
        &models_command,   &runs_command,           &delete_run_command, &select_command, &graph_command,
        &report_command,   &opcheck_command,        &describe_command,   &boards_command, &completion_command};
    return commands;
}

}  // namespace tracelift::cli
