// Replay: recorded calls are carried out again, each in a worker process, and what became of each is told.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/catalog/records.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift {

// A recorded call, ready to be replayed.
struct ReplayCall {
    BoundCall call{};
    std::string board{};                 // empty: the default one; its mesh follows from the call unless it names one
    uint64_t seed = 0;                   // of the input values
    std::string place{};                 // where it was read: "calls.jsonl: line 3", "3c20d775f0b1"
    std::string source{};                // the test or model that made it; may be empty
    std::string identity{};              // its hash
    std::optional<Hardware> hardware{};  // where it was recorded; part of the identity
};

// What a replay comes to. Every call is one of these.
enum class Outcome : uint8_t {
    MATCHED,                      // ran, and agrees with the reference
    MATCHED_WITH_LOST_ARGUMENTS,  // the same, with the default for an argument that the capture did not write down
    DIFFERS,                      // ran, and does not agree
    NOT_JUDGED,                   // ran, and there is no reference to compare with
    REJECTED,                     // the operation refused it
    TOO_LARGE,                    // more than may be run here: shapes and memory were worked out instead
    UNDECODABLE,                  // no overload takes its arguments
    UNKNOWN,                      // there is no such operation
    FAILED,                       // the process died of it, or it took too long
};

struct ReplayOptions {
    PoolOptions pool{};
    bool compare = true;
    unsigned repeat = 1;  // how often each call is made
    std::string board{};  // instead of the recorded ones: would it fit and be accepted there? May name a mesh
    std::optional<uint64_t> seed{};  // instead of the calls' own
    std::filesystem::path values{};  // a parameter file with the values of the inputs; empty: made by the seed
    std::filesystem::path record{};  // a folder for a trace of the replay; empty: none
    bool fingerprint = false;        // outputs are digested and memory is measured, to compare them later
};

struct Replayed {
    const ReplayCall* call = nullptr;
    Outcome outcome = Outcome::FAILED;
    std::string reason{};                     // of anything but a match
    CallResult result{};                      // of the last call
    std::vector<double> call_milliseconds{};  // of the operation alone, each time
};

ReplayCall replay_of(const Configuration& configuration);
ReplayCall replay_of(const FileCall& call, std::string place, Binder& binder);

// What a status comes to for this call.
Outcome outcome_of(const ReplayCall& call, Status status);

// `each` sees every call once, in the order in which they end; not those that PoolOptions::go_on cut off.
void replay(std::span<const ReplayCall> calls, const ReplayOptions& options,
            const std::function<void(const Replayed&)>& each);

// Whether a name has this part, in either spelling: "linear", "ttnn.linear", "ttnn::linear". All have the empty one.
bool is_named(const std::string& operation, const std::string& part);

// Which lines of a file of calls are wanted; lines are counted from 0.
struct LineChoice {
    std::optional<uint64_t> index{};
    std::string operation{};  // any part of its name; empty: all
};
// Reads what is wanted and nothing else. A line that is not a call goes to `unread` with the reason. Throws FileError
// where the file cannot be read or the index lies behind its end.
std::vector<ReplayCall> replays_of_lines(const std::filesystem::path& file, const LineChoice& choice,
                                         const std::function<void(const std::string&)>& unread);

}  // namespace tracelift

template <>
struct ttnn::EnumInfo<tracelift::Outcome> {
    using Outcome = tracelift::Outcome;
    static constexpr std::string_view type = "Outcome";
    static constexpr EnumMember<Outcome> members[] = {
        {Outcome::MATCHED, "matched"},
        {Outcome::MATCHED_WITH_LOST_ARGUMENTS, "matched_with_lost_arguments"},
        {Outcome::DIFFERS, "differs"},
        {Outcome::NOT_JUDGED, "not_judged"},
        {Outcome::REJECTED, "rejected"},
        {Outcome::TOO_LARGE, "too_large"},
        {Outcome::UNDECODABLE, "undecodable"},
        {Outcome::UNKNOWN, "unknown"},
        {Outcome::FAILED, "failed"}};
};
