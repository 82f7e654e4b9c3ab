#include "tracelift/report/captured_graph.hpp"

#include <charconv>

#include <fmt/format.h>

namespace tracelift::report {
namespace {

void append_number(std::string& out, int64_t value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

}  // namespace

void CapturedGraph::begin(int64_t operation_id) {
    operation_id_ = operation_id;
    outside_.clear();
    params_.clear();
    text_.clear();
    text_ +=
        R"([{"arguments": [], "connections": [1], "counter": 0, "input_tensors": [], "node_type": "capture_start", )"
        R"("params": {}, "stacking_level": 0, "id": 0})";
    add_edge(0, 1, 0);
}

void CapturedGraph::add_edge(int64_t from, int64_t to, int64_t index) {
    context_.rows.edges({operation_id_, from, to, index, 0, index, context_.rank});
}

std::optional<int64_t> CapturedGraph::number_of(uint64_t counter) const {
    const auto position = context_.report.position_of(counter);
    if (!position) {
        return std::nullopt;
    }
    if (*position >= first_ && *position <= last_) {
        return static_cast<int64_t>(*position - first_) + 1;
    }
    const auto found = outside_.find(*position);
    return found == outside_.end() ? std::nullopt : std::optional(found->second);
}

void CapturedGraph::append_links(const std::vector<uint64_t>& counters) {
    links_.clear();
    text_ += '[';
    for (const uint64_t counter : counters) {
        if (const auto number = number_of(counter)) {
            text_ += links_.empty() ? "" : ", ";
            append_number(text_, *number);
            links_.push_back(*number);
        }
    }
    text_ += ']';
}

void CapturedGraph::append_node(const NodeView& node, int64_t number) {
    text_ += ", {";
    for (const auto field : fields(node.object)) {
        if (field.key == "id") {
            continue;
        }
        append_python_string(text_, field.key);
        text_ += ": ";
        if (field.key == "counter") {
            append_number(text_, number);
        } else if (field.key == "connections") {
            append_links(node.links());
            for (size_t i = 0; i < links_.size(); ++i) {
                add_edge(number, links_[i], static_cast<int64_t>(i));
            }
        } else if (field.key == "input_tensors") {
            append_links(node.inputs());
        } else if (field.key == "params") {
            params_.append(text_, node, field.value);
        } else {
            append_python_json(text_, field.value);
        }
        text_ += ", ";
    }
    text_ += "\"id\": ";
    append_number(text_, number);
    text_ += '}';
}

void CapturedGraph::finish(bool whole) {
    if (!whole) {
        context_.warn(fmt::format("operations of more than {} MB of nodes, stored without them", longest >> 20));
        context_.rows.graphs({operation_id_, std::nullopt, context_.rank});
        return;
    }
    context_.rows.graphs({operation_id_, text_, context_.rank});
}

void CapturedGraph::write(int64_t operation_id, size_t first, size_t last, const std::vector<size_t>& tensors) {
    begin(operation_id);
    first_ = first;
    last_ = last;
    auto number = static_cast<int64_t>(last - first) + 2;
    std::vector<size_t> outside;
    for (const size_t position : tensors) {
        if ((position < first || position > last) && outside_.emplace(position, number).second) {
            outside.push_back(position);
            ++number;
        }
    }
    bool whole = true;
    for (size_t position = first; position <= last && whole; ++position) {
        append_node(reader_.read(position), static_cast<int64_t>(position - first) + 1);
        whole = text_.size() <= longest;
    }
    for (const size_t position : outside) {
        append_node(reader_.read(position), outside_.at(position));
    }
    fmt::format_to(std::back_inserter(text_),
                   R"(, {{"arguments": [], "connections": [], "counter": {0}, "input_tensors": [], )"
                   R"("node_type": "capture_end", "params": {{}}, "stacking_level": 0, "id": {0}}}])",
                   number);
    finish(whole);
}

void CapturedGraph::write_free(int64_t operation_id, size_t position) {
    begin(operation_id);
    const NodeView& node = reader_.read(position);
    text_ += R"(, {"counter": 1, "node_type": "buffer_deallocate", "params": )";
    node.params ? append_python_json(text_, *node.params) : void(text_ += "{}");
    text_ +=
        R"(, "connections": [2], "id": 1}, {"arguments": [], "connections": [], "counter": 2, "input_tensors": [], )"
        R"("node_type": "capture_end", "params": {}, "stacking_level": 0, "id": 2}])";
    add_edge(1, 2, 0);
    finish(true);
}

void CapturedGraph::write_recorded(int64_t operation_id, const Element& nodes) {
    operation_id_ = operation_id;
    text_ = "[";
    for (const Element node : items(nodes)) {
        if (!node.is_object()) {
            continue;
        }
        const auto counter = member(node, "counter");
        const int64_t number = counter ? as_integer(*counter).value_or(0) : 0;
        text_ += text_.size() > 1 ? ", {" : "{";
        for (const auto field : fields(node)) {
            if (field.key == "id") {
                continue;
            }
            append_python_string(text_, field.key);
            text_ += ": ";
            field.key == "params" ? ViewerParams::append_texts(text_, field.value)
                                  : append_python_json(text_, field.value);
            text_ += ", ";
            int64_t index = 0;
            if (field.key == "connections" && field.value.is_array()) {
                for (const Element link : items(field.value)) {
                    if (const auto sink = as_integer(link)) {
                        add_edge(number, *sink, index++);
                    }
                }
            }
        }
        text_ += "\"id\": ";
        append_number(text_, number);
        text_ += '}';
    }
    text_ += ']';
    finish(text_.size() <= longest);
}

}  // namespace tracelift::report
