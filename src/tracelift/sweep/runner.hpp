// The runner: vectors, native or of Python modules, through the pool; what comes of each is a ResultRecord.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tracelift/sweep/pool.hpp"
#include "tracelift/sweep/vector.hpp"

namespace tracelift {

struct RunnerOptions {
    PoolOptions pool{};
    bool perf = false;
    bool measure_memory = false;
    bool skip_on_timeout = false;  // after a timeout the rest of its suite is not run
    bool keep_invalid = false;     // invalid vectors get a result that says so; else they are left out
    // Of modules that say nothing themselves, and of those that do (their TIMEOUT), by file.
    std::chrono::milliseconds module_timeout{30'000};
    std::map<std::filesystem::path, std::chrono::milliseconds> module_timeouts{};
};

// Every vector gets one record, in the order in which they end, on this thread; invalid ones only with `keep_invalid`.
// Those that did not get their turn (PoolOptions::go_on) get none. All vectors are native or none is.
void run_vectors(std::span<const Vector> vectors, const RunnerOptions& options,
                 const std::function<void(const Vector&, const ResultRecord&)>& done);

// The command of a worker for Python modules.
std::vector<std::string> module_worker_command();

// What a suite whose name begins with "xfail" makes of a status.
Status expected_failure(Status status);

}  // namespace tracelift
