#include "tracelift/sweep/worker_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelift/sweep/worker.hpp"

namespace tracelift {
namespace {

constexpr size_t kept_output = 4096;
constexpr size_t reads_per_pump = 64;  // a worker that never stops writing must not hold up the others

[[noreturn]] void fail_with(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), what);
}

struct SpawnActions {
    posix_spawn_file_actions_t actions;
    SpawnActions() { posix_spawn_file_actions_init(&actions); }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    void give(const Fd& fd, int number) { posix_spawn_file_actions_adddup2(&actions, fd.get(), number); }
};

// A process group of its own: whatever a worker starts can be ended with it, and the keyboard's signals reach the pool
// alone, which decides.
struct OwnGroup {
    posix_spawnattr_t attributes;
    OwnGroup() {
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    }
    ~OwnGroup() { posix_spawnattr_destroy(&attributes); }
    OwnGroup(const OwnGroup&) = delete;
    OwnGroup& operator=(const OwnGroup&) = delete;
};

pid_t spawn(const std::vector<std::string>& command, SpawnActions& actions) {
    if (command.empty()) {
        fail_with(EINVAL, "cannot start a worker without a command");
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    const OwnGroup group;
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, arguments[0], &actions.actions, &group.attributes, arguments.data(), environ);
    if (error != 0) {
        fail_with(error, fmt::format("cannot start the worker '{}'", fmt::join(command, " ")));
    }
    return pid;
}

// Appends what is there now; closes at the end of the stream, where poll would report it for ever.
void read_available(Fd& fd, std::string& to) {
    char chunk[16384];
    for (size_t i = 0; i < reads_per_pump && fd.get() >= 0; ++i) {
        const ssize_t count = read(fd.get(), chunk, sizeof chunk);
        if (count > 0) {
            to.append(chunk, static_cast<size_t>(count));
        } else if (count == 0) {
            fd.reset();
        } else if (errno != EINTR) {
            return;
        }
    }
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t resident_bytes_of(pid_t pid) {
    const Fd file(open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC));
    char text[128] = {};
    if (file.get() < 0 || read(file.get(), text, sizeof text - 1) <= 0) {
        return 0;
    }
    char* resident = nullptr;
    std::strtoull(text, &resident, 10);  // the whole address space
    return std::strtoull(resident, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// What is shared is divided among those that share it.
uint64_t proportional_bytes_of(pid_t pid) {
    constexpr std::string_view label = "\nPss:";
    constexpr uint64_t kilobyte = 1024;
    const std::string text = text_of(fmt::format("/proc/{}/smaps_rollup", pid));
    const size_t found = text.find(label);
    return found == text.npos ? 0 : std::strtoull(text.c_str() + found + label.size(), nullptr, 10) * kilobyte;
}

// Those that it started itself, by any of its threads.
void add_children_of(pid_t pid, std::vector<pid_t>& to) {
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), gone)) {
        std::istringstream children(text_of(thread.path() / "children"));
        for (pid_t child = 0; children >> child;) {
            to.push_back(child);
        }
    }
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
    Pipe input = make_pipe_to_worker();
    Pipe replies = make_pipe_from_worker();
    Pipe errors = make_pipe_from_worker();
    SpawnActions actions;
    actions.give(input.there, STDIN_FILENO);
    actions.give(errors.there, STDOUT_FILENO);
    actions.give(errors.there, STDERR_FILENO);
    actions.give(replies.there, worker_reply_fd);
    pid_ = spawn(command, actions);
    // Where the kernel has none of these, the pool's regular look at its workers finds the dead.
    death_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    input_ = std::move(input.here);
    replies_ = std::move(replies.here);
    errors_ = std::move(errors.here);
}

WorkerProcess::~WorkerProcess() {
    if (ended_) {
        return;
    }
    kill();
    siginfo_t end{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    end_group();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void WorkerProcess::add_events(std::vector<pollfd>& events) const {
    events.push_back({death_.get(), POLLIN, 0});
    events.push_back({replies_.get(), POLLIN, 0});
    events.push_back({errors_.get(), POLLIN, 0});
    if (!outgoing_.empty()) {
        events.push_back({input_.get(), POLLOUT, 0});
    }
}

void WorkerProcess::pump() {
    flush();
    reap();  // before reading: what is read from a dead process is then all there will be
    read_available(replies_, incoming_);
    read_available(errors_, output_);
    if (output_.size() > kept_output) {
        output_.erase(0, output_.size() - kept_output);
    }
}

void WorkerProcess::flush() {
    while (!outgoing_.empty() && input_.get() >= 0) {
        const ssize_t count = ::send(input_.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
        if (count >= 0) {
            outgoing_.erase(0, static_cast<size_t>(count));
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            outgoing_.clear();  // the reader is gone; its death is noticed elsewhere
        }
    }
}

void WorkerProcess::reap() {
    siginfo_t end{};
    // An error means that somebody else has reaped it: it has ended in any case.
    if (ended_ || (waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == 0)) {
        return;
    }
    end_group();
    waitpid(pid_, &wait_status_, WNOHANG);
    ended_ = true;
    death_.reset();
}

// Before the process is reaped: until then nobody else can get its number.
void WorkerProcess::end_group() const { ::kill(-pid_, SIGKILL); }

std::string WorkerProcess::how_it_ended() const {
    if (!WIFSIGNALED(wait_status_)) {
        return fmt::format("exited with status {}", WEXITSTATUS(wait_status_));
    }
    const int signal = WTERMSIG(wait_status_);
    const char* name = sigabbrev_np(signal);
    return fmt::format("was killed by SIG{} ({})", name != nullptr ? name : std::to_string(signal), strsignal(signal));
}

bool WorkerProcess::ended_by_sigkill() const { return WIFSIGNALED(wait_status_) && WTERMSIG(wait_status_) == SIGKILL; }

std::optional<std::string> WorkerProcess::next_reply() {
    const size_t end = incoming_.find('\n');
    if (end == std::string::npos) {
        return std::nullopt;
    }
    std::string line = incoming_.substr(0, end);
    incoming_.erase(0, end + 1);
    return line;
}

void WorkerProcess::kill() {
    if (!ended_) {
        ::kill(-pid_, SIGKILL);
    }
}

uint64_t WorkerProcess::resident_bytes() const { return resident_bytes_of(pid_); }

uint64_t WorkerProcess::bytes_with_children(uint64_t enough) const {
    std::vector<pid_t> processes{pid_};
    for (size_t i = 0; i < processes.size(); ++i) {
        add_children_of(processes[i], processes);
    }
    uint64_t bytes = 0;
    for (const pid_t process : processes) {
        bytes += resident_bytes_of(process);
    }
    if (processes.size() == 1 || bytes <= enough) {
        return bytes;
    }
    bytes = 0;  // a fork has the pages of its parent: only now it is worth finding out which are its own
    for (const pid_t process : processes) {
        bytes += proportional_bytes_of(process);
    }
    return bytes;
}

std::string WorkerProcess::last_output() const {
    const size_t last = output_.find_last_not_of(" \t\r\n");
    if (last == std::string::npos) {
        return {};
    }
    const size_t before = output_.find_last_of('\n', last);
    const size_t first = before == std::string::npos ? 0 : before + 1;
    return output_.substr(first, last + 1 - first);
}

}  // namespace tracelift
