// Memory: what buffer and circular buffer nodes do to a device's memory, node by node. It counts as
// ttnn::graph::extract_peak_L1_memory_usage and extract_dram_usage do, and keeps what is in memory for snapshots.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tracelift/report/context.hpp"
#include "tracelift/report/snapshots.hpp"

namespace tracelift::report {

// What a free was about, as far as the report tells.
struct Freed {
    std::optional<int64_t> device_id;  // of the database
    std::optional<int64_t> address;
    std::optional<size_t> tensor_position;  // a tensor that the buffer's node is linked to
};

class Memory {
public:
    Memory(Context& context, const NodeReader& recent);

    // What the report says was in memory before its first node.
    void fill_at_start(int64_t next);
    // `operation`: the open one, `next`: the one that ends next.
    void function_start(const NodeView& node);
    void function_end();
    void buffer(const NodeView& node, std::optional<int64_t> operation);
    void allocate(const NodeView& node, std::optional<int64_t> operation, int64_t next);
    Freed free(const NodeView& node, std::optional<int64_t> operation);
    void circular_buffer(const NodeView& node, std::optional<int64_t> operation);
    void release_circular_buffers(const NodeView& node, std::optional<int64_t> operation);
    // Of a node that is neither a tensor nor a buffer: inputs of a function stand directly behind its start.
    void other() {
        expects_inputs_ = false;
        count_input();
    }

    SpanWriter& spans() { return spans_; }
    // Bytes of a whole buffer that is in memory.
    std::optional<int64_t> size_at(int64_t device_id, int64_t address) const;

private:
    struct Place {
        int64_t device_id = 0;
        int64_t address = 0;
        bool operator==(const Place&) const = default;
    };
    struct PlaceHash {
        size_t operator()(const Place& place) const {
            return static_cast<uint64_t>(place.address) * 1'000'003 + static_cast<uint64_t>(place.device_id);
        }
    };
    struct Live {
        BufferFacts facts;
        int64_t size = 0;
        bool is_l1 = false;
        bool is_dram = false;
        std::optional<uint64_t> buffer;  // counter of its node
    };

    // A buffer behind the start of a function: an input, unless the next node allocates it.
    struct Input {
        size_t position = 0;
        int64_t counter = 0;
        std::optional<int64_t> operation{};
        MaybeInt device_id{};
        int64_t size = 0;
        int64_t per_bank = 0;
    };

    void count_input();
    Live& add(const NodeView& node, uint64_t id, int64_t next);
    MaybeInt device_of(const NodeView& node) const;
    int64_t size_of(const NodeView& node);
    int64_t unallocated_per_bank(const NodeView& buffer, int64_t size);
    void event(int64_t counter, std::optional<int64_t> operation, std::string_view kind, const MemoryEventRow& row);
    std::vector<uint64_t> find_freed(const NodeView& node, Freed& freed, std::optional<uint64_t>& buffer);
    void forget(uint64_t id);
    std::vector<uint64_t> at(const Place& place) const;

    Context& context_;
    NodeLookup look_;
    SpanWriter spans_;
    std::unordered_map<uint64_t, Live> live_;  // by position of the allocation
    std::unordered_map<uint64_t, uint64_t> by_buffer_;
    std::unordered_multimap<Place, uint64_t, PlaceHash> by_place_;
    size_t open_functions_ = 0;
    bool expects_inputs_ = false;
    int64_t input_counter_ = 0;
    std::optional<Input> input_;
    int64_t l1_ = 0;
    int64_t cb_ = 0;
    int64_t dram_ = 0;
};

}  // namespace tracelift::report
