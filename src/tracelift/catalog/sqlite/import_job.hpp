// What an import knows of a configuration while it goes from the thread that reads to the one that writes. Internal to
// import.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/base/text_digest.hpp"
#include "tracelift/catalog/sqlite/writer.hpp"
#include "tracelift/formats/piece_parser.hpp"

namespace tracelift::importing {

// Executions on one machine. Many configurations of a file have the same, which are then held once.
struct Executed {
    struct Rows {
        int64_t run;
        int64_t model;
    };
    std::string machine;
    std::vector<MasterExecution> executions;
    std::vector<Rows> rows{};  // of the executions; of the thread that writes
};
using Machines = std::vector<std::shared_ptr<Executed>>;

// One configuration of the file on one machine: one row of the store.
struct Group {
    std::shared_ptr<Executed> executed;
    TextDigest::Bytes bytes;
    std::string_view digest() const { return {bytes.data(), bytes.size()}; }
    std::optional<StoreWriter::Known> known;
    std::optional<PreparedConfiguration> fresh;  // where it is not known
    std::string identity;
};

// One configuration of the file, held until its row can be written.
struct Job {
    MasterPiece piece;
    std::vector<Group> groups;
};

using Batch = std::vector<Job>;

}  // namespace tracelift::importing
