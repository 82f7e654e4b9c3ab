#include "tracelift/cli/pager.hpp"

#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace tracelift::cli {

Pager::Pager() {
    if (isatty(STDOUT_FILENO) == 0) {
        return;
    }
    const char* wanted = std::getenv("PAGER");
    setenv("LESS", "FRX", /*overwrite=*/0);  // stays out of the way of what fits on the screen
    std::signal(SIGPIPE, SIG_IGN);           // leaving the pager early is no error
    std::fflush(stdout);
    std::FILE* pipe = popen(wanted != nullptr && *wanted != '\0' ? wanted : "less", "w");
    out_ = pipe != nullptr ? pipe : stdout;
}

Pager::~Pager() {
    if (out_ != stdout) {
        pclose(out_);
    }
}

}  // namespace tracelift::cli
