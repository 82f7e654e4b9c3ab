// The recorded calls that a command line names: lines of a file, a master, or configurations of the store.
#pragma once

#include <vector>

#include "tracelift/cli/options.hpp"
#include "tracelift/replay/replay.hpp"

namespace tracelift::cli {

inline constexpr OptionInfo jsonl_option{"--jsonl", "FILE", "calls as JSON lines (`pytest --ops-jsonl FILE`)"};
inline constexpr OptionInfo index_option{"--index", "N", "only this line, counted from 0", Range{0, 1e15, true}};
inline constexpr OptionInfo hash_option{"--hash", "H", "the configuration whose hash begins with this"};
inline constexpr OptionInfo replayed_operation_option{"--op", "OP", "only this operation: any part of its name"};
inline constexpr OptionInfo master_option{"--master", "FILE",
                                          "the configurations of a master, or of anything that can be imported"};

inline constexpr OptionInfo values_option{
    "--values", "FILE",
    "input values from this parameter file (`pytest --trace-params-with-values`); given alone, also its call"};

// By these options, --model and --dir. Throws UsageError where they do not go together, and where nothing is found.
std::vector<ReplayCall> chosen_replays(const Options& options);

}  // namespace tracelift::cli
