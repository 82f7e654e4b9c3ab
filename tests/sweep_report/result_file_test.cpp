#include "tracelift/sweep_report/result_file.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ResultFile : public testing::Test {
protected:
    ResultFile() : folder_(fs::temp_directory_path() / fmt::format("result_file_{}", getpid())) {
        fs::create_directories(folder_);
    }
    ~ResultFile() override { fs::remove_all(folder_); }

    fs::path write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        // Times of files are too coarse to tell which of two was written later.
        fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() + std::chrono::seconds(++written_));
        return folder_ / name;
    }
    static std::string record(const std::string& id, const std::string& status, const std::string& exception = "null") {
        return fmt::format(
            R"({{"full_test_name": "eltwise.unary.exp.exp", "test_start_ts": "2026-01-15T10:46:16.500Z",
                "test_end_ts": "2026-01-15T10:46:17.750Z", "test_case_name": "nightly", "error_message": "None",
                "model_name": "n/a", "status": "{}", "input_hash": "{}", "message": "0.9998", "exception": {},
                "metrics": [{{"metric_name": "e2e_perf_ms", "metric_value": 2.5}}],
                "op_params_set": [{{"param_name": "dim", "param_value_numeric": 3.0, "param_value_text": null,
                                   "param_value_json": null}}]}})",
            status, id, exception);
    }

    fs::path folder_;
    int written_ = 0;
};

TEST_F(ResultFile, RecordsAreReadWhole) {
    const ResultSet set = read_result_file(write("eltwise_0_1.json", "[" + record("abc", "pass") + "]"));
    ASSERT_EQ(set.results.size(), 1);
    const ResultRecord& read = set.results.front();
    EXPECT_EQ(read.vector_id, "abc");
    EXPECT_EQ(read.sweep_name, "eltwise.unary.exp.exp");
    EXPECT_EQ(read.suite, "nightly");
    EXPECT_EQ(read.status, Status::PASS);
    EXPECT_EQ(read.pcc, 0.9998);
    EXPECT_DOUBLE_EQ(read.milliseconds, 1250);
    EXPECT_EQ(read.exception, "");
    EXPECT_EQ(read.source, "");
    ASSERT_EQ(read.metrics.size(), 1);
    EXPECT_EQ(read.metrics[0].value, 2.5);
    EXPECT_EQ(read.parameters.dump(), R"({"dim":3.0})");
}

TEST_F(ResultFile, EveryWordOfFilesIsAStatus) {
    const std::pair<std::string, Status> words[] = {{"pass", Status::PASS},
                                                    {"fail_assert_exception", Status::FAIL},
                                                    {"fail_crash_hang", Status::FAIL_CRASH},
                                                    {"skipped", Status::NOT_RUN},
                                                    {"fail_l1_out_of_mem", Status::OUT_OF_MEMORY},
                                                    {"fail_watcher", Status::FAIL_WATCHER},
                                                    {"fail_unsupported_device_perf", Status::FAIL_DEVICE_PERF},
                                                    {"xfail", Status::XFAIL},
                                                    {"xpass", Status::XPASS},
                                                    {"not_judged", Status::NOT_JUDGED}};
    for (const auto& [word, status] : words) {
        EXPECT_EQ(read_result_file(write("a_0_1.json", "[" + record("v", word) + "]")).results[0].status, status)
            << word;
    }
    const auto hang =
        write("a_0_1.json", "[" + record("v", "fail_crash_hang", "\"TEST TIMED OUT (CRASH / HANG)\"") + "]");
    EXPECT_EQ(read_result_file(hang).results[0].status, Status::FAIL_TIMEOUT);
}

TEST_F(ResultFile, ErrorsNameFileRecordAndExpectation) {
    const auto message = [](const fs::path& file) -> std::string {
        try {
            read_result_file(file);
        } catch (const ResultFileError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(message(write("a.json", "[" + record("v", "pass") + "," + record("v", "fine") + "]")),
                HasSubstr("a.json: record 2: 'fine' is not a status"));
    EXPECT_THAT(message(write("b.json", "[1")), HasSubstr("b.json: not JSON"));
    EXPECT_THAT(message(write("c.json", "{}")), HasSubstr("c.json: not a result file: a list of records is expected"));
    EXPECT_THAT(message(write("d.json", "[7]")), HasSubstr("d.json: record 1: must be an object"));
    EXPECT_THAT(message(folder_ / "e.json"), HasSubstr("e.json: cannot be read"));
}

TEST_F(ResultFile, OfAFolderTheNewestRunCountsWithAllItsTests) {
    write("eltwise_0_old.json", "[" + record("old", "pass") + "]");
    write("data_1_new.json", "[" + record("one", "pass") + "]");
    write("eltwise_0_new.json", "[" + record("two", "pass") + "]");
    EXPECT_EQ(read_results({.folder = folder_}).results[0].vector_id, "two");
    write("oprun_host_0_new.json", fmt::format(R"({{"host": "h", "run_contents": "all_sweeps", "run_start_ts":
        "2026-01-15T10:00:00Z", "run_end_ts": "2026-01-15T10:00:05Z", "git_sha": "abc", "tests": [{}, {}]}})",
                                               record("one", "pass"), record("two", "pass")));
    const ResultSet set = read_results({.folder = folder_});
    EXPECT_EQ(set.results.size(), 2);
    EXPECT_TRUE(set.has_run);
    EXPECT_EQ(set.run.git_commit, "abc");
    EXPECT_EQ(set.run.host, "h");
}

TEST_F(ResultFile, AnEmptyFolderIsAnError) { EXPECT_THROW(read_results({.folder = folder_}), ResultFileError); }

TEST(PlainNumber, IsANumberAndNothingElse) {
    EXPECT_EQ(plain_number("0.5"), 0.5);
    EXPECT_EQ(plain_number("1e-3"), 1e-3);
    EXPECT_FALSE(plain_number(""));
    EXPECT_FALSE(plain_number("PCC 0.5"));
    EXPECT_FALSE(plain_number("1.2.3"));
    EXPECT_FALSE(plain_number("nan"));
}

TEST(Milliseconds, OfTimestamps) {
    EXPECT_EQ(milliseconds_of("1970-01-02T00:00:01.5Z"), 86'401'500);
    EXPECT_EQ(milliseconds_of("2000-03-01 00:00:00"), 951'868'800'000);
    EXPECT_FALSE(milliseconds_of("yesterday, at about noon"));
    EXPECT_FALSE(milliseconds_of(""));
}

}  // namespace
}  // namespace tracelift
