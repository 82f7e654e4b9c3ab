#include "tracelift/sweep/pipe.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tracelift {
namespace {

[[noreturn]] void fail_with_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Above every descriptor that a worker is given, so that setting up one of them cannot overwrite another.
Fd moved_up(const Fd& fd) {
    Fd high(fcntl(fd.get(), F_DUPFD_CLOEXEC, 16));
    if (high.get() < 0) {
        fail_with_errno("no file descriptor left for a worker");
    }
    return high;
}

Pipe make_pipe(int created, const int (&ends)[2]) {
    if (created != 0) {
        fail_with_errno("cannot make a pipe for a worker");
    }
    const Fd here(ends[0]);
    const Fd there(ends[1]);
    Pipe pipe{moved_up(here), moved_up(there)};
    fcntl(pipe.here.get(), F_SETFL, fcntl(pipe.here.get(), F_GETFL) | O_NONBLOCK);
    return pipe;
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

void Fd::reset() {
    if (fd_ >= 0) {
        close(std::exchange(fd_, -1));
    }
}

Pipe make_pipe_from_worker() {
    int ends[2] = {-1, -1};
    const int created = pipe2(ends, O_CLOEXEC);
    return make_pipe(created, ends);
}

// A socket, because writing to a pipe whose reader has died raises SIGPIPE.
Pipe make_pipe_to_worker() {
    int ends[2] = {-1, -1};
    const int created = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    return make_pipe(created, ends);
}

}  // namespace tracelift
