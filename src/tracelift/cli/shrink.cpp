// `tracelift shrink`: from a recorded call that fails to the smallest that fails alike, as a test.
#include <algorithm>
#include <filesystem>

#include <fmt/ranges.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/replayed.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/replay/shrink_call.hpp"
#include "tracelift/replay/test_case.hpp"
#include "ttnn/op/nearest.hpp"

namespace tracelift::cli {
namespace {

ReplayCall chosen_call(const Options& options) {
    if (!options.has("--jsonl") && !options.has("--hash") && !options.has("--master")) {
        throw UsageError{"expected --hash H, or --jsonl FILE with --index N"};
    }
    std::vector<ReplayCall> calls = chosen_replays(options);
    if (calls.size() > 1) {
        throw UsageError{fmt::format("{} calls are meant; give {} that only one has", calls.size(),
                                     options.has("--jsonl") ? "--index N" : "--hash with as much of the hash")};
    }
    return std::move(calls.front());
}

std::string expected(const Options& options) {
    std::string word = options.value_or("--expect", "");
    const std::vector<std::string> words = expected_words();
    if (options.has("--expect") && std::ranges::find(words, word) == words.end()) {
        throw UsageError{fmt::format("--expect takes one of {}, not '{}'{}", fmt::join(words, ", "), word,
                                     ttnn::did_you_mean(ttnn::nearest_names(word, words)))};
    }
    return word;
}

std::string failure_text(const ShrunkCall& shrunk) {
    return fmt::format("{}{}{}", ttnn::member_name(shrunk.result.status), shrunk.result.message.empty() ? "" : ": ",
                       shrunk.result.message);
}

std::string end_text(const ShrunkCall& shrunk) {
    switch (shrunk.end) {
        case ShrinkEnd::SMALLEST: return "no single step makes it smaller";
        case ShrinkEnd::ATTEMPTS: return "stopped early: --attempts is used up";
        case ShrinkEnd::BUDGET: return "stopped early: --budget is used up";
        case ShrinkEnd::INTERRUPTED: return "stopped early: interrupted";
    }
    return {};
}

// What was found, for people.
void print_account(std::FILE* out, const ReplayCall& call, const ShrunkCall& shrunk) {
    fmt::print(out, "{}: {}: {}\n", call.place, cpp_name(call.call.operation), failure_text(shrunk));
    if (!shrunk.signature.empty()) {
        fmt::print(out, "signature: {}: {}\n", ttnn::member_name(shrunk.result.status), shrunk.signature);
    }
    fmt::print(out, "{} calls tried, {} of them fail alike; {}\n", shrunk.tried, shrunk.alike, end_text(shrunk));
    if (!shrunk.steady) {
        fmt::print(out, "the smallest call did not fail alike when it was run once more: the failure is not steady\n");
    }
    size_t width = 0;
    for (const FieldChange& change : shrunk.changes) {
        width = std::max(width, change.field.size());
    }
    for (const FieldChange& change : shrunk.changes) {
        fmt::print(out, "  {:<{}}  {} -> {}\n", change.field, width, change.before, change.after);
    }
    if (shrunk.changes.empty()) {
        fmt::print(out, "  it was the smallest already\n");
    }
}

Json account_json(const ReplayCall& call, const ShrunkCall& shrunk, const TestFile& file) {
    Json changes = Json::array();
    for (const FieldChange& change : shrunk.changes) {
        changes.push_back({{"field", change.field}, {"before", change.before}, {"after", change.after}});
    }
    return {{"place", call.place},
            {"operation", cpp_name(call.call.operation)},
            {"outcome", ttnn::member_name(shrunk.outcome)},
            {"status", ttnn::member_name(shrunk.result.status)},
            {"message", shrunk.result.message},
            {"signature", shrunk.signature},
            {"changes", std::move(changes)},
            {"arguments", to_json(Value(shrunk.call.call.arguments))},
            {"tried", shrunk.tried},
            {"alike", shrunk.alike},
            {"end", ttnn::member_name(shrunk.end)},
            {"steady", shrunk.steady},
            {"file", file.name},
            {"test", file.text}};
}

// A folder gets a file with the test's own name.
std::filesystem::path written(const TestFile& file, std::filesystem::path path) {
    if (std::filesystem::is_directory(path) || !path.has_filename()) {
        std::filesystem::create_directories(path);
        path /= file.name;
    }
    replace_file(path, file.text);
    return path;
}

int run_shrink(const Options& options) {
    ShrinkOptions shrink;
    shrink.expect = expected(options);
    const ReplayCall call = chosen_call(options);
    const Interrupts interrupts;
    Progress progress("calls", 0);
    shrink.replay.pool = pool_options(options, progress);
    if (options.has("--seed")) {
        shrink.replay.seed = static_cast<uint64_t>(options.whole_or("--seed", 0));
    }
    shrink.attempts = static_cast<size_t>(options.whole_or("--attempts", static_cast<int64_t>(shrink.attempts)));
    shrink.budget = std::chrono::seconds(options.whole_or("--budget", shrink.budget.count()));
    const std::string name = cpp_name(call.call.operation);
    const ShrunkCall shrunk = shrink_call(call, shrink, [&](const Replayed&) { progress.advance(name); });
    progress.finish();

    const bool gtest = options.value_or("--format", "pytest") == "gtest";
    const TestCase test = failing_test(shrunk.call, failure_text(shrunk), gtest ? TestForm::GTEST : TestForm::PYTEST);
    const TestFile file = gtest ? gtest_repro(test) : pytest_repro(test);
    const bool to_file = options.has("--output");
    const std::string path = to_file ? written(file, *options.value("--output")).string() : "";
    if (options.json()) {
        print_json(account_json(call, shrunk, file));
    } else {
        // Without a file the test alone is the output, so that it can be sent into one.
        print_account(to_file ? stdout : stderr, call, shrunk);
        fmt::print("{}", to_file ? fmt::format("the test is in {}\n", path) : file.text);
    }
    return shrunk.end == ShrinkEnd::INTERRUPTED ? interrupted_status(Interrupts::arrived()) : 0;
}

constexpr OptionInfo options[] = {
    jsonl_option,
    index_option,
    hash_option,
    master_option,
    {"--expect", "STATUS",
     "what counts as the failure, instead of the call's own status and message: fail, differs, ..."},
    {"--format", "pytest|gtest", "what the test is written for (default: pytest)"},
    {"-o,--output", "PATH", "write the test into this file, or into this folder, instead of printing it"},
    {"--budget", "SECONDS", "stop after this time with what was found (default: 300)", Range{1, 1e6, true}},
    {"--attempts", "N", "try at most this many calls (default: 20000)", any_count},
    {"--seed", "N", "of the input values", Range{0, 1e15, true}},
    timeout_option,
    memory_option,
    jobs_option,
    dir_option,
    json_option};

}  // namespace

const Command shrink_command{
    .name = "shrink",
    .help = "make a recorded call that fails as small as can be while it fails alike, and print it as a test",
    .example = "tracelift shrink --master wrong.json -o test_repro.py",
    .options = options,
    .statuses =
        "0 the smallest call was printed, 1 the call does not fail or cannot be replayed, 2 wrong usage, 130 or "
        "143 ended by a signal",
    .run = run_shrink};

}  // namespace tracelift::cli
