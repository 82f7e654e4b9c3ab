// LineFile: lines of many writers, some of which die.
#include "tracelift/calls/line_file.hpp"

#include <array>
#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class LineFileTest : public FolderTest {
protected:
    std::filesystem::path path_ = folder_ / "deeper" / "lines.txt";
};

TEST_F(LineFileTest, LineIsThereBeforeItIsFinished) {
    LineFile file(path_);
    const uint64_t ticket = file.begin("begun\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("begun"));
    file.finish(ticket, "a much longer line than before\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("a much longer line than before"));
}

TEST_F(LineFileTest, ShorterLineLeavesNothingBehind) {
    LineFile file(path_);
    file.finish(file.begin("a line that will be short\n"), "x\n");
    EXPECT_EQ(text_of(path_), "x\n");
}

TEST_F(LineFileTest, FinishedLinesStandInTheOrderOfFinishing) {
    LineFile file(path_);
    const uint64_t outer = file.begin("outer begun\n");
    const uint64_t inner = file.begin("inner begun\n");
    const uint64_t other = file.begin("other\n");
    file.finish(inner, "inner\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("outer begun", "other", "inner"));
    file.finish(outer, "outer, with more to say\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("other", "inner", "outer, with more to say"));
    file.finish(other, "o\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("inner", "outer, with more to say", "o"));
}

TEST_F(LineFileTest, AppendsToWhatIsThereAndEndsACutOffLine) {
    std::filesystem::create_directories(path_.parent_path());
    std::ofstream(path_) << "whole\ncut o";
    LineFile file(path_);
    file.begin("new\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("whole", "cut o", "new"));
}

TEST_F(LineFileTest, ALinkKeepsPointing) {
    std::filesystem::create_directories(path_.parent_path());
    std::filesystem::create_symlink("elsewhere.txt", path_);
    {
        LineFile file(path_);
        file.finish(file.begin("begun\n"), "done\n");
    }
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_EQ(text_of(path_.parent_path() / "elsewhere.txt"), "done\n");
}

// Nothing can be replaced in a pipe: it gets final lines only, and at the end those that never became final.
TEST_F(LineFileTest, APipeGetsFinalLines) {
    std::filesystem::create_directories(path_.parent_path());
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const auto read_all = [&] {
        std::array<char, 256> buffer{};
        const ssize_t size = read(reader, buffer.data(), buffer.size());
        return std::string(buffer.data(), size > 0 ? static_cast<size_t>(size) : 0);
    };
    {
        LineFile file(path_);
        const uint64_t first = file.begin("first begun\n");
        const uint64_t second = file.begin("second begun\n");
        file.begin("third begun\n");
        EXPECT_EQ(read_all(), "");
        file.finish(second, "second\n");
        file.finish(first, "first\n");
        EXPECT_EQ(read_all(), "second\nfirst\n");
    }
    EXPECT_EQ(read_all(), "third begun\n");
    close(reader);
    EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

// The descriptor keeps its place: what others write to it before and after stays.
TEST_F(LineFileTest, ADescriptorIsWrittenInto) {
    const std::filesystem::path target = folder_ / "output.txt";
    const int descriptor = open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(write(descriptor, "before\n", 7), 7);
    {
        LineFile file(fmt::format("/proc/self/fd/{}", descriptor));
        file.finish(file.begin("begun\n"), "line\n");
    }
    ASSERT_EQ(write(descriptor, "after\n", 6), 6);
    close(descriptor);
    EXPECT_EQ(text_of(target), "before\nline\nafter\n");
}

TEST_F(LineFileTest, ThreadsDoNotMix) {
    constexpr int threads = 8, each = 300;
    {
        LineFile file(path_);
        std::vector<std::thread> workers;
        for (int t = 0; t < threads; ++t) {
            workers.emplace_back([&, t] {
                for (int i = 0; i < each; ++i) {
                    const uint64_t ticket = file.begin("begun\n");
                    file.finish(ticket, fmt::format("{} {} {}\n", t, i, std::string(i % 50, 'x')));
                }
            });
        }
        for (auto& worker : workers) {
            worker.join();
        }
    }
    std::map<int, int> next;
    for (const std::string& line : lines_of(path_)) {
        std::istringstream fields(line);
        int thread = -1, number = -1;
        fields >> thread >> number;
        EXPECT_EQ(number, next[thread]++) << line;  // each thread's own lines are in order
    }
    EXPECT_EQ(next.size(), threads);
    for (const auto& [thread, count] : next) {
        EXPECT_EQ(count, each);
    }
}

// Runs `work` in a child and gives its end.
template <class Work>
pid_t in_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    return child;
}
int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(LineFileTest, ProcessesLoseAndDoubleNothing) {
    constexpr int processes = 8, each = 200;
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) {
        children.push_back(in_child([&] {
            LineFile file(path_);
            for (int i = 0; i < each; ++i) {
                file.finish(file.begin("begun\n"), fmt::format("{}-{}\n", p, i));
            }
        }));
    }
    for (const pid_t child : children) {
        EXPECT_EQ(wait_for(child), 0);
    }
    std::multiset<std::string> expected;
    for (int p = 0; p < processes; ++p) {
        for (int i = 0; i < each; ++i) {
            expected.insert(fmt::format("{}-{}", p, i));
        }
    }
    const auto lines = lines_of(path_);
    EXPECT_EQ(std::multiset<std::string>(lines.begin(), lines.end()), expected);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_.parent_path()), {}), 1);  // no part is left
}

TEST_F(LineFileTest, KilledProcessKeepsItsLines) {
    const pid_t child = in_child([&] {
        LineFile file(path_);
        file.finish(file.begin("begun\n"), "finished\n");
        file.begin("in the middle\n");
        std::raise(SIGKILL);
    });
    EXPECT_TRUE(WIFSIGNALED(wait_for(child)));
    EXPECT_THAT(lines_of(path_), ElementsAre("finished", "in the middle"));
}

TEST_F(LineFileTest, PartOfAKilledProcessIsTakenIn) {
    auto first = std::make_unique<LineFile>(path_);
    first->begin("first\n");
    const pid_t child = in_child([&] {
        LineFile second(path_);
        second.begin("of the killed\n");
        std::raise(SIGKILL);
    });
    EXPECT_TRUE(WIFSIGNALED(wait_for(child)));
    EXPECT_THAT(lines_of(path_), ElementsAre("first"));
    first.reset();
    EXPECT_THAT(lines_of(path_), ElementsAre("first", "of the killed"));
}

TEST_F(LineFileTest, PartOfAKilledProcessIsTakenInByTheNextWriter) {
    std::filesystem::create_directories(path_.parent_path());
    std::ofstream(path_.string() + ".1-0.part") << "left behind\n";
    LineFile file(path_);
    file.begin("new\n");
    EXPECT_THAT(lines_of(path_), ElementsAre("left behind", "new"));
}

TEST_F(LineFileTest, SecondWriterOfTheSameProcessHasAPartToo) {
    {
        LineFile first(path_);
        LineFile second(path_);
        first.begin("1\n");
        second.begin("2\n");
        EXPECT_THAT(lines_of(path_), ElementsAre("1"));
    }
    EXPECT_THAT(lines_of(path_), UnorderedElementsAre("1", "2"));
}

TEST_F(LineFileTest, NamesTheFileThatCannotBeMade) {
    std::ofstream(folder_ / "deeper") << "a file where a folder should be";
    try {
        LineFile file(path_);
        FAIL() << "it was made";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("lines.txt"));
    }
}

}  // namespace
}  // namespace tracelift
