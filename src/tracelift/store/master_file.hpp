// The master JSON: format 1 of the master files, with provenance in a sibling list per operation.
//
//   {"operations": {"ttnn::add": {"configurations": [[{"arg0": ...}, ...], ...],
//                                 "executions": [{"configuration": 0, "source": ..., "machine_info": {...},
//                                                 "count": 12, "trace_uid": ...}, ...]}},
//    "metadata": {...}}
#pragma once

#include <filesystem>

#include "tracelift/store/store.hpp"

namespace tracelift {

// A master that cannot be read; the text names the file, the place and what was expected.
class MasterError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What a master says, by the run it came from. Configurations without provenance belong to a run named after the file's
// content.
struct Master {
    struct Run {
        TraceRun run;
        std::vector<NewExecution> executions;
    };
    std::vector<Run> runs;
    uint64_t total_operations = 0;
    size_t configurations = 0;
    size_t unbound = 0;  // no declaration took them
};

// `name` stands for the file in messages. An empty text is a master without data.
Master read_master(std::string_view text, const std::string& name);

// The whole file, from the database.
std::string master_text(Database& database);

std::string read_file(const std::filesystem::path& path);  // throws MasterError
// Writes beside the file, then renames: readers see the old text or the new one.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tracelift
