#include "tracelift/cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tracelift/cli/numbers.hpp"

namespace tracelift::cli {
namespace {

constexpr std::chrono::seconds between_lines{10};
constexpr std::chrono::milliseconds between_updates{50};  // of a terminal's line: more is only work

// How much of a text fits into one line: what is wrapped could not be written over.
size_t room_on(std::FILE* terminal) {
    constexpr size_t usual = 80;
    winsize size{};
    const bool known = ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (known ? size.ws_col : usual) - 1;
}

}  // namespace

Progress::Output Progress::Output::standard_error() { return {stderr, isatty(STDERR_FILENO) != 0, Clock::now}; }

Progress::Progress(std::string unit, uint64_t total, Output output)
    : unit_(std::move(unit)), total_(total), output_(std::move(output)), told_(output_.now()) {}

std::string Progress::text() const {
    const std::string count = total_ == 0 ? grouped(done_) : fmt::format("{} of {}", grouped(done_), grouped(total_));
    return fmt::format("{} {}{}{:.200}", count, unit_, what_.empty() ? "" : ": ", what_);
}

void Progress::reach(uint64_t done, std::string_view what) {
    done_ = done;
    what_ = what;
    const auto now = output_.now();
    if (output_.terminal && (!shown_ || now - told_ >= between_updates)) {
        fmt::print(output_.file, "\r\033[K{:.{}}", text(), room_on(output_.file));
        std::fflush(output_.file);
        shown_ = true;
        told_ = now;
        return;
    }
    tick();
}

void Progress::tick() {
    const auto now = output_.now();
    if (!output_.terminal && now - told_ >= between_lines) {
        fmt::print(output_.file, "{}\n", text());
        std::fflush(output_.file);
        told_ = now;
    }
}

void Progress::finish() {
    if (shown_) {
        fmt::print(output_.file, "\r\033[K");
        std::fflush(output_.file);
        shown_ = false;
    }
}

}  // namespace tracelift::cli
