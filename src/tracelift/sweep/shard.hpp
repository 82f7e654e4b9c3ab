// Shards: parts of a sweep for several machines, and how they become one again.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/sweep/journal.hpp"
#include "tracelift/sweep/vector.hpp"

namespace tracelift {

struct Shard {
    size_t number = 1;  // from 1
    size_t count = 1;

    std::string text() const;  // "1/4"; empty: everything
};
// "1/4"; throws std::invalid_argument.
Shard parse_shard(std::string_view text);

// Which vectors a shard has, as indices: the slowest first, each to the shard with the least to do so far. It follows
// from the vectors and their costs (milliseconds, by identity or vector id) alone; what never ran counts as much as the
// others do on average.
std::vector<size_t> vectors_of_shard(std::span<const Vector> vectors, const std::map<std::string, double>& cost,
                                     const Shard& shard);

// The digest of a set of vectors: equal for equal sets in any order.
std::string ledger_of(std::vector<std::string> keys);
std::string ledger_of(std::span<const Vector> vectors);

struct MergedShards {
    JournalHead head{};  // of the whole
    std::vector<ResultRecord> results{};
};
// The union of all shards of one sweep. Throws std::runtime_error that names what does not balance: a shard that is
// missing, unfinished or there twice, shards of different sweeps, a vector with two results or none.
MergedShards merge_shards(std::vector<JournalContents> shards);

}  // namespace tracelift
