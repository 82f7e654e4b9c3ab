// Result files in the words and the keys of the original.
#include "tracelift/sweep/result_files.hpp"

#include <fstream>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/sweep/runner.hpp"

namespace tracelift {
namespace {

std::vector<ResultRecord> results_of(std::initializer_list<Status> statuses) {
    std::vector<ResultRecord> results;
    for (const Status status : statuses) {
        ResultRecord result;
        result.sweep_name = "eltwise.unary.x.x";
        result.status = status;
        results.push_back(result);
    }
    return results;
}

TEST(ResultFiles, TheAggregateRule) {
    EXPECT_EQ(aggregate(results_of({Status::PASS, Status::XFAIL, Status::NOT_RUN})), Aggregate::SUCCESS);
    EXPECT_EQ(aggregate(results_of({Status::XFAIL, Status::NOT_RUN, Status::NOT_JUDGED})), Aggregate::SKIPPED);
    for (const Status bad :
         {Status::FAIL, Status::REJECTED, Status::OUT_OF_MEMORY, Status::FAIL_CRASH, Status::FAIL_TIMEOUT,
          Status::FAIL_HOST_MEMORY, Status::FAIL_WATCHER, Status::FAIL_DEVICE_PERF, Status::XPASS,
          Status::INFRA_WORKER_LOST, Status::INFRA_DEVICE}) {
        EXPECT_EQ(aggregate(results_of({Status::PASS, bad})), Aggregate::FAILURE) << ttnn::member_name(bad);
    }
    SweepRun run;
    EXPECT_EQ(run_word(run, results_of({Status::PASS})), "did_not_finish");
    run.finished = "now";
    EXPECT_EQ(run_word(run, results_of({Status::PASS})), "passed");
    EXPECT_EQ(run_word(run, results_of({Status::FAIL})), "fail");
}

TEST(ResultFiles, ProcessesThatEndTogetherHaveFilesOfTheirOwn) {
    const ScratchFolder folder;
    constexpr size_t processes = 8;
    std::vector<std::thread> writers;
    for (size_t i = 0; i < processes; ++i) {
        writers.emplace_back([&] {
            const auto written = write_result_files(folder.path(), {}, results_of({Status::PASS}), "20260115_104616");
            EXPECT_EQ(written.size(), 2U);
        });
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        files += entry.file_size() > 0 ? 1 : 0;
    }
    EXPECT_EQ(files, 2 * processes);
}

TEST(ResultFiles, ExpectedFailures) {
    EXPECT_EQ(expected_failure(Status::PASS), Status::XPASS);
    EXPECT_EQ(expected_failure(Status::FAIL), Status::XFAIL);
    EXPECT_EQ(expected_failure(Status::OUT_OF_MEMORY), Status::XFAIL);
    EXPECT_EQ(expected_failure(Status::FAIL_CRASH), Status::FAIL_CRASH);
    EXPECT_EQ(expected_failure(Status::NOT_RUN), Status::NOT_RUN);
}

TEST(ResultFiles, ParametersAreFlat) {
    const Json flat = flat_parameters({{"a", 1},
                                       {"b", true},
                                       {"c", "text"},
                                       {"d", nullptr},
                                       {"e", {1, 2}},
                                       {"m", {{"type", "MemoryConfig"}, {"data", {{"buffer_type", "L1"}}}}}});
    std::map<std::string, Json> by_name;
    for (const Json& entry : flat) {
        by_name[entry.at("param_name")] = entry;
    }
    EXPECT_EQ(by_name.at("a").at("param_value_numeric"), 1);
    EXPECT_EQ(by_name.at("b").at("param_value_numeric"), 1);
    EXPECT_EQ(by_name.at("c").at("param_value_text"), "text");
    EXPECT_EQ(by_name.at("d").at("param_value_text"), "None");
    EXPECT_EQ(by_name.at("e").at("param_value_json"), Json({1, 2}));
    EXPECT_EQ(by_name.at("m.buffer_type").at("param_value_text"), "L1");
    EXPECT_TRUE(by_name.at("a").at("param_value_text").is_null());
}

TEST(ResultFiles, AFilePerSweepAndOneOfTheRun) {
    const ScratchFolder folder;
    std::vector<ResultRecord> results = results_of({Status::PASS, Status::FAIL});
    results[1].sweep_name = "ttnn.add";
    results[1].exception = "wrong";
    SweepRun run;
    run.host = std::string(40, 'h');
    run.contents = "all_sweeps";
    run.finished = "2026-01-15T10:46:16.000Z";
    const auto files = write_result_files(folder.path(), run, results, "20260115_104616");
    ASSERT_EQ(files.size(), 3U);
    // hashlib.sha256(name.encode()).hexdigest()[:12]
    EXPECT_EQ(files[1].filename(), "ttnn_c2d8926442ce_20260115_104616.json");
    EXPECT_TRUE(files[0].filename().string().starts_with("eltwise_"));
    EXPECT_TRUE(files[2].filename().string().starts_with("oprun_" + std::string(32, 'h') + "_"));
    std::ifstream in(files[2]);
    const Json whole = Json::parse(in);
    EXPECT_EQ(whole.at("status"), "fail");
    EXPECT_EQ(whole.at("tests").size(), 2U);
    EXPECT_EQ(whole.at("tests")[1].at("error_message"), "wrong");
    EXPECT_EQ(whole.at("tests")[0].at("error_message"), "None");
    EXPECT_EQ(write_result_files(folder.path(), run, results, "20260115_104616").size(), 3U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 6) << "nothing is overwritten";
}

}  // namespace
}  // namespace tracelift
