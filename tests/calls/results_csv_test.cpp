// Rows of results, as other programs read them.
#include "tracelift/calls/results_csv.hpp"

#include <array>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.hpp"

namespace tracelift {
namespace {

class ResultsCsvTest : public FolderTest {
protected:
    // RFC 4180, written apart from the writer: records of fields.
    static std::vector<std::vector<std::string>> parse(const std::string& text) {
        std::vector<std::vector<std::string>> records(1);
        records.back().emplace_back();
        bool quoted = false;
        for (size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (quoted) {
                if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                    records.back().back() += '"';
                    ++i;
                } else if (c == '"') {
                    quoted = false;
                } else {
                    records.back().back() += c;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',') {
                records.back().emplace_back();
            } else if (c == '\r' && text[i + 1] == '\n') {
                ++i;
                records.emplace_back();
                records.back().emplace_back();
            } else {
                records.back().back() += c;
            }
        }
        records.pop_back();
        return records;
    }

    std::filesystem::path path_ = folder_ / "results.csv";
};

TEST_F(ResultsCsvTest, ALinkKeepsPointing) {
    std::filesystem::create_symlink("elsewhere.csv", path_);
    append_result(path_, {{"test_nodeid", "a.py::test_a"}});
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_EQ(parse(text_of(folder_ / "elsewhere.csv")).size(), 2);
}

// Its reader sees neither a second header nor an end before the last row.
TEST_F(ResultsCsvTest, APipeGetsTheHeaderOnceThenRows) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    std::string text;
    std::array<char, 4096> buffer{};
    for (const char* name : {"a.py::test_a", "a.py::test_b"}) {
        append_result(path_, {{"test_nodeid", name}});
        const ssize_t size = read(reader, buffer.data(), buffer.size());
        ASSERT_GT(size, 0);
        text.append(buffer.data(), static_cast<size_t>(size));
        EXPECT_EQ(read(reader, buffer.data(), buffer.size()), -1);  // nothing there yet; 0 would be the end
    }
    close(reader);
    const auto records = parse(text);
    ASSERT_EQ(records.size(), 3);
    EXPECT_EQ(records[0][0], "test_nodeid");
    EXPECT_EQ(records[1][0], "a.py::test_a");
    EXPECT_EQ(records[2][0], "a.py::test_b");
}

TEST_F(ResultsCsvTest, HeaderOnceThenRows) {
    append_result(path_, {{"test_nodeid", "a.py::test_a"}, {"outcome", "passed"}});
    append_result(path_, {{"test_nodeid", "a.py::test_b"}, {"mesh_shape", "(4, 8)"}, {"outcome", "failed"}});
    const auto records = parse(text_of(path_));
    ASSERT_EQ(records.size(), 3);
    // The columns of the specification, in its order.
    EXPECT_THAT(records[0],
                testing::ElementsAre("test_nodeid", "module", "mode", "seq_len", "batch_size", "hf_max_seq_len",
                                     "mesh_shape", "mesh_num_devices", "weights_type", "module_path", "metrics_json",
                                     "outcome", "duration_sec", "error", "run_id", "session_timestamp", "hostname",
                                     "git_commit", "ttnn_version", "start_timestamp", "end_timestamp"));
    EXPECT_EQ(records[1][0], "a.py::test_a");
    EXPECT_EQ(records[1][11], "passed");
    EXPECT_EQ(records[1][1], "");
    EXPECT_EQ(records[2][6], "(4, 8)");
    for (const auto& record : records) {
        EXPECT_EQ(record.size(), 21);
    }
}

TEST_F(ResultsCsvTest, QuotesWhatNeedsIt) {
    const std::string error = "line one\nline \"two\", with a comma\r\nthree";
    append_result(path_, {{"test_nodeid", "t[a,b]"}, {"error", error}, {"metrics_json", R"([{"type":"pcc"}])"}});
    const auto records = parse(text_of(path_));
    ASSERT_EQ(records.size(), 2);
    EXPECT_EQ(records[1][0], "t[a,b]");
    EXPECT_EQ(records[1][10], R"([{"type":"pcc"}])");
    EXPECT_EQ(records[1][13], error);
}

TEST_F(ResultsCsvTest, RefusesAColumnThatDoesNotExist) {
    EXPECT_THROW(append_result(path_, {{"outcom", "passed"}}), std::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ResultsCsvTest, ProcessesAppendWholeRowsUnderOneHeader) {
    constexpr int processes = 8, each = 100;
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) {
        children.push_back(fork());
        if (children.back() == 0) {
            for (int i = 0; i < each; ++i) {
                append_result(path_, {{"test_nodeid", fmt::format("{}-{}", p, i)}, {"error", "a\nb"}});
            }
            _exit(0);
        }
    }
    for (const pid_t child : children) {
        int status = 1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    const auto records = parse(text_of(path_));
    ASSERT_EQ(records.size(), 1 + processes * each);
    for (size_t i = 1; i < records.size(); ++i) {
        EXPECT_EQ(records[i].size(), 21);
        EXPECT_EQ(records[i][13], "a\nb");
    }
}

}  // namespace
}  // namespace tracelift
