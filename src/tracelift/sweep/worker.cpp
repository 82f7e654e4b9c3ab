#include "tracelift/sweep/worker.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tracelift/sweep/execute.hpp"

namespace tracelift {
namespace {

// What goes wrong in a worker shall end the worker and nothing else.
void become_expendable() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::ofstream("/proc/self/oom_score_adj") << 1000;
    const rlimit no_core{0, 0};  // crashes are expected here; a dump of gigabytes for each is not wanted
    setrlimit(RLIMIT_CORE, &no_core);
}

void reply(const Json& json) {
    const std::string line = to_line(json);
    for (std::string_view rest = line; !rest.empty();) {
        const ssize_t count = write(worker_reply_fd, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<size_t>(count));
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "cannot write a reply");
        }
    }
}

void serve() {
    for (std::string line; std::getline(std::cin, line);) {
        const CallRequest request = request_from_json(Json::parse(line));
        reply({{"start", request.id}});
        reply(to_json(execute(request)));
    }
}

}  // namespace

int run_worker() {
    become_expendable();
    fcntl(worker_reply_fd, F_SETFD, FD_CLOEXEC);
    try {
        serve();
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}

int become_worker(std::vector<std::string> command) {
    become_expendable();
    std::vector<char*> arguments;
    for (std::string& argument : command) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    std::cerr << "cannot start '" << command[0] << "': " << std::strerror(errno) << std::endl;
    return 127;
}

}  // namespace tracelift
