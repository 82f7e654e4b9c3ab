#include "tracelift/cli/against.hpp"

#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/replayed.hpp"
#include "tracelift/cli/sweep_results.hpp"
#include "tracelift/cli/table.hpp"

namespace tracelift::cli {
namespace {

bool has_source(const Options& options) { return options.has("--jsonl") || options.has("--master"); }

RecordedReplay named_replay(const Options& options, const std::string& name) {
    if (std::filesystem::exists(name)) {
        return read_recorded(name);
    }
    if (name.find('/') != name.npos || name.ends_with(".json")) {
        throw FileError(fmt::format("{}: no such file", name));
    }
    OpenedStore store(options);
    return recorded_sweep(*store, found_sweep(*store, name));
}

void print_head(const RecordedReplay& before, const ReplayComparison& comparison, const AccuracyTolerance& tolerance) {
    fmt::print("{}: {} calls{}\n", before.name, before.calls.size(),
               before.environment ? fmt::format(", recorded by tracelift {} on {}", before.environment->version,
                                                before.environment->processor)
                                  : "");
    if (before.left_out != 0) {
        fmt::print("{} results are of no traced configuration or were not run: they cannot be compared\n",
                   before.left_out);
    }
    if (comparison.bits_problem.empty()) {
        fmt::print("bits are compared: processor and libraries are those of the record\n");
        return;
    }
    fmt::print(
        "bits are compared only of operations that allow no error: {}\nthe scorecard of the others may move by a "
        "factor "
        "of {} and {} of PCC or {} ULP\n",
        comparison.bits_problem, tolerance.ratio, tolerance.pcc_floor, tolerance.ulp_floor);
}

}  // namespace

void check_against_usage(const Options& options) {
    const bool against = options.has("--against");
    if (!against && !options.has("--record")) {
        return;
    }
    if (options.has("--no-compare")) {
        throw UsageError{"--record and --against are about accuracy too: they do not go with --no-compare"};
    }
    if (against && (options.has("--seed") || options.has("--board"))) {
        throw UsageError{"--against replays calls as they were recorded: --seed and --board do not go with it"};
    }
    if (options.has("--values")) {
        throw UsageError{
            "a recorded call gets its inputs from its seed: --values does not go with --record or --against"};
    }
    if (against && options.has("--model") && !has_source(options)) {
        throw UsageError{"--against knows no models: --model goes with --master"};
    }
}

RecordedReplay recorded_replay(const Options& options) {
    RecordedReplay before = named_replay(options, *options.value("--against"));
    const std::string operation = options.value_or("--op", "");
    const std::string hash = options.value_or("--hash", "");
    std::erase_if(before.calls, [&](const RecordedCall& recorded) {
        return !is_named(recorded.call.call.operation, operation) || !recorded.call.identity.starts_with(hash);
    });
    if (before.calls.empty()) {
        throw std::runtime_error(fmt::format("{}: no recorded call matches", before.name));
    }
    return before;
}

std::vector<ReplayCall> calls_against(RecordedReplay& before, const Options& options) {
    std::vector<ReplayCall> calls;
    if (!has_source(options)) {
        for (const RecordedCall& recorded : before.calls) {
            if (recorded.callable) {
                calls.push_back(recorded.call);
            }
        }
        if (calls.empty()) {
            throw std::runtime_error(fmt::format("{}: none of its calls is in the store any more", before.name));
        }
        return calls;
    }
    std::map<std::string, uint64_t> seeds;
    for (const RecordedCall& recorded : before.calls) {
        seeds.emplace(recorded.call.identity, recorded.call.seed);
    }
    std::set<std::string> chosen;
    for (ReplayCall& call : chosen_replays(options)) {
        const auto seed = seeds.find(call.identity);
        call.seed = seed != seeds.end() ? seed->second : call.seed;
        if (chosen.insert(call.identity).second) {
            calls.push_back(std::move(call));
        }
    }
    if (options.has("--index") || options.has("--model")) {
        std::erase_if(before.calls,
                      [&](const RecordedCall& recorded) { return !chosen.contains(recorded.call.identity); });
    }
    return calls;
}

int tell_changes(const RecordedReplay& before, std::span<const Replayed> after, const NumericEnvironment& here,
                 const Options& options) {
    const AccuracyTolerance tolerance;
    const ReplayComparison comparison = compare_replays(before, after, here, tolerance);
    if (options.json()) {
        Json json{{"against", before.name}, {"recorded", before.calls.size()}, {"left_out", before.left_out}};
        json.update(to_json(comparison));
        print_json(json);
        return comparison.any() ? 1 : 0;
    }
    print_head(before, comparison, tolerance);
    constexpr size_t longest_line = 400;
    for (const ReplayChange& change : comparison.changes) {
        fmt::print("  {}\n", printable(change_text(change), longest_line));
    }
    fmt::print("{} as recorded, {} changed, {} missing, {} new{}\n", comparison.same, comparison.changed,
               comparison.count(ChangeKind::MISSING), comparison.count(ChangeKind::NEW),
               comparison.not_compared == 0
                   ? ""
                   : fmt::format(", {} too large for one of the machines and not compared", comparison.not_compared));
    return comparison.any() ? 1 : 0;
}

}  // namespace tracelift::cli
