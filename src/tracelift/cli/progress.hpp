// One line that is rewritten on a terminal, and nothing in a pipe.
#pragma once

#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace tracelift::cli {

class Progress {
public:
    explicit Progress(size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
    ~Progress() {
        if (shown_ && done_ != 0) {
            fmt::print(stderr, "\r\033[K");
        }
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance(std::string_view what) {
        ++done_;
        if (shown_) {
            fmt::print(stderr, "\r\033[K[{}/{}] {:.100}", done_, total_, what);
            std::fflush(stderr);
        }
    }

private:
    size_t total_;
    size_t done_ = 0;
    bool shown_;
};

}  // namespace tracelift::cli
