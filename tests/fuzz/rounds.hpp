// How long a fuzzer runs. `make test` has to meet the same inputs on every machine: fixed seeds, a fixed number of
// inputs for each, and a corpus in the order of its file names. With TRACELIFT_LONG a run over a fresh seed follows,
// bounded by time.
//   fuzz_x ... [SEED INPUTS]      one round, to see a finding again
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tracelift::fuzzing {

inline constexpr uint64_t fixed_seeds[] = {1, 2, 3, 4};
inline constexpr double long_seconds = 600;

// A round with one seed.
class Round {
public:
    Round(uint64_t seed, size_t inputs) : seed_(seed), inputs_(inputs) {}
    Round(uint64_t seed, double seconds)
        : seed_(seed),
          until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
    uint64_t seed() const { return seed_; }
    size_t tried() const { return tried_; }
    // True while another input is to be tried; counts it.
    bool next() {
        const bool more = inputs_ != 0 ? tried_ < inputs_ : Clock::now() < until_;
        tried_ += more ? 1 : 0;
        return more;
    }

private:
    using Clock = std::chrono::steady_clock;
    uint64_t seed_;
    size_t inputs_ = 0;  // 0: bounded by time
    Clock::time_point until_;
    size_t tried_ = 0;
};

// Runs the rounds that are due until one is not good; the status of the program. `options` are SEED and INPUTS.
// `share` divides the time of the long run between several calls.
inline int run_rounds(std::string_view name, size_t inputs, std::vector<std::string> options, double share,
                      const std::function<bool(Round&)>& one) {
    const auto run = [&](Round round) {
        fmt::print("{}: seed {}\n", name, round.seed());
        std::fflush(stdout);  // a sanitizer that ends the program must not take this along
        const bool good = one(round);
        fmt::print("{}: seed {}, {} inputs: {}\n", name, round.seed(), round.tried(), good ? "good" : "FAILED");
        return good;
    };
    if (!options.empty()) {
        const uint64_t seed = std::strtoull(options[0].c_str(), nullptr, 10);
        const size_t count = options.size() > 1 ? std::strtoull(options[1].c_str(), nullptr, 10) : inputs;
        return run(Round(seed, count)) ? 0 : 1;
    }
    for (const uint64_t seed : fixed_seeds) {
        if (!run(Round(seed, inputs))) {
            return 1;
        }
    }
    if (std::getenv("TRACELIFT_LONG") != nullptr) {
        return run(Round(std::random_device()(), long_seconds * share)) ? 0 : 1;
    }
    return 0;
}

// The files of a folder by name; folders have no order of their own.
inline std::map<std::string, std::string> read_corpus(const std::filesystem::path& folder) {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        texts[entry.path().filename().string()].assign(std::istreambuf_iterator<char>(file), {});
    }
    return texts;
}

// Prints an input that went wrong and keeps it in the working folder: it belongs into the corpus.
inline void report_finding(std::string_view name, const Round& round, std::string_view what, std::string_view text) {
    const std::string path = fmt::format("fuzz_finding_{}_{}_{}", name, round.seed(), round.tried());
    std::ofstream(path, std::ios::binary) << text;
    fmt::print("{}: input {} of seed {}: {}\n{}\nkept in {}\n", name, round.tried(), round.seed(), what, text, path);
}

}  // namespace tracelift::fuzzing
