// `tracelift generate-tests`: recorded calls become test files that stand alone.
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/replayed.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/replay/test_case.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift::cli {
namespace {

// Those whose newest result of a sweep asks for an explanation. What was not run or not judged did not fail.
void keep_failing(std::vector<ReplayCall>& calls, const Options& options) {
    OpenedStore store(options);
    std::set<std::string> failing;
    ResultQuery query;
    query.latest_only = true;
    store->visit_results(query, [&](int64_t, ResultRecord& record) {
        if (needs_explaining(record.status) && !record.identity.empty()) {
            failing.insert(record.identity);
        }
        return true;
    });
    std::erase_if(calls, [&](const ReplayCall& call) { return !failing.contains(call.identity); });
}

int run_generate(const Options& options) {
    if (!options.has("--output")) {
        throw UsageError{"expected -o DIR, the folder for the tests, or -o FILE of one operation"};
    }
    std::vector<ReplayCall> calls = chosen_replays(options);
    if (options.has("--failing")) {
        if (options.has("--jsonl") || options.has("--master")) {
            throw UsageError{"--failing takes results from the store; it cannot be combined with --jsonl or --master"};
        }
        keep_failing(calls, options);
    }
    const bool gtest = options.value_or("--format", "pytest") == "gtest";
    PlanOptions plan_options{.form = gtest ? TestForm::GTEST : TestForm::PYTEST};
    plan_options.memory_limit = static_cast<uint64_t>(
        options.number_or("--memory", static_cast<double>(PoolOptions::default_memory_limit()) / 1e6) * 1e6);
    plan_options.per_operation = static_cast<size_t>(options.whole_or("--per-op", 0));
    const TestPlan plan = plan_tests(calls, plan_options);
    const std::vector<TestFile> files = gtest ? gtest_files(plan.cases) : pytest_files(plan.cases);
    const std::filesystem::path output = *options.value("--output");
    const bool to_file = output.extension() == (gtest ? ".cpp" : ".py");
    if (to_file && files.size() > 1) {
        throw UsageError{fmt::format("{} is one file, and there would be {}; name a folder, or one operation with --op",
                                     output.string(), files.size())};
    }
    const std::filesystem::path folder = to_file ? output.parent_path() : output;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder);
    }
    size_t tests = 0;
    size_t shape_only = 0;
    for (const TestFile& file : files) {
        replace_file(to_file ? output : folder / file.name, file.text);
        tests += file.tests;
        shape_only += file.shape_only;
    }
    const LeftOut& left = plan.left_out;
    if (options.json()) {
        print_json({{"files", files.size()},
                    {"tests", tests},
                    {"shape_only", shape_only},
                    {"repeated", left.repeated},
                    {"refused", left.refused},
                    {"too_large", left.too_large},
                    {"undecodable", left.undecodable},
                    {"unknown", left.unknown}});
    } else {
        fmt::print("{} tests in {} files in {}; {} of them assert shapes only\n", tests, files.size(), output.string(),
                   shape_only);
        fmt::print("left out: {} repeated, {} refused, {} too large, {} not decodable, {} of unknown operations\n",
                   left.repeated, left.refused, left.too_large, left.undecodable, left.unknown);
    }
    return tests == 0 ? 1 : 0;
}

constexpr OptionInfo options[] = {
    {"-o,--output", "DIR", "the folder for the files; or, of one operation, a file by its name"},
    {"--format", "pytest|gtest", "what the tests are written for (default: pytest)"},
    jsonl_option,
    index_option,
    hash_option,
    replayed_operation_option,
    master_option,
    {"--failing", {}, "only configurations that did not pass in their newest sweep"},
    {"--per-op", "N", "at most this many tests of each operation", any_count},
    memory_option,
    model_option,
    dir_option,
    json_option};

}  // namespace

const Command generate_tests_command{.name = "generate-tests",
                                     .help = "write recorded calls as standalone tests for pytest or gtest",
                                     .example = "tracelift generate-tests --op softmax -o generated",
                                     .options = options,
                                     .statuses = "0 tests were written, 1 there was nothing to write, 2 wrong usage",
                                     .run = run_generate};

}  // namespace tracelift::cli
