// Tracing a target, and importing raw traces of earlier runs: from the run to the store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/trace/child.hpp"
#include "tracelift/trace/ingest.hpp"
#include "tracelift/trace/target.hpp"

namespace tracelift {

// How a target tells its calls. All roads end in the same configurations; raw records are the quickest, and the only
// ones that also survive everything.
enum class Road : uint8_t { RAW, PARAMS, CALLS, GRAPH };

struct TraceOptions {
    std::filesystem::path directory;  // of the store
    Road road = Road::RAW;
    std::optional<std::string> name;  // of the model; default: the target's source
    bool keep_raw = false;            // what the target told, and a readable form beside it
    bool include_failed = false;
    bool output_to_stderr = false;
    bool keep_master = true;    // write the master beside the database
    bool refuse_known = false;  // import: nothing of a file that names a trace we have
    std::function<void(uint64_t count)>
        progress{};  // import: configurations of a master, or calls; may throw to end it
    OperationFilter filter;
};

struct TraceReport {
    std::string uid;
    std::string model;
    std::string outcome;  // "passed", "failed", "crashed", "imported"
    std::optional<ChildEnd> end;
    Ingested ingested;
    Added added;
    std::filesystem::path master;
    bool master_holds_all = true;    // false: the store is too large for a master beside it
    std::string store;               // where it keeps what it holds
    uint64_t store_bytes = 0;        // that this takes
    std::filesystem::path raw;       // where raw traces were kept; empty when they were deleted
    std::filesystem::path readable;  // the kept trace as JSON, beside the raw ones
};

// Runs the target with capture on and stores what it left, also when it failed or crashed. Throws when nothing was
// captured or the store cannot take it; raw traces are kept then, and the text says where.
TraceReport trace(const Target& target, const TraceOptions& options);

// Throws unless there is a file or a folder at `path`.
void check_importable(const std::filesystem::path& path);
// The same from files and folders of every kind, told apart by their content: raw traces, masters, capture files,
// parameter files, call lines, graph reports and stores.
std::vector<TraceReport> import_path(const std::filesystem::path& path, const TraceOptions& options);
// The same; `stored` gets each report as soon as what it tells of is in the store, for whoever may give up in between.
void import_path(const std::filesystem::path& path, const TraceOptions& options,
                 const std::function<void(const TraceReport&)>& stored);

// Raw traces in the store's folder that were never stored: their run was killed.
std::vector<std::filesystem::path> left_behind(const std::filesystem::path& directory);

}  // namespace tracelift
