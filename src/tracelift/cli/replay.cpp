// `tracelift replay`: recorded calls are carried out again and compared with the reference.
#include <algorithm>

#include <fmt/ranges.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/against.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/continuation.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/replayed.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/replay/replay_summary.hpp"

namespace tracelift::cli {
namespace {

ReplayOptions replay_options(const Options& options, Progress& progress) {
    ReplayOptions replay;
    replay.pool = pool_options(options, progress);
    replay.compare = !options.has("--no-compare");
    replay.repeat = static_cast<unsigned>(options.whole_or("--repeat", 1));
    replay.board = options.value_or("--board", "");
    replay.fingerprint = options.has("--record") || options.has("--against");
    if (options.has("--seed")) {
        replay.seed = static_cast<uint64_t>(options.whole_or("--seed", 0));
    }
    if (options.has("--values")) {
        replay.values = std::filesystem::absolute(*options.value("--values"));
    }
    if (options.has("--trace")) {
        replay.record = std::filesystem::absolute(*options.value("--trace"));
        std::filesystem::create_directories(replay.record);
    }
    return replay;
}

std::string perf_text(std::vector<double> milliseconds) {
    std::ranges::sort(milliseconds);
    return fmt::format("  {} calls: least {:.3f} ms, median {:.3f} ms, most {:.3f} ms\n", milliseconds.size(),
                       milliseconds.front(), milliseconds[milliseconds.size() / 2], milliseconds.back());
}

// A few calls are printed one by one.
void print_one(const Replayed& replayed, const Options& options) {
    const CallResult& result = replayed.result;
    fmt::print("{}: {}: {}\n", replayed.call->place, cpp_name(replayed.call->call.operation),
               ttnn::member_name(replayed.outcome));
    const bool ran = !result.outputs.empty() || result.status == Status::PASS;
    if (ran && replayed.outcome != Outcome::DIFFERS) {
        fmt::print("Replay success. Output shape: {}\n",
                   result.outputs.empty() ? "none" : fmt::format("{}", fmt::join(result.outputs, ", ")));
    }
    if (replayed.outcome == Outcome::MATCHED || replayed.outcome == Outcome::MATCHED_WITH_LOST_ARGUMENTS ||
        replayed.outcome == Outcome::DIFFERS) {
        fmt::print("  PCC {:.6f}, ULP {:.3g}, absolute {:.3g}, relative {:.3g}{}\n", result.pcc, result.max_ulp,
                   result.max_absolute, result.max_relative, result.equal ? ", equal" : "");
    }
    if (!replayed.reason.empty()) {
        fmt::print("  {}\n", replayed.reason);
    }
    if (options.has("--perf") && !replayed.call_milliseconds.empty()) {
        fmt::print("{}", perf_text(replayed.call_milliseconds));
    }
}

void print_summary(const ReplaySummary& summary) {
    fmt::print("\n{:<44} {:>6}", "operation", "total");
    std::vector<Outcome> there;
    for (const auto& member : ttnn::EnumInfo<Outcome>::members) {
        if (summary.overall[member.value] != 0) {
            there.push_back(member.value);
            fmt::print(" {:>{}}", member.name, std::max<size_t>(8, member.name.size()));
        }
    }
    const auto row = [&](std::string_view name, const OutcomeCounts& counts) {
        fmt::print("\n{:<44} {:>6}", name, counts.total());
        for (const Outcome outcome : there) {
            fmt::print(" {:>{}}", counts[outcome], std::max<size_t>(8, ttnn::member_name(outcome).size()));
        }
    };
    for (const auto& [name, counts] : summary.operations) {
        row(name, counts);
    }
    row("total", summary.overall);
    fmt::print("\n");
}

// Of a few calls each is told; of more only those that need attention.
void print_report(const std::vector<Replayed>& all, const ReplaySummary& summary, const Options& options) {
    if (options.json()) {
        Json json = summary.json();
        Json& list = json["calls"] = Json::array();
        for (const Replayed& replayed : all) {
            list.push_back(replayed_json(replayed));
        }
        print_json(json);
        return;
    }
    constexpr size_t few = 20;
    for (const Replayed& replayed : all) {
        const bool fine = replayed.outcome == Outcome::MATCHED || replayed.outcome == Outcome::NOT_JUDGED ||
                          replayed.outcome == Outcome::MATCHED_WITH_LOST_ARGUMENTS;
        if (all.size() <= few || !fine) {
            print_one(replayed, options);
        }
    }
    if (all.size() > 1) {
        print_summary(summary);
    }
}

int run_replay(const Options& options) {
    check_against_usage(options);
    std::optional<RecordedReplay> before;
    if (options.has("--against")) {
        before = recorded_replay(options);
    }
    std::vector<ReplayCall> calls = before ? calls_against(*before, options) : chosen_replays(options);
    const Interrupts interrupts;
    Progress progress("calls", calls.size());
    ReplaySummary summary;
    std::vector<Replayed> all;
    const ReplayOptions replay = replay_options(options, progress);
    for (ReplayCall& call : calls) {  // as they are made, in case that they are recorded
        call.seed = replay.seed.value_or(call.seed);
        call.board = replay.board.empty() ? call.board : replay.board;
    }
    tracelift::replay(calls, replay, [&](const Replayed& replayed) {
        progress.advance(cpp_name(replayed.call->call.operation));
        summary.add(replayed);
        all.push_back(replayed);
    });
    progress.finish();
    std::ranges::sort(all, {}, &Replayed::call);  // as they were recorded
    if (all.size() == calls.size() && replay.fingerprint) {
        const NumericEnvironment here = numeric_environment();
        if (const auto file = options.value("--record")) {
            replace_file(*file, recorded_text(all, here));
        }
        if (before) {
            return tell_changes(*before, all, here, options);
        }
    }
    print_report(all, summary, options);
    if (all.size() != calls.size()) {
        const int signal = Interrupts::arrived();
        fmt::print(stderr, "ended by {} after {} of {} calls, none of which is kept. To replay all: {}\n",
                   signal_name(signal), all.size(), calls.size(), continuation("replay", options, {}));
        return interrupted_status(signal);
    }
    return summary.good() ? 0 : 1;
}

constexpr OptionInfo options[] = {
    jsonl_option,
    index_option,
    hash_option,
    replayed_operation_option,
    master_option,
    {"--repeat", "N", "how many times to make each call (default: 1)", Range{1, 1e6, true}},
    {"--perf", {}, "print how long the operation itself takes"},
    {"--board", "BOARD",
     "on this board instead of the recorded one (p150), or on another mesh too (galaxy@4x8): would it fit there?"},
    {"--seed", "N", "seed of the input values (default: 0)", Range{0, 1e15, true}},
    values_option,
    {"--no-compare", {}, "run only; do not compare with the reference"},
    {"--record", "FILE", "write the results of the calls: outputs bit by bit, accuracy and memory"},
    {"--against", "RUN", "list what changed since a recorded file, or since a run of a sweep (its number, latest)"},
    {"--trace", "DIR", "record the replay into this folder, for `tracelift import`"},
    model_option,
    timeout_option,
    memory_option,
    jobs_option,
    dir_option,
    json_option};

}  // namespace

const Command replay_command{
    .name = "replay",
    .help = "replay recorded calls with fresh inputs and compare the results with the reference",
    .example = "tracelift replay --op softmax --repeat 3 --perf",
    .options = options,
    .statuses =
        "0 all were replayed, 1 some differ, were refused or failed, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_replay};

}  // namespace tracelift::cli
