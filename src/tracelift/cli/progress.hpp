// How far long work is: one line that is rewritten on a terminal, elsewhere a line every ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace tracelift::cli {

class Progress {
public:
    using Clock = std::chrono::steady_clock;
    struct Output {
        std::FILE* file = stderr;
        bool terminal = false;
        std::function<Clock::time_point()> now = Clock::now;
        static Output standard_error();
    };

    // `unit` is what is counted, "configurations"; a total of 0 is not known.
    Progress(std::string unit, uint64_t total, Output output = Output::standard_error());
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance(std::string_view what) { reach(done_ + 1, what); }
    void reach(uint64_t done, std::string_view what = {});
    void tick();    // nothing new, but time goes by
    void finish();  // clears the line; call it before anything else is printed

private:
    std::string text() const;
    std::string unit_;
    uint64_t total_;
    Output output_;
    uint64_t done_ = 0;
    std::string what_;
    bool shown_ = false;
    Clock::time_point told_;
};

}  // namespace tracelift::cli
