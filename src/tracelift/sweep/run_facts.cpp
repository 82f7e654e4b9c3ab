#include "tracelift/sweep/run_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/ranges.h>
#include <unistd.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/trace/git_commit.hpp"
#include "ttnn/device/board.hpp"

namespace tracelift {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// The first line of what a command prints; empty where it fails.
std::string line_of(const char* command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
    std::array<char, 256> line{};
    if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) {
        return {};
    }
    std::string text = line.data();
    text.erase(text.find_last_not_of("\r\n") + 1);
    return text;
}

// What the first processor has under this name; empty where there is no such line.
std::string processor_fact(std::string_view name) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name)) {
            return line.substr(std::min(line.find(':') + 2, line.size()));
        }
    }
    return {};
}

std::string card_type(const std::string& board) {
    try {
        const BoardText text = BoardText::parse(board);
        const ttnn::Board found = ttnn::find_board(text.board.empty() ? "n150" : text.board);
        std::string arch(ttnn::member_name(found.arch));
        std::ranges::transform(arch, arch.begin(), [](unsigned char c) { return std::tolower(c); });
        return fmt::format("{} ({})", arch, BoardText{found.name, text.mesh}.to_string());
    } catch (const std::exception&) {
        return board;
    }
}

}  // namespace

std::string processor_name() {
    const std::string name = processor_fact("model name");
    return name.empty() ? "unknown" : name;
}

std::string vector_extensions() {
    std::istringstream flags(processor_fact("flags") + " " + processor_fact("Features"));  // Arm has the second
    std::set<std::string> found;
    for (std::string flag; flags >> flag;) {
        constexpr std::string_view kinds[] = {"sse4", "avx", "fma", "amx", "asimd", "sve"};
        if (std::ranges::any_of(kinds, [&](std::string_view kind) { return flag.starts_with(kind); })) {
            found.insert(flag);
        }
    }
    return fmt::format("{}", fmt::join(found, " "));
}

SweepRun run_of_now(const std::string& command, const std::string& contents, const std::string& board) {
    SweepRun run;
    run.started = utc_instant();
    run.version = TRACELIFT_VERSION;
    run.command = command;
    run.contents = contents;
    run.host = host_name();
    run.card_type = card_type(board);
    run.git_commit = git_commit_of(std::filesystem::current_path());
    if (!run.git_commit.empty()) {
        run.git_branch = line_of("git rev-parse --abbrev-ref HEAD 2>/dev/null");
        run.git_author = line_of("git log -1 --format=%an 2>/dev/null");
    }
    const Json environment{{"processor", processor_name()}, {"processors", std::thread::hardware_concurrency()}};
    run.environment = environment.dump(-1, ' ', false, Json::error_handler_t::replace);
    return run;
}

}  // namespace tracelift
