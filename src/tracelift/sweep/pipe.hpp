// Fd and Pipe: file descriptors with an owner, and the ways between a pool and its workers.
#pragma once

namespace tracelift {

// A file descriptor that is closed with its owner.
class Fd {
public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    ~Fd() { reset(); }
    Fd(Fd&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
    Fd& operator=(Fd&& other) noexcept;
    int get() const { return fd_; }
    void reset();

private:
    int fd_;
};

struct Pipe {
    Fd here;   // never blocks
    Fd there;  // for the worker
};

// Both ends close on exec. Throw std::system_error.
Pipe make_pipe_from_worker();
Pipe make_pipe_to_worker();

}  // namespace tracelift
