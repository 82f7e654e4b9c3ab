#include "tracelift/cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace tracelift::cli {

int finish_output(int status) {
    errno = 0;
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (written || status != 0) {  // a command that failed has said why
        return status;
    }
    fmt::print(stderr, "tracelift: standard output could not be written{}{}\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
    return 1;
}

}  // namespace tracelift::cli
