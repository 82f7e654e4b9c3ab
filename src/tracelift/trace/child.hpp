// A child process that is run to its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tracelift {

struct ChildOptions {
    std::vector<std::pair<std::string, std::string>> environment;  // added to ours
    bool output_to_stderr = false;                                 // keeps standard output free for JSON
};

struct ChildEnd {
    int exit_status = 0;  // meaningless when `signal` is set
    int signal = 0;
    bool started = true;
    bool ok() const { return started && signal == 0 && exit_status == 0; }
    std::string text() const;  // "exit status 1", "killed by SIGABRT"
};

// The child dies with us. SIGINT and SIGTERM end the child alone, so that we can keep what it left.
ChildEnd run_child(const std::vector<std::string>& command, const ChildOptions& options);

}  // namespace tracelift
