#include "tracelift/report/node_view.hpp"

#include <fmt/format.h>

#include "tracelift/report/report_error.hpp"

namespace tracelift::report {

std::string_view NodeView::text(std::string_view param) const {
    const auto found = params ? member(*params, param) : std::nullopt;
    return found ? as_text(*found).value_or(std::string_view()) : std::string_view();
}

std::optional<int64_t> NodeView::integer(std::string_view param) const {
    const auto found = params ? member(*params, param) : std::nullopt;
    return found ? as_integer(*found) : std::nullopt;
}

std::vector<uint64_t> NodeView::counters(const std::optional<Element>& list) {
    std::vector<uint64_t> result;
    if (list && list->is_array()) {
        for (const Element item : items(*list)) {
            if (const auto number = as_integer(item); number && *number >= 0) {
                result.push_back(static_cast<uint64_t>(*number));
            }
        }
    }
    return result;
}

const NodeView& NodeReader::read(size_t position) {
    const Span span = report_.node(position);
    Slot& slot = span.size() > largest_kept ? large_ : slots_[position % slots_.size()];
    slot.filled = false;  // also when parsing fails
    NodeView& node = slot.node;
    node = {};
    node.position = position;
    node.object = report_.json().parse(slot.parser, span, "node", position);
    if (!node.object.is_object()) {
        throw ReportError(fmt::format("{}: node {}: expected an object", report_.name(), position));
    }
    for (const auto field : fields(node.object)) {
        const std::string_view key = field.key;
        const Element value = field.value;
        if (key == "counter") {
            node.counter = as_integer(value).value_or(0);
        } else if (key == "node_type") {
            node.type = ttnn::member_of<NodeType>(as_text(value).value_or(""));
        } else if (key == "params") {
            node.params = value;
        } else if (key == "connections") {
            node.connections = value;
        } else if (key == "input_tensors") {
            node.input_tensors = value;
        } else if (key == "arguments") {
            node.arguments = value;
        } else if (key == "stack_trace") {
            node.stack_trace = value;
        } else if (key == "duration_ns") {
            node.duration_ns = as_integer(value).value_or(0);
        }
    }
    if (node.duration_ns == 0) {
        node.duration_ns = node.integer("duration_ns").value_or(0);  // where the guide lists it
    }
    slot.filled = true;
    return node;
}

}  // namespace tracelift::report
