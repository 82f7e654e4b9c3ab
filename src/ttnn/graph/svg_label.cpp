#include "ttnn/graph/svg_label.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "ttnn/graph/svg_text.hpp"

namespace ttnn::graph::svg {
namespace {

// Arguments are for orientation: a tensor's text may hold all its values.
constexpr size_t argument_columns = 200;

void add_word(std::string& line, std::string_view word) {
    if (!word.empty()) {
        line += ' ';
        line += word;
    }
}

void add_param(std::string& line, const Node& node, std::string_view name) {
    add_word(line, node.find(name).value_or(""));
}

// "DataType::BFLOAT16" and "bfloat16" are both in use; the type says nothing new in a row.
void add_unscoped_param(std::string& line, const Node& node, std::string_view name) {
    const std::string_view text = node.find(name).value_or("");
    const size_t scope = text.rfind("::");
    add_word(line, scope == text.npos ? text : text.substr(scope + 2));
}

void add_shape(std::string& line, const Node& node) {
    const std::string_view text = node.find("shape").value_or("");
    const size_t begin = text.find('[');
    const size_t end = text.rfind(']');
    const bool bracketed = begin != text.npos && end != text.npos && begin < end;
    add_word(line, bracketed ? text.substr(begin, end + 1 - begin) : text);
}

void add_size(std::string& line, const Node& node) {
    if (const auto size = node.find("size")) {
        line += fmt::format(" {} B", *size);
    }
}

// "{[(x=0,y=0) - (x=0,y=7)]}" as "(0,0)-(0,7)": a row has little room.
void add_cores(std::string& line, const Node& node) {
    std::string cores{node.find("core_range_set").value_or("")};
    std::erase_if(cores, [](char c) { return std::string_view("{}[]xy= ").find(c) != std::string_view::npos; });
    if (!cores.empty()) {
        line += " on " + cores;
    }
}

// A deallocation may carry no size or a wrong one; it names its buffer instead.
void add_buffer(std::string& line, const Node& node) {
    if (node.type != NodeType::BUFFER_DEALLOCATE) {
        add_size(line, node);
    } else if (!node.connections.empty()) {
        line += fmt::format(" of #{}", node.connections.front());
    }
    add_param(line, node, "type");
    add_param(line, node, "layout");
}

void add_tensor(std::string& line, const Node& node) {
    add_shape(line, node);
    add_unscoped_param(line, node, "dtype");
    add_unscoped_param(line, node, "layout");
    add_unscoped_param(line, node, "buffer_type");
}

void add_error(std::string& line, const Node& node) {
    add_param(line, node, "error_type");
    line += ':';
    add_param(line, node, "error_message");
    if (const auto operation = node.find("error_operation"); operation && !operation->empty()) {
        line += fmt::format(" (in {})", *operation);
    }
}

void append_fact(std::string& out, std::string_view name, std::string_view value) {
    out += '\n';
    append_xml(out, name);
    out += ": ";
    append_xml(out, value);
}

}  // namespace

std::string duration_text(const Node& node) {
    if (node.duration_ns == 0) {
        return "";
    }
    const int decimals = node.duration_ns < 10'000 ? 6 : 3;
    return fmt::format("{:.{}f} ms", static_cast<double>(node.duration_ns) / 1e6, decimals);
}

std::string row_text(const Node& node) {
    std::string line = fmt::format("#{} {}", node.counter, member_name(node.type));
    switch (node.type) {
        case NodeType::FUNCTION_START:
        case NodeType::FUNCTION_END: add_param(line, node, "name"); break;
        case NodeType::TENSOR:
            add_param(line, node, "tensor_id");
            add_tensor(line, node);
            break;
        case NodeType::BUFFER:
        case NodeType::BUFFER_ALLOCATE:
        case NodeType::BUFFER_DEALLOCATE: add_buffer(line, node); break;
        case NodeType::CIRCULAR_BUFFER_ALLOCATE:
            add_size(line, node);
            add_cores(line, node);
            break;
        case NodeType::ERROR: add_error(line, node); break;
        case NodeType::CAPTURE_START:
        case NodeType::CAPTURE_END:
        case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: break;
    }
    return line;
}

std::string tensor_text(const Node& node) {
    std::string line;
    add_tensor(line, node);
    return line.empty() ? "tensor" : line.substr(1);
}

void append_hover_text(std::string& out, const Node& node) {
    fmt::format_to(std::back_inserter(out), "#{} {}", node.counter, member_name(node.type));
    for (const auto& [name, value] : node.params) {
        append_fact(out, name, value);
    }
    for (size_t i = 0; i < node.arguments.size(); ++i) {
        fmt::format_to(std::back_inserter(out), "\nargument {}: ", i);
        append_xml_line(out, node.arguments[i], argument_columns);
    }
    if (node.duration_ns > 0) {
        fmt::format_to(std::back_inserter(out), "\nduration_ns: {}", node.duration_ns);
    }
}

}  // namespace ttnn::graph::svg
