// ResultRecord: how one vector of a sweep ended, and SweepRun: the run it belongs to. What the runner writes, the store
// keeps, and reports and comparisons read; result files are made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/catalog/status.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift {

struct SweepRun {
    int64_t id = 0;          // the store's
    std::string started{};   // ISO 8601, UTC: "2026-01-15T10:46:16.123Z"
    std::string finished{};  // empty: it did not finish
    std::string version{};   // of tracelift
    std::string command{};   // the command line
    std::string contents{};  // "all_sweeps", or "module, suite"
    std::string host{};
    std::string card_type{};                               // "wormhole_b0 (n150)"
    std::string git_commit{}, git_branch{}, git_author{};  // of the folder it ran in; empty: none
    std::string environment{};                             // JSON object: processor, libraries, Python, ttnn
    std::string shard{};                                   // "1/4"; empty: all
};

struct Metric {
    std::string name;  // "e2e_perf_ms", "peak_cb_per_core_bytes"
    double value = 0;
};

struct ResultRecord {
    std::string vector_id{};    // `input_hash` of the vector
    std::string sweep_name{};   // "eltwise.unary.x.x"; of native sweeps the operation, "ttnn.x"
    std::string suite{};        // "model_traced"
    std::string operation{};    // "ttnn.x" where it is known
    std::string identity{};     // of the configuration; empty: it has none
    int64_t configuration = 0;  // the store's row of it; 0: none
    Status status = Status::NOT_RUN;
    std::string message{};    // what the run reported; for a pass usually its PCC
    std::string exception{};  // why it did not pass; empty: it did
    std::optional<double> pcc{}, max_ulp{}, max_relative{}, max_absolute{};
    std::optional<bool> equal{};
    double milliseconds = 0;         // the whole vector
    std::string started{}, ended{};  // ISO 8601, UTC
    std::string source{};            // models that the vector was traced from, joined by ", "
    std::vector<Metric> metrics{};
    Json parameters = Json::object();  // of the vector, as vector files have them
};

}  // namespace tracelift
