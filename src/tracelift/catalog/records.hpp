// What a catalog takes and gives: runs, configurations, executions and the questions about them. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/json.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/dialects/call_stream.hpp"

namespace tracelift {

// One configuration of a run or of a file, ready to be stored.
struct NewConfiguration {
    BoundCall call;
    std::optional<Hardware> hardware;
    std::string board;                  // to replay it on; may be empty
    std::string format;                 // it came in: "raw", "1", "2", "params", "calls", "graph"
    std::optional<std::string> stored;  // JSON text it was read from, where it did not come from our own runtime
    std::string digest;                 // of that text, to know it again; may be empty
    std::optional<std::string> legacy_hash;
    std::string identity{};  // of call and hardware; empty: whoever stores it computes it
};
struct NewExecution {
    NewConfiguration configuration;
    std::string model;
    uint64_t count = 1;
    uint64_t nanoseconds = 0;
};
struct TraceRun {
    std::string uid;
    std::string target;
    std::string started;  // "2025-10-16 04:22:52"
    std::string outcome;  // "passed", "failed", "crashed", "imported"
    uint64_t captured = 0;
    uint64_t kept = 0;
    std::optional<Hardware> hardware{};
    std::string arguments{};   // of the test, e.g. pytest's
    std::string git_commit{};  // of what was traced
    std::string software{};    // versions of drivers and firmware
};

struct Added {
    size_t configurations = 0;  // new ones
    size_t executions = 0;      // new pairs of configuration and run
    size_t known = 0;           // configurations that were there before
    bool changed = false;       // anything at all
};

struct OperationSummary {
    std::string name;  // "ttnn.add"
    int64_t configurations = 0;
    int64_t executions = 0;  // calls, over all runs
};
struct Execution {
    std::string model;
    std::string trace_uid;
    int64_t count = 0;
    int64_t nanoseconds = 0;
};
struct Configuration {
    int64_t id = 0;
    BoundCall call;
    std::optional<Hardware> hardware;
    std::string board;
    std::string identity;
    int64_t ordinal = 0;  // among equal ones of one file
    std::string format;
    std::optional<std::string> legacy_hash;  // that its master gave it
    std::vector<Execution> executions;
    std::optional<std::string> stored;  // its text; where texts were asked for
    std::string digest;                 // of that, to know it again; may be empty
};
// Which configurations are asked for.
struct ConfigurationQuery {
    std::string operation{};  // dotted; empty: all
    std::string model{};      // any part of a source, or a model's name; empty: all
    std::string hardware{};   // device series; empty: all
    std::string since{};      // first executed in a run that started then or later; empty: all
    int64_t trace_run = 0;    // executed in that run; 0: all
    bool with_texts = false;  // as the files had them
};
struct ModelSummary {
    int64_t id = 0;
    std::string name, family, source;
    int64_t configurations = 0;
    int64_t executions = 0;
};
struct RunSummary {
    int64_t id = 0;
    TraceRun run;
    std::string tool_version;
    std::vector<std::string> models;
    int64_t configurations = 0;
    int64_t executions = 0;
};
// Which results of sweeps are asked for.
struct ResultQuery {
    std::string operation{};   // dotted; empty: all
    std::string status{};      // "fail_crash"; empty: all
    std::string since{};       // began then or later, ISO 8601; empty: all
    int64_t sweep = 0;         // of that sweep; 0: of all
    bool latest_only = false;  // only the newest of each vector (sweep_name, suite, vector_id), over all sweeps
};

// One cell of what is covered: configurations by the first tensor's kind and by model, and how they fared last.
struct Coverage {
    std::string operation;              // dotted
    std::string dtype, layout, memory;  // of the first tensor; may be empty
    std::string model;
    int64_t configurations = 0;
    int64_t executions = 0;
    int64_t passed = 0;         // configurations whose newest result is a pass
    int64_t not_passed = 0;     // and those where it is something else
    std::string last_statuses;  // all of them, with commas between
};
// Figures of a whole catalog, in tables that people read.
struct Statistics {
    std::string name;   // "top_operations"
    std::string title;  // "Top operations by executions"
    std::vector<std::string> columns;
    Json rows = Json::array();  // objects by those names; operations are dotted
};
// An execution as selections ask for it.
struct RunExecution {
    int64_t configuration = 0;
    std::string short_name;  // of the model
    std::string source;
};
// Configurations of one file with equal identity.
struct EqualConfigurations {
    std::string operation;
    std::string identity;
    int64_t configurations = 0;
};
// What a catalog says of itself, and what is wrong with how it is kept.
struct CatalogFacts {
    std::vector<std::string> errors;
    std::vector<EqualConfigurations> groups;
    uint64_t identities = 0;     // distinct ones
    uint64_t with_unparsed = 0;  // configurations with arguments that could not be read
    uint64_t with_lost = 0;      // configurations with arguments that the capture did not write down
    uint64_t unread = 0;         // pieces of input that are not calls
    uint64_t executions = 0;
};

struct OperationCount {
    size_t configurations = 0;
    uint64_t executions = 0;
};

struct ImportReport {
    Added added;
    uint64_t configurations = 0;  // in the file
    uint64_t executions = 0;      // calls they stand for
    uint64_t unbound = 0;         // of the new ones: no declaration took them
    uint64_t with_lost = 0;       // of the new ones: bound without arguments that the capture lost
    uint64_t total_operations = 0;
    std::map<std::string, OperationCount> operations;  // by dotted name
    std::map<std::string, std::string> problems;       // operation -> why one is unbound
};

// A file that was taken in before, by its trace uid.
class KnownTrace : public StoreError {
public:
    KnownTrace(const std::string& file, const std::string& uid)
        : StoreError(file + ": the trace " + uid +
                     " is already in the store; nothing was imported (--merge-known imports what is new in it)") {}
};

struct ImportOptions {
    bool refuse_known = false;           // throw KnownTrace at a trace uid that the store has
    std::optional<std::string> model{};  // instead of the sources in the file
    std::function<void(uint64_t configurations)> progress{};
};

}  // namespace tracelift
