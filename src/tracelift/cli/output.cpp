#include "tracelift/cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace tracelift::cli {

int finish_output(int status) {
    errno = 0;
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (written || status != 0) {  // a command that failed has said why
        return status;
    }
    return lost_output(errno != 0 ? std::strerror(errno) : "");
}

int lost_output(const std::string& reason) {
    fmt::print(stderr, "tracelift: standard output could not be written{}{}\n", reason.empty() ? "" : ": ", reason);
    return 1;
}

}  // namespace tracelift::cli
