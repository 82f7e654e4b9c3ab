// Tensors: rows of `tensors`. A device tensor has one, a host tensor when an operation takes or gives it.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

#include "tracelift/report/context.hpp"
#include "tracelift/report/memory.hpp"

namespace tracelift::report {

class Tensors {
public:
    Tensors(Context& context, const Memory& memory, const NodeReader& recent);

    // A tensor node in its turn.
    void see(const NodeView& node);
    // The tensor of a node. Nothing when the node is not a tensor or has no id.
    std::optional<int64_t> id_at(size_t position);
    // The same, and the tensor then has a row.
    std::optional<int64_t> use(size_t position);
    // The same for an id that Python recorded; false when the graph does not know it.
    bool use_id(int64_t tensor_id);
    // A row for an id that only Python knows: like the tensor of that node.
    void add_like(int64_t tensor_id, size_t position);
    // The tensor seen last at a place in memory.
    std::optional<int64_t> owner(int64_t device_id, int64_t address) const;
    void freed(int64_t device_id, int64_t address) { owners_.erase(place(device_id, address)); }

private:
    // The last positions and ids asked for: most are asked for again soon.
    static constexpr size_t remembered = 4096;
    struct Seen {
        size_t position = ~size_t{0};
        std::optional<int64_t> id{};
    };

    static uint64_t place(int64_t device_id, int64_t address) {
        return static_cast<uint64_t>(address) * 4096 + static_cast<uint64_t>(device_id);
    }
    std::optional<int64_t> id_of(const NodeView& node);
    void insert(const NodeView& node, int64_t tensor_id);
    void insert_device_tensors(const NodeView& node, int64_t tensor_id);
    std::optional<int64_t> size_of(const NodeView& node, std::optional<int64_t> device, std::optional<int64_t> address);

    Context& context_;
    const Memory& memory_;
    NodeLookup look_;
    NodeLookup ahead_;
    simdjson::dom::parser inner_;
    Statement known_;
    std::array<Seen, remembered> seen_;
    std::array<std::optional<int64_t>, remembered> inserted_;
    std::unordered_map<int64_t, size_t> unused_;  // host tensors without a row: id to position
    std::unordered_map<uint64_t, int64_t> owners_;
};

}  // namespace tracelift::report
