// What is in memory at the end of each operation, written as spans of operations instead of once per operation.
//
// A new epoch begins when as much has changed as is in memory, at least `shortest_epoch` changes: so spans are at most
// about twice as many as allocations, and a snapshot is found in an epoch of about twice its size.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracelift/report/own_tables.hpp"

namespace tracelift::report {

struct BufferFacts {
    int64_t device_id = 0;
    int64_t address = 0;
    int64_t max_size_per_bank = 0;
    int64_t buffer_type = 0;
    std::optional<int64_t> buffer_layout = 0;
    auto operator<=>(const BufferFacts&) const = default;
};

class SpanWriter {
public:
    static constexpr size_t shortest_epoch = 1024;

    SpanWriter(Insert<BufferSpanRow>& rows, int64_t& next_epoch) : rows_(rows), next_epoch_(next_epoch) {}

    // `operation`: the one that ends next.
    void add(uint64_t id, const BufferFacts& facts, int64_t operation);
    void remove(uint64_t id);
    // Returns the epoch in which the snapshot of this operation is found.
    int64_t end_operation(int64_t operation);
    void finish();
    size_t size() const { return open_.size(); }

private:
    struct Open {
        BufferFacts facts;
        int64_t first = 0;
    };
    void write(const Open& span);

    Insert<BufferSpanRow>& rows_;
    int64_t& next_epoch_;
    std::unordered_map<uint64_t, Open> open_;
    int64_t epoch_ = 0;
    int64_t last_operation_ = -1;
    size_t changes_ = 0;
};

// For operations that come with a list of their buffers: the difference to the list before goes to a SpanWriter.
class ListedSnapshots {
public:
    ListedSnapshots(Insert<BufferSpanRow>& rows, int64_t& next_epoch) : spans_(rows, next_epoch) {}
    int64_t end_operation(int64_t operation, std::vector<BufferFacts> list);
    void finish() { spans_.finish(); }

private:
    SpanWriter spans_;
    std::vector<std::pair<BufferFacts, uint64_t>> current_;  // sorted, with the id of each
    uint64_t next_id_ = 0;
};

}  // namespace tracelift::report
