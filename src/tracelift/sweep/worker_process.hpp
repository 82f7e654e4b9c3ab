// WorkerProcess: the pool's end of one worker; its process, its pipes, its memory. Never waits. What the worker started
// itself ends with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include "tracelift/sweep/pipe.hpp"

namespace tracelift {

class WorkerProcess {
public:
    // Throws std::system_error that names the command.
    explicit WorkerProcess(const std::vector<std::string>& command);
    // Kills the process if it still runs.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    // Appends what poll(2) should wait for.
    void add_events(std::vector<pollfd>& events) const;
    // Moves what can be moved through the pipes and looks whether the process has ended.
    void pump();
    // Queues a line for its stdin.
    void send(const std::string& line) { outgoing_ += line; }
    // A whole line of its replies, without the end.
    std::optional<std::string> next_reply();

    // Asks it to finish: its stdin ends. What was not sent yet is dropped.
    void close_input() { input_.reset(); }
    void kill();
    // After this nothing more comes from it.
    bool ended() const { return ended_; }
    // Of an ended one: "was killed by SIGABRT (Aborted)", "exited with status 3".
    std::string how_it_ended() const;
    bool ended_by_sigkill() const;
    uint64_t resident_bytes() const;
    // The same with what it started, as long as that is more than `enough`; pages that processes share count once.
    uint64_t bytes_with_children(uint64_t enough) const;

    // The last line that is not blank of what it wrote to stdout and stderr since forget_output.
    std::string last_output() const;
    void forget_output() { output_.clear(); }

private:
    void flush();
    void reap();
    void end_group() const;

    pid_t pid_ = -1;
    Fd death_;    // readable once the process has ended
    Fd input_;    // its stdin
    Fd replies_;  // its worker_reply_fd
    Fd errors_;   // its stdout and stderr
    std::string outgoing_;
    std::string incoming_;
    std::string output_;
    bool ended_ = false;
    int wait_status_ = 0;  // as waitpid(2) gives it
};

}  // namespace tracelift
