// The commands, each in the file that is named after it.
#pragma once

#include "tracelift/cli/command.hpp"

namespace tracelift::cli {

extern const Command opcheck_command;
extern const Command describe_command;
extern const Command boards_command;
extern const Command init_command;
extern const Command trace_command;
extern const Command import_command;
extern const Command ops_command;
extern const Command show_command;
extern const Command sweep_command;
extern const Command sweep_results_command;
extern const Command sweep_compare_command;
extern const Command selfcheck_command;
extern const Command replay_command;
extern const Command why_command;
extern const Command generate_tests_command;
extern const Command shrink_command;
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
extern const Command completion_command;

}  // namespace tracelift::cli
