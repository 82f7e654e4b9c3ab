// `tracelift why`: what sets a call that fails apart from calls of the same operation that pass.
#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/replayed.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/cli/table.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/explanation.hpp"
#include "tracelift/replay/nesting.hpp"

namespace tracelift::cli {
namespace {

constexpr size_t shown_fields = 8;
constexpr size_t longest_text = 200;

ReplayCall asked_call(const Options& options) {
    const bool text = !options.positional().empty();
    if ((text ? 1 : 0) + (options.has("--hash") ? 1 : 0) + (options.has("--jsonl") ? 1 : 0) != 1) {
        throw UsageError{"expected one call: --hash H, --jsonl FILE --index N, or a line of JSON"};
    }
    if (text) {
        const std::string& line = options.positional()[0];
        if (nesting(line) > deepest_record) {
            throw FileError(fmt::format("the call is nested deeper than {} levels", deepest_record));
        }
        Binder binder;
        return replay_of(read_call_line(line, "the call"), "the call", binder);
    }
    if (options.has("--jsonl") && !options.has("--index")) {
        throw UsageError{"--jsonl needs --index: which of its lines?"};
    }
    auto calls = chosen_replays(options);
    const bool one =
        std::ranges::all_of(calls, [&](const ReplayCall& call) { return call.identity == calls.front().identity; });
    if (!one) {
        throw UsageError{fmt::format("--hash {} is the beginning of {} hashes: give more of it",
                                     *options.value("--hash"), calls.size())};
    }
    return std::move(calls.front());
}

void run_with_progress(std::span<EndedCall* const> calls, const Options& options) {
    const Interrupts interrupts;
    Progress progress("calls", calls.size());
    ReplayOptions replaying;
    replaying.pool = pool_options(options, progress);
    run_now(calls, replaying,
            [&](const Replayed& replayed) { progress.advance(cpp_name(replayed.call->call.operation)); });
    progress.finish();
    Interrupts::check();
}

Json to_json(const Explanation& explained) {
    const EndedCall& asked = explained.asked;
    Json json{{"operation", cpp_name(asked.call.call.operation)},
              {"identity", asked.call.identity},
              {"status", ttnn::member_name(asked.ending->status)},
              {"reason", asked.ending->reason},
              {"from", asked.ending->from},
              {"signature", asked.signature()},
              {"run_now", explained.runs},
              {"without_result", explained.unknown},
              {"passing", explained.passing.size()},
              {"failing_alike", explained.failing.size()}};
    Json& neighbours = json["neighbours"] = Json::array();
    for (const Neighbour& neighbour : explained.neighbours) {
        Json differences = Json::array();
        for (const FieldDifference& difference : neighbour.differences) {
            differences.push_back(
                {{"path", difference.path}, {"passes", difference.passes}, {"fails", difference.fails}});
        }
        neighbours.push_back({{"identity", explained.call_of(neighbour).identity},
                              {"distance", neighbour.distance},
                              {"differences", std::move(differences)}});
    }
    Json& fields = json["fields"] = Json::array();
    for (const SeparatingField& field : explained.fields) {
        fields.push_back(
            {{"path", field.path}, {"apart", field.apart}, {"fails", field.fails}, {"passes", field.passes}});
    }
    return json;
}

// "TILE or ROW_MAJOR", "4 different values"
std::string values_text(const std::map<std::string, size_t>& values) {
    constexpr size_t few = 3;
    if (values.size() > few) {
        return fmt::format("{} different values", values.size());
    }
    std::string text;
    for (const auto& [value, count] : values) {
        text += fmt::format("{}{}", text.empty() ? "" : " or ", value == not_given ? "no value" : printable(value));
    }
    return text;
}

std::string difference_text(const FieldDifference& difference) {
    const auto clause = [](std::string_view verb, const std::string& value) {
        return value == not_given ? fmt::format("{} when it is not given", verb)
                                  : fmt::format("{} with {}", verb, printable(value, longest_text));
    };
    return fmt::format("{}: {}, {}", difference.path, clause("works", difference.passes),
                       clause("fails", difference.fails));
}

void print_text(const Explanation& explained) {
    fmt::print("\nNearest of the {} that pass:\n", explained.passing.size());
    for (const Neighbour& neighbour : explained.neighbours) {
        fmt::print("  {} (distance {}){}\n", explained.call_of(neighbour).identity.substr(0, 12), neighbour.distance,
                   neighbour.differences.size() > 1 ? " differs in all of these:" : "");
        for (const FieldDifference& difference : neighbour.differences) {
            fmt::print("    {}\n", difference_text(difference));
        }
    }
    fmt::print("\n{} fail{} like this. ", explained.failing.size(), explained.failing.size() == 1 ? "s" : "");
    if (explained.fields.empty()) {
        fmt::print("No single field sets {} apart: each value is also among those that pass.\n",
                   explained.failing.size() == 1 ? "it" : "them");
        return;
    }
    fmt::print("What sets {} apart from those that pass:\n", explained.failing.size() == 1 ? "it" : "them");
    for (size_t i = 0; i < std::min(shown_fields, explained.fields.size()); ++i) {
        const SeparatingField& field = explained.fields[i];
        std::map<std::string, size_t> apart;
        std::ranges::copy_if(field.fails, std::inserter(apart, apart.end()),
                             [&](const auto& each) { return !field.passes.contains(each.first); });
        fmt::print("  {}: {} of {} fail with {}; what passes has {}\n", field.path, field.apart,
                   explained.failing.size(), values_text(apart), values_text(field.passes));
    }
}

int run_why(const Options& options) {
    ReplayCall call = asked_call(options);
    const std::string name = cpp_name(call.call.operation);
    if (!call.call.bound) {
        throw std::runtime_error(
            fmt::format("{} {}: cannot be compared with other calls: {}", name, call.place, call.call.note));
    }
    ExplanationOptions explaining;
    explaining.runs = static_cast<size_t>(options.whole_or("--runs", static_cast<int64_t>(explaining.runs)));
    explaining.neighbours =
        static_cast<size_t>(options.whole_or("--neighbours", static_cast<int64_t>(explaining.neighbours)));
    OpenedStore store(options);
    Explanation explained;
    explain(explained, *store, std::move(call), options.has("--hash"), explaining,
            [&](std::span<EndedCall* const> calls) { run_with_progress(calls, options); });
    const ReplayCall& asked = explained.asked.call;
    const Ending& ending = *explained.asked.ending;
    const bool fails = explained.fails;
    if (options.json()) {
        print_json(to_json(explained));
        return fails && explained.passing.empty() ? 1 : 0;
    }
    fmt::print("{} {}: {} ({})\n", name, asked.place, ttnn::member_name(ending.status), ending.from);
    if (!ending.reason.empty()) {
        fmt::print("  {}\n", printable(ending.reason, longest_text));
    }
    if (!fails) {
        fmt::print("It does not fail: there is nothing to explain.\n");
        return 0;
    }
    if (explained.runs != 0 || explained.unknown != 0) {
        fmt::print(
            "{} configurations of {} without a result were run now{}.\n", explained.runs, name,
            explained.unknown == 0 ? "" : fmt::format(", the nearest ones; {} have none (--runs)", explained.unknown));
    }
    if (explained.passing.empty()) {
        fmt::print("None of the {} other configurations of {} in the store passes: there is nothing to compare with.\n",
                   explained.others.size(), name);
        return 1;
    }
    print_text(explained);
    return 0;
}

constexpr ArgumentInfo arguments[] = {{"CALL", "the call as a line of JSON, as `pytest --ops-jsonl` writes it", 0, 1}};
constexpr OptionInfo options[] = {
    hash_option,
    jsonl_option,
    index_option,
    {"--neighbours", "N", "how many of the nearest calls that pass to show (default: 3)", Range{1, 1000, true}},
    {"--runs", "N", "how many configurations without a result to run, the nearest first (default: 50)",
     Range{0, 1e6, true}},
    timeout_option,
    memory_option,
    jobs_option,
    dir_option,
    json_option};

}  // namespace

const Command why_command{
    .name = "why",
    .help = "show what sets a call that fails apart from the nearest stored calls that pass",
    .example = "tracelift why --jsonl calls.jsonl --index 0",
    .arguments = arguments,
    .options = options,
    .statuses =
        "0 it passes or is explained, 1 nothing of its operation passes, 2 wrong usage, 130 or 143 ended by a "
        "signal",
    .run = run_why};

}  // namespace tracelift::cli
