#include "tracelift/trace/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tracelift {
namespace {

constexpr int cannot_start = 127;

// Everything that needs memory is made before the fork.
struct Prepared {
    std::vector<std::string> texts;
    std::vector<char*> arguments;
    std::vector<char*> environment;
};

Prepared prepare(const std::vector<std::string>& command, const ChildOptions& options) {
    Prepared prepared;
    prepared.texts = command;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto& [key, value] : options.environment) {
            replaced = replaced || key == name;
        }
        if (!replaced) {
            prepared.texts.emplace_back(text);
        }
    }
    for (const auto& [key, value] : options.environment) {
        prepared.texts.push_back(fmt::format("{}={}", key, value));
    }
    for (size_t i = 0; i < prepared.texts.size(); ++i) {
        (i < command.size() ? prepared.arguments : prepared.environment).push_back(prepared.texts[i].data());
    }
    prepared.arguments.push_back(nullptr);
    prepared.environment.push_back(nullptr);
    return prepared;
}

[[noreturn]] void become(const Prepared& prepared, bool output_to_stderr) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (output_to_stderr) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
    _exit(cannot_start);
}

volatile pid_t running_child = 0;

// The keyboard's interrupt reaches the child by itself; what was sent to us alone is passed on.
void pass_on(int signal, siginfo_t* info, void*) {
    const bool from_terminal = info->si_code > 0;
    if (running_child > 0 && !from_terminal) {
        kill(running_child, signal);
    }
}

// While a child runs, signals that would end us are its affair: we stay to keep what it left.
class SignalsToChild {
public:
    SignalsToChild() {
        struct sigaction action {};
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(SIGINT, &action, &interrupt_);
        sigaction(SIGTERM, &action, &terminate_);
    }
    ~SignalsToChild() {
        running_child = 0;
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
    }
    SignalsToChild(const SignalsToChild&) = delete;
    SignalsToChild& operator=(const SignalsToChild&) = delete;

private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
};

}  // namespace

std::string ChildEnd::text() const {
    if (!started) {
        return "it could not be started";
    }
    return signal != 0 ? fmt::format("killed by SIG{}", sigabbrev_np(signal))
                       : fmt::format("exit status {}", exit_status);
}

ChildEnd run_child(const std::vector<std::string>& command, const ChildOptions& options) {
    const Prepared prepared = prepare(command, options);
    const SignalsToChild signals;
    const pid_t pid = fork();
    if (pid == 0) {
        become(prepared, options.output_to_stderr);
    }
    running_child = pid;
    int status = 0;
    pid_t ended = -1;
    if (pid > 0) {
        do {
            ended = waitpid(pid, &status, 0);
        } while (ended < 0 && errno == EINTR);
    }
    if (ended != pid || pid < 0) {
        return {.started = false};
    }
    if (WIFSIGNALED(status)) {
        return {.signal = WTERMSIG(status)};
    }
    const int code = WEXITSTATUS(status);
    return {.exit_status = code, .started = code != cannot_start};
}

}  // namespace tracelift
