// What every reader of a trace checks, and the texts of its errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

template <class... Args>
[[noreturn]] void fail_at(const Node& node, fmt::format_string<Args...> text, Args&&... args) {
    throw TraceError(fmt::format("node {} ({}): {}", node.counter, member_name(node.type),
                                 fmt::format(text, std::forward<Args>(args)...)));
}

// A text of unknown origin, short enough to be quoted in an error.
inline std::string shortened(std::string_view text) {
    constexpr size_t longest = 80;
    return text.size() <= longest ? std::string(text) : std::string(text.substr(0, longest)) + "...";
}

// A parameter that counts bytes. The limit keeps sums of two of them inside 64 signed bits.
inline int64_t bytes(const Node& node, std::string_view name) {
    constexpr uint64_t most = uint64_t{1} << 60;
    const uint64_t value = node.number(name);
    if (value > most) {
        fail_at(node, "parameter \"{}\" is {}, more bytes than any device has", name, value);
    }
    return static_cast<int64_t>(value);
}

// total += amount
inline void add_bytes(int64_t& total, int64_t amount, const Node& node) {
    if (__builtin_add_overflow(total, amount, &total)) {
        fail_at(node, "sizes up to here add up to more than 64 bits hold");
    }
}

// The node at the other end of a connection of `from`.
inline const Node& connected(const Trace& trace, const Node& from, uint32_t counter) {
    if (counter >= trace.size()) {
        fail_at(from, "refers to node {}, but the trace has {} nodes", counter, trace.size());
    }
    return trace[counter];
}

// The buffer that an allocation or deallocation is about.
inline const Node& buffer_of(const Trace& trace, const Node& event) {
    if (event.connections.empty()) {
        fail_at(event, "is connected to no buffer");
    }
    const Node& buffer = connected(trace, event, event.connections.front());
    if (buffer.type != NodeType::BUFFER) {
        fail_at(event, "is connected to node {}, which is a {} and not a buffer", event.connections.front(),
                member_name(buffer.type));
    }
    return buffer;
}

// Of buffers, allocations and deallocations.
inline bool is_l1(const Node& node) { return node.text("type") == "L1"; }
inline bool is_dram(const Node& node) { return node.text("type") == "DRAM"; }

}  // namespace ttnn::graph
