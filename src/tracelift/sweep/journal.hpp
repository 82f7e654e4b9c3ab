// Journal: the file that a run writes one line into per vector, before anything else learns of the result.
//
// sweeps/<run>/results.jsonl beside the store. The first line is the run, every further one a result, the last one says
// that the run is finished. A line appears by one write at the end of the file, so that whatever kills the runner costs
// at most the line it was in; readers leave a broken last line out, and who goes on cuts it off.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/catalog/result_record.hpp"
#include "tracelift/sweep/pipe.hpp"

namespace tracelift {

struct JournalHead {
    SweepRun run{};
    std::string key{};     // what was asked for; runs of the same key can be continued
    std::string ledger{};  // digest of the vectors of all shards (shard.hpp)
    uint64_t total = 0;    // vectors of all shards
    uint64_t own = 0;      // of this run's shard
    // Keys of the vectors of a shard: what a shard is follows from costs, which change while it runs. Empty: all.
    std::vector<std::string> vectors{};
};

struct JournalContents {
    std::filesystem::path path{};
    JournalHead head{};
    std::vector<ResultRecord> results{};
    bool finished = false;
    uint64_t whole_bytes = 0;  // up to the end of the last whole line
};

class Journal {
public:
    // In a new folder below `sweeps`. std::runtime_error here and below: names the file and says why.
    static Journal create(const std::filesystem::path& sweeps, const JournalHead& head);
    // Goes on behind what is there, which `contents` then has: another process may have written since it was read.
    // Throws where one still does.
    static Journal reopen(JournalContents& contents);

    void append(const ResultRecord& record);
    void finish(const std::string& when);
    const std::filesystem::path& path() const { return path_; }

private:
    Journal(std::filesystem::path path, int flags);
    void write_line(const Json& json);
    std::filesystem::path path_;
    Fd fd_;
};

// Throws std::runtime_error where it is not a journal, with file and line.
JournalContents read_journal(const std::filesystem::path& path);

// The first line of the journal in a folder; nothing where it has none, as when its run was killed at once.
std::optional<JournalHead> read_head(const std::filesystem::path& folder);

// The newest run of this key below `sweeps`, finished or not. Journals that were not even begun do not count.
std::optional<JournalContents> last_journal(const std::filesystem::path& sweeps, const std::string& key);

}  // namespace tracelift
