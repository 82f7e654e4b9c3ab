#include "tracelift/calls/results_csv.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/destination.hpp"
#include "tracelift/calls/call_tracing.hpp"

namespace tracelift {
namespace {

// RFC 4180: quotation marks around what contains a comma, a quotation mark or a line break.
void append_field(std::string& line, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        line += text;
        return;
    }
    line += '"';
    for (const char c : text) {
        line += c;
        if (c == '"') {
            line += '"';
        }
    }
    line += '"';
}

template <class FieldOf>
std::string csv_line(FieldOf field_of) {
    std::string line;
    for (const std::string_view column : result_columns) {
        line += line.empty() && column == result_columns.front() ? "" : ",";
        append_field(line, field_of(column));
    }
    return line + "\r\n";
}

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), fmt::format("{} {}", what, path.string()));
}

void write_all(int fd, std::string_view text, const std::filesystem::path& path) {
    while (!text.empty()) {
        const ssize_t n = write(fd, text.data(), text.size());
        if (n < 0 && errno != EINTR) {
            fail("cannot write", path);
        }
        text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
    }
}

// A pipe, a device or a descriptor stays open until the process ends: the reader of a pipe would see its end after the
// first row, and nothing else tells whether the header was written.
void append_into(const std::filesystem::path& path, const Destination& destination, const std::string& header,
                 const std::string& row) {
    static std::mutex mutex;
    static std::map<std::filesystem::path, int> opened;
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = opened.try_emplace(path, -1);
    if (is_new) {
        place->second = destination.descriptor >= 0 ? fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0)
                                                    : open(path.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (place->second < 0) {
        opened.erase(place);
        fail("cannot open", path);
    }
    std::fflush(stdout);  // what was printed before stands before, should this be the standard output
    write_all(place->second, is_new ? header + row : row, path);
}

class LockedFile {
public:
    explicit LockedFile(const std::filesystem::path& path) : path_(path) {
        std::error_code error;
        if (path.has_parent_path()) {
            std::filesystem::create_directories(path.parent_path(), error);
        }
        fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd_ < 0) {
            fail("cannot open", path_);
        }
        while (flock(fd_, LOCK_EX) != 0) {
            if (errno != EINTR) {
                fail("cannot lock", path_);
            }
        }
    }
    ~LockedFile() { close(fd_); }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    bool is_empty() const {
        struct stat status {};
        return fstat(fd_, &status) == 0 && status.st_size == 0;
    }
    void append(std::string_view text) { write_all(fd_, text, path_); }

private:
    std::filesystem::path path_;
    int fd_ = -1;
};

// What is known of a program while it runs.
struct ProgramRun {
    std::mutex mutex;
    std::string path;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    std::string started = utc_text();
    nlohmann::ordered_json metrics = nlohmann::ordered_json::array();
};
ProgramRun& program_run() {
    static auto* run = new ProgramRun();
    return *run;
}

void write_program_row(int status, void*) {
    ProgramRun& run = program_run();
    const std::lock_guard lock(run.mutex);
    if (run.path.empty()) {
        return;
    }
    char host[256] = {};
    gethostname(host, sizeof(host) - 1);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - run.start;
    try {
        append_result(run.path, {{"test_nodeid", program_invocation_short_name},
                                 {"metrics_json", run.metrics.dump()},
                                 {"outcome", status == 0 ? "passed" : "failed"},
                                 {"duration_sec", fmt::format("{:.6f}", spent.count())},
                                 {"error", status == 0 ? "" : fmt::format("exit status {}", status)},
                                 {"run_id", run.started},
                                 {"session_timestamp", run.started},
                                 {"hostname", host},
                                 {"git_commit", "unknown"},
                                 {"ttnn_version", "unknown"},
                                 {"start_timestamp", run.started},
                                 {"end_timestamp", utc_text()}});
    } catch (const std::exception& error) {
        fmt::print(stderr, "tracelift: the result of this run was not written: {}\n", error.what());
    }
}

}  // namespace

void append_result(const std::filesystem::path& path, const ResultRow& row) {
    for (const auto& [column, text] : row) {
        if (std::ranges::find(result_columns, column) == result_columns.end()) {
            throw std::invalid_argument(fmt::format("results have no column '{}'", column));
        }
    }
    std::string text = csv_line([&](std::string_view column) {
        const auto found = row.find(column);
        return found == row.end() ? std::string_view() : std::string_view(found->second);
    });
    const std::string header = csv_line([](std::string_view column) { return column; });
    if (const Destination destination = destination_of(path); !destination.replaced) {
        append_into(path, destination, header, text);
        return;
    }
    LockedFile file(path);
    file.append(file.is_empty() ? header + text : text);
}

void report_pcc(double value, bool passed) {
    const std::lock_guard lock(program_run().mutex);
    program_run().metrics.push_back({{"type", "pcc"}, {"value", value}, {"passed", passed}});
}

void report_metric(std::string_view type, std::string_view message, bool passed) {
    const std::lock_guard lock(program_run().mutex);
    program_run().metrics.push_back({{"type", type}, {"message", message}, {"passed", passed}});
}

void start_results_from_environment() {
    const char* path = std::getenv(results_variable);
    if (path == nullptr || *path == '\0') {
        return;
    }
    program_run().path = path;
    on_exit(write_program_row, nullptr);
}

void cancel_program_results() {
    const std::lock_guard lock(program_run().mutex);
    program_run().path.clear();
}

}  // namespace tracelift
