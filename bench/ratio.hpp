// A tiny harness for speed relative to a yardstick: alternatives run interleaved, so that a slow minute of the machine
// hits all of them, and medians are compared.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace bench {

// Keeps the compiler from dropping a result or a store that nobody reads.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

inline double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// A table whose first row is the yardstick. ratio = time of the yardstick / time of the row; above its aim is good.
class Ratio {
public:
    // `calls` repeats every alternative inside one timing, for work below some microseconds.
    Ratio(std::string name, std::function<void()> yardstick, size_t calls = 1) : calls_(calls) {
        add(std::move(name), std::move(yardstick), 1.0);
    }

    void add(std::string name, std::function<void()> run, double aim) {
        rows_.push_back({std::move(name), std::move(run), aim, {}});
    }

    // Prints "name  time  ratio  aim"; true when every aim is met.
    bool report(size_t repetitions = 11) {
        for (auto& row : rows_) {
            row.run();
        }
        for (size_t i = 0; i < repetitions; ++i) {
            for (auto& row : rows_) {
                row.seconds.push_back(time(row));
            }
        }
        const double yardstick = median(rows_.front().seconds);
        bool met = true;
        fmt::print("{:<44} {:>12} {:>8} {:>8}\n", "name", "time", "ratio", "aim");
        for (const auto& row : rows_) {
            const double seconds = median(row.seconds);
            const double ratio = yardstick / seconds;
            const bool good = &row == &rows_.front() || ratio >= row.aim;
            fmt::print("{:<44} {:>9.2f} us {:>8.3f} {:>8.3f}{}\n", row.name, seconds * 1e6, ratio, row.aim,
                       good ? "" : "  MISSED");
            met = met && good;
        }
        return met;
    }

private:
    struct Row {
        std::string name;
        std::function<void()> run;
        double aim = 0;
        std::vector<double> seconds;
    };

    double time(const Row& row) const {
        const auto start = std::chrono::steady_clock::now();
        for (size_t i = 0; i < calls_; ++i) {
            row.run();
        }
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return spent.count() / static_cast<double>(calls_);
    }

    size_t calls_;
    std::vector<Row> rows_;
};

}  // namespace bench
