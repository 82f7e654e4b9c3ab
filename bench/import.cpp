// How fast graph reports become databases, beside the floor: the same rows put into the same tables by plain prepared
// statements in one transaction. `buffers` is a view here, and a table in rows of their own.
//   bench_import [NODES...]        1000, 20000 and 200000 nodes without arguments
//   TRACELIFT_BENCH_BYTES=2e9      adds a report of that many bytes
//   TRACELIFT_BENCH_BEFORE=FILE    the `tracelift` of another commit: imports by both commands, in turns
#include "tracelift/report/import.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ratio.hpp"
#include "report_generator.hpp"
#include "tracelift/report/schema.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tracelift;
using Clock = std::chrono::steady_clock;

constexpr double aim_floor = 2;       // times the floor
constexpr double aim_memory = 200e6;  // bytes
constexpr double aim_flat = 1.5;      // cost per node, against the smallest report that takes its time
constexpr double aim_before = 0.95;   // speed, against another commit

// Both clocks: aims are judged by the wall, as users are; processor time tells whether others stretched it.
struct Times {
    double seconds = 0;
    double processor = 0;
};

class Watch {
public:
    Times times() const {
        return {std::chrono::duration<double>(Clock::now() - start_).count(), processor() - processor_};
    }

private:
    static double processor() {
        timespec time = {};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    }
    Clock::time_point start_ = Clock::now();
    double processor_ = processor();
};

double peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::strtod(line.c_str() + 6, nullptr) * 1024;
        }
    }
    return 0;
}

struct Measured {
    Times times;
    double memory = 0;
};

// In a process of its own, whose memory is that of the import alone.
Measured import_in_child(const fs::path& report, const fs::path& out, bool materialize) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) {
        std::abort();
    }
    const pid_t child = fork();
    if (child == 0) {
        report::ImportOptions options;
        options.inputs = {report};
        options.directory = out;
        options.existing = report::Existing::REPLACE;
        options.materialize = materialize;
        options.longest_table = 0;
        const Watch watch;
        report::import_reports(options);
        const Measured measured{watch.times(), peak_memory()};
        const bool written = write(pipe_ends[1], &measured, sizeof(measured)) == sizeof(measured);
        _exit(written ? 0 : 1);
    }
    close(pipe_ends[1]);
    Measured measured;
    const bool read_all = read(pipe_ends[0], &measured, sizeof(measured)) == sizeof(measured);
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!read_all || status != 0) {
        fmt::print(stderr, "the import failed\n");
        std::exit(1);
    }
    return measured;
}

