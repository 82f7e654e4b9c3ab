// `tracelift replay --against`: what calls came to before, and what has changed since.
#pragma once

#include <vector>

#include "tracelift/cli/options.hpp"
#include "tracelift/replay/replay_changes.hpp"

namespace tracelift::cli {

// Throws UsageError where --against or --record do not go with what else is given.
void check_against_usage(const Options& options);

// What --against names: a recorded file, or a run of a sweep in the store. Only what --op and --hash leave of it.
RecordedReplay recorded_replay(const Options& options);

// The calls to make: those that were recorded, or those that --jsonl or --master name, with the recorded seeds. Where
// only some of a source are asked for, the others leave `before`: they are not missing.
std::vector<ReplayCall> calls_against(RecordedReplay& before, const Options& options);

// Prints what has changed; the status of the command.
int tell_changes(const RecordedReplay& before, std::span<const Replayed> after, const NumericEnvironment& here,
                 const Options& options);

}  // namespace tracelift::cli
