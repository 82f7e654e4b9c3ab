// CallRequest and CallResult: what the pool and its workers tell each other about one call, as single lines of JSON.
#pragma once

#include <cstdint>
#include <string>

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

struct CallRequest {
    int64_t id = 0;  // the caller's; unique among the requests of a run
    std::string operation{};
    Value::Dict arguments{};
    std::string board{};  // as in bind/board_text.hpp; empty: the default one
    uint64_t seed = 0;    // of the input values
    bool compare = true;  // false: only run the call
    bool measure_memory = false;
    bool fingerprint = false;   // digests of the outputs are wanted
    uint64_t memory_limit = 0;  // what takes more host memory is not started; 0: everything is
    std::string values{};       // a parameter file with the values of the inputs; empty: they are made by the seed
    std::string record{};       // a folder for a recorder that watches this call alone; empty: none
};

// What an output is and holds, to know it again.
struct Fingerprint {
    std::string spec{};  // "BFLOAT16 [1, 1, 32, 32] TILE DRAM_INTERLEAVED"
    std::string bits{};  // a digest of its packed bytes; empty: it has none
    bool operator==(const Fingerprint&) const = default;
};

struct CallResult {
    int64_t id = 0;
    Status status = Status::NOT_RUN;
    std::string message{};  // why it did not pass
    double pcc = 1.0;
    double max_ulp = 0.0;
    double max_relative = 0.0;
    double max_absolute = 0.0;
    bool equal = false;
    double milliseconds = 0.0;           // the whole call: inputs, reference, operation, comparison
    double call_milliseconds = 0.0;      // the operation alone
    std::vector<std::string> outputs{};  // of a call that returned: "BFLOAT16 [1, 1, 32, 32]"
    bool called = false;            // the operation was entered, so a recorder saw it; false where a worker was lost
    std::vector<Metric> metrics{};  // of memory, where they were asked for
    std::vector<Fingerprint> fingerprints{};  // of the outputs, where they were asked for
};

Json to_json(const std::vector<Fingerprint>& fingerprints);
Json to_json(const CallRequest& request);
Json to_json(const CallResult& result);
// Throw std::exception that says what is wrong.
std::vector<Fingerprint> fingerprints_from_json(const Json& json);
CallRequest request_from_json(const Json& json);
CallResult result_from_json(const Json& json);

// One line with its end. Bytes that are not UTF-8 are replaced: a message may quote anything.
std::string to_line(const Json& json);

}  // namespace tracelift
