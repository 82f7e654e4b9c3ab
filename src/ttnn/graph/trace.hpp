// Trace: the nodes of a graph capture, as they are written to files and as analyses read them.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ttnn/core/enum_text.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn::graph {

enum class NodeType : uint8_t {
    CAPTURE_START,
    CAPTURE_END,
    FUNCTION_START,
    FUNCTION_END,
    TENSOR,
    BUFFER,
    BUFFER_ALLOCATE,
    BUFFER_DEALLOCATE,
    CIRCULAR_BUFFER_ALLOCATE,
    CIRCULAR_BUFFER_DEALLOCATE_ALL,
    ERROR,
};

// A trace that is not what an analysis needs; the text names the node and what was expected of it.
class __attribute__((visibility("default"))) TraceError : public Error {
public:
    using Error::Error;
};

struct Node {
    using Params = std::vector<std::pair<std::string, std::string>>;

    uint32_t counter = 0;  // its place in the trace
    NodeType type = NodeType::CAPTURE_START;
    int32_t stacking_level = 0;
    Params params{};                        // by name; all values are texts
    std::vector<uint32_t> connections{};    // in the order they were made, repetitions kept
    std::vector<std::string> arguments{};   // of function_start, as text
    std::vector<uint32_t> input_tensors{};  // of function_start: tensor nodes in the order of the arguments
    uint64_t duration_ns = 0;               // of function_end and capture_end; 0: not known
    std::vector<std::string> stack_trace{};

    // A parameter's text, nothing when there is none of that name.
    std::optional<std::string_view> find(std::string_view name) const;
    // Throw TraceError with the node and the parameter in the text.
    std::string_view text(std::string_view name) const;
    uint64_t number(std::string_view name) const;

    bool operator==(const Node&) const = default;
};

using Trace = std::vector<Node>;

}  // namespace ttnn::graph

template <>
struct ttnn::EnumInfo<ttnn::graph::NodeType> {
    using NodeType = ttnn::graph::NodeType;
    static constexpr std::string_view type = "NodeType";
    static constexpr EnumMember<NodeType> members[] = {
        {NodeType::CAPTURE_START, "capture_start"},
        {NodeType::CAPTURE_END, "capture_end"},
        {NodeType::FUNCTION_START, "function_start"},
        {NodeType::FUNCTION_END, "function_end"},
        {NodeType::TENSOR, "tensor"},
        {NodeType::BUFFER, "buffer"},
        {NodeType::BUFFER_ALLOCATE, "buffer_allocate"},
        {NodeType::BUFFER_DEALLOCATE, "buffer_deallocate"},
        {NodeType::CIRCULAR_BUFFER_ALLOCATE, "circular_buffer_allocate"},
        {NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL, "circular_buffer_deallocate_all"},
        {NodeType::ERROR, "error"}};
};
