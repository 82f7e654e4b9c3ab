#include "tracelift/cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/cli/numbers.hpp"

namespace tracelift::cli {
namespace {

using namespace std::chrono_literals;

// A progress with a clock of its own that writes into memory.
class ProgressTest : public testing::Test {
protected:
    ~ProgressTest() override {
        std::fclose(file_);
        std::free(text_);
    }
    Progress::Output output(bool terminal) {
        return {file_, terminal, [this] { return now_; }};
    }
    std::string written() {
        std::fflush(file_);
        return {text_, size_};
    }

    char* text_ = nullptr;
    size_t size_ = 0;
    std::FILE* file_ = open_memstream(&text_, &size_);
    Progress::Clock::time_point now_{};
};

TEST_F(ProgressTest, TheLineOfATerminalIsClearedBeforeAnythingElseIsPrinted) {
    Progress progress("configurations", 1200, output(true));
    progress.advance("ttnn::add");
    EXPECT_EQ(written(), "\r\033[K1 of 1,200 configurations: ttnn::add");
    progress.finish();
    EXPECT_EQ(written(), "\r\033[K1 of 1,200 configurations: ttnn::add\r\033[K");
    progress.finish();
    EXPECT_TRUE(written().ends_with("add\r\033[K"));
}

TEST_F(ProgressTest, TheLineOfATerminalIsNeverWrapped) {
    Progress progress("configurations", 9, output(true));
    progress.advance(std::string(300, 'x'));
    EXPECT_EQ(written(), "\r\033[K1 of 9 configurations: " + std::string(79 - 23, 'x'));
}

TEST_F(ProgressTest, ElsewhereALineIsPrintedEveryTenSeconds) {
    {
        Progress progress("configurations", 0, output(false));
        progress.advance("a");
        now_ += 9s;
        progress.advance("b");
        progress.tick();
        EXPECT_EQ(written(), "");
        now_ += 1s;
        progress.tick();
        EXPECT_EQ(written(), "2 configurations: b\n");
        now_ += 10s;
        progress.reach(5000);
        now_ += 9s;
        progress.reach(6000);
    }
    EXPECT_EQ(written(), "2 configurations: b\n5,000 configurations\n");
}

TEST(Grouped, PutsACommaAfterEveryThirdDigit) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(234567), "234,567");
    EXPECT_EQ(grouped(1234567890), "1,234,567,890");
}

}  // namespace
}  // namespace tracelift::cli