std::vector<std::string> tables_of(Database& database) {
    std::vector<std::string> names;
    Statement tables(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
    while (tables.step()) {
        names.emplace_back(tables.text(0));
    }
    return names;
}

// Reads every row of a database; with a target, also inserts it there.
Times copy_rows(const fs::path& from, const fs::path* to) {
    Database source(from, Database::Mode::READ);
    std::optional<Database> target;
    const Watch watch;
    if (to != nullptr) {
        fs::remove(*to);
        target.emplace(*to, Database::Mode::BUILD);
        target->run("BEGIN");
        report::create_tables(*target, report::Rules::R);
    }
    for (const std::string& table : tables_of(source)) {
        sqlite3_stmt* select = nullptr;
        sqlite3_stmt* insert = nullptr;
        sqlite3_prepare_v2(source.handle(), ("SELECT * FROM " + table).c_str(), -1, &select, nullptr);
        const int columns = sqlite3_column_count(select);
        if (target) {
            std::string places = "?";
            for (int i = 1; i < columns; ++i) {
                places += ", ?";
            }
            const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", table, places);
            sqlite3_prepare_v2(target->handle(), sql.c_str(), -1, &insert, nullptr);
        }
        while (sqlite3_step(select) == SQLITE_ROW) {
            for (int i = 0; i < columns; ++i) {
                // Also without a target the value is read from its page.
                const sqlite3_value* value = sqlite3_column_value(select, i);
                if (target) {
                    sqlite3_bind_value(insert, i + 1, value);
                } else {
                    sqlite3_column_bytes(select, i);
                }
            }
            if (target) {
                sqlite3_step(insert);
                sqlite3_reset(insert);
            }
        }
        sqlite3_finalize(select);
        sqlite3_finalize(insert);
    }
    if (target) {
        target->run("COMMIT");
        target.reset();
        // An import is on the disk when it has ended, and so is this.
        const int file = open(to->c_str(), O_RDONLY);
        fsync(file);
        close(file);
    }
    return watch.times();
}

class Bench {
public:
    Bench() : folder_(fs::temp_directory_path() / fmt::format("tracelift_bench_import_{}", getpid())) {
        fs::create_directories(folder_);
        fmt::print("{:<26} {:>8} {:>8} {:>9} {:>7} {:>7} {:>8} {:>8} {:>6} {:>9} {:>6}\n", "report", "MB", "seconds",
                   "nodes/s", "mem MB", "db MB", "us/node", "floor s", "ratio", "floor cpu", "ratio");
    }
    ~Bench() { fs::remove_all(folder_); }

    void run(const std::string& name, size_t nodes, bool materialize, int repetitions) {
        const fs::path report = folder_ / "report.json";
        nodes = bench::write_report(report, nodes);
        Measured best{{1e9, 1e9}, 0};
        Times floor{1e9, 1e9};
        const fs::path database = folder_ / "out/db.sqlite";
        // Interleaved: a slow minute of the machine hits both.
        for (int i = 0; i < repetitions; ++i) {
            const Measured measured = import_in_child(report, folder_ / "out", materialize);
            best.times.seconds = std::min(best.times.seconds, measured.times.seconds);
            best.times.processor = std::min(best.times.processor, measured.times.processor);
            best.memory = std::max(best.memory, measured.memory);
            if (!materialize) {
                const Times read = copy_rows(database, nullptr);
                const fs::path copy = folder_ / "floor.sqlite";
                const Times both = copy_rows(database, &copy);
                floor.seconds = std::min(floor.seconds, both.seconds - read.seconds);
                floor.processor = std::min(floor.processor, both.processor - read.processor);
            }
        }
        const double ratio = best.times.seconds / floor.seconds;
        const double cost = best.times.seconds / static_cast<double>(nodes);
        fmt::print("{:<26} {:>8.1f} {:>8.3f} {:>9.0f} {:>7.0f} {:>7.1f} {:>8.2f}", name,
                   static_cast<double>(fs::file_size(report)) / 1e6, best.times.seconds,
                   static_cast<double>(nodes) / best.times.seconds, best.memory / 1e6,
                   static_cast<double>(fs::file_size(database)) / 1e6, cost * 1e6);
        if (!materialize) {
            fmt::print(" {:>8.3f} {:>6.2f} {:>9.3f} {:>6.2f}", floor.seconds, ratio, floor.processor,
                       best.times.processor / floor.processor);
        }
        fmt::print("\n");
        std::fflush(stdout);
        if (materialize) {
            return;
        }
        judge(name, "memory", best.memory <= aim_memory);
        // Below that, making a file with its tables is most of it.
        if (best.times.seconds >= 0.05) {
            judge(name, "times the floor", ratio <= aim_floor);
            first_cost_ = first_cost_ == 0 ? cost : first_cost_;
            judge(name, "cost per node", cost <= aim_flat * first_cost_);
        }
    }

    // Both as commands, so that they differ in nothing but the commit.
    void compare(size_t nodes, const char* before) {
        const fs::path report = folder_ / "report.json";
        bench::write_report(report, nodes);
        const fs::path now = fs::read_symlink("/proc/self/exe").parent_path() / "tracelift";
        std::vector<double> seconds_now;
        std::vector<double> seconds_before;
        for (int i = 0; i < 7; ++i) {
            seconds_now.push_back(run_command(now, report));
            seconds_before.push_back(run_command(before, report));
        }
        const double speed = std::ranges::min(seconds_before) / std::ranges::min(seconds_now);
        fmt::print("{} nodes by the command: {:.3f} s, before {:.3f} s: {:.2f} times the speed (medians {:.2f})\n",
                   nodes, std::ranges::min(seconds_now), std::ranges::min(seconds_before), speed,
                   bench::median(seconds_before) / bench::median(seconds_now));
        judge("the commit before", "speed", speed >= aim_before);
    }

    bool finish() const {
        fmt::print("aims: at most {:.1f} times the floor (wall time), {:.0f} MB, cost per node flat: {}\n", aim_floor,
                   aim_memory / 1e6, good_ ? "met" : "MISSED");
        return good_;
    }

private:
    double run_command(const fs::path& tracelift, const fs::path& report) const {
        const std::string command = fmt::format("'{}' report import --replace '{}' '{}' > /dev/null",
                                                tracelift.string(), report.string(), (folder_ / "command").string());
        const Watch watch;
        if (std::system(command.c_str()) != 0) {
            fmt::print(stderr, "{} failed\n", command);
            std::exit(1);
        }
        return watch.times().seconds;
    }

    void judge(const std::string& name, std::string_view what, bool good) {
        if (!good) {
            fmt::print("  MISSED by {}: {}\n", name, what);
        }
        good_ = good_ && good;
    }

    fs::path folder_;
    double first_cost_ = 0;
    bool good_ = true;
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<size_t> sizes;
    for (int i = 1; i < argc; ++i) {
        sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
    if (sizes.empty()) {
        sizes = {1000, 20'000, 200'000};
    }
    Bench bench;
    for (const size_t nodes : sizes) {
        bench.run(fmt::format("{} nodes", nodes), nodes, false, nodes <= 200'000 ? 3 : 1);
    }
    for (const size_t nodes : sizes) {
        bench.run(fmt::format("{} nodes, table", nodes), nodes, true, 3);
    }
    if (const char* before = std::getenv("TRACELIFT_BENCH_BEFORE")) {
        bench.compare(sizes.back(), before);
    }
    if (const char* bytes = std::getenv("TRACELIFT_BENCH_BYTES")) {
        bench.run(fmt::format("{} bytes", bytes), bench::nodes_for_bytes(std::strtod(bytes, nullptr)), false, 1);
    }
    return bench.finish() ? 0 : 1;
}
