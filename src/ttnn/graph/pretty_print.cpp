#include "ttnn/graph/pretty_print.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

namespace {

constexpr size_t blanks_per_level = 4;
constexpr size_t deepest_shown = 100;
constexpr size_t padded_width = 50;

class Printer {
public:
    Printer(const Trace& trace, PrintStyle style) : style_(style), open_(trace) {}

    void add(const Node& node) {
        if (node.type == NodeType::FUNCTION_END) {
            open_.end();
        }
        const std::string line = line_of(node);
        const size_t indent = blanks_per_level * std::min(open_.size(), deepest_shown);
        text_.append(indent, ' ');
        text_ += line;
        if (style_ == PrintStyle::E26 && indent + line.size() < padded_width) {
            text_.append(padded_width - indent - line.size(), ' ');
        }
        text_ += '\n';
        if (node.type == NodeType::FUNCTION_START) {
            open_.begin(node);
        } else if (node.type == NodeType::ERROR) {
            open_.error([](const Node&) {});
        }
    }

    std::string take() { return std::move(text_); }

private:
    std::string line_of(const Node& node) {
        const bool doc = style_ == PrintStyle::DOC;
        switch (node.type) {
            case NodeType::CAPTURE_START: return "Capture Start";
            case NodeType::CAPTURE_END: return "Capture End";
            case NodeType::FUNCTION_START:
                return fmt::format("{}{}", doc ? "Begin: " : "Function Start: ", node.text("name"));
            case NodeType::FUNCTION_END:
                return fmt::format("{}{}", doc ? "End: " : "Function End:   ", node.text("name"));
            case NodeType::TENSOR: return tensor_line(node);
            case NodeType::BUFFER: return "Add Device Buffer";
            case NodeType::BUFFER_ALLOCATE: return "Allocate Device Buffer";
            case NodeType::BUFFER_DEALLOCATE: return "Deallocate Device Buffer";
            case NodeType::CIRCULAR_BUFFER_ALLOCATE: return "Allocate Circular Buffer";
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: return "Deallocate All Circular Buffers";
            case NodeType::ERROR:
                if (doc) {
                    return fmt::format("Error: {}", node.text("error_message"));
                }
                break;
        }
        fail_at(node, "has no line in the style of early 2026");
    }

    std::string tensor_line(const Node& node) {
        const size_t ordinal = tensors_++;
        const auto id = node.find("tensor_id");
        return id ? fmt::format("Add Tensor: {}", *id) : fmt::format("Add Tensor: {}", ordinal);
    }

    PrintStyle style_;
    OpenFunctions open_;
    size_t tensors_ = 0;
    std::string text_;
};

}  // namespace

std::string pretty_format(const Trace& trace, PrintStyle style) {
    Printer printer(trace, style);
    for (const Node& node : trace) {
        printer.add(node);
    }
    return printer.take();
}

}  // namespace ttnn::graph
