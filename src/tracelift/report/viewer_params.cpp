#include "tracelift/report/viewer_params.hpp"

#include <fmt/format.h>

#include "tracelift/report/report_error.hpp"
#include "tracelift/report/viewer_text.hpp"

namespace tracelift::report {
namespace {

// A parameter of a node as the viewer reads it: what its parsers take stays as it was captured.
void append_param(std::string& out, std::string_view key, const Element& value) {
    const auto text = as_text(value);
    if (key == "globally_allocated") {
        append_python_string(out, viewer_flag(text ? *text : plain_text(value)));
    } else if (text && key == "memory_config") {
        append_python_string(out, viewer_memory_config(*text));
    } else if (text && key == "dtype" && text->find_first_of(":.") == text->npos) {
        append_python_string(out, viewer_dtype(*text));
    } else {
        append_python_json(out, value);
    }
}

// `name` takes the place of the captured one.
void append_params(std::string& out, const Element& params, const std::optional<std::string>& name) {
    if (!params.is_object()) {
        append_python_json(out, params);
        return;
    }
    std::string_view separator = "{";
    for (const auto field : fields(params)) {
        out += separator;
        append_python_string(out, field.key);
        out += ": ";
        if (name && field.key == "name" && field.value.is_string()) {
            append_python_string(out, *name);
        } else {
            append_param(out, field.key, field.value);
        }
        separator = ", ";
    }
    out += separator == "{" ? "{}" : "}";
}

// Others go into the database as they were captured.
bool has_viewer_texts(const NodeView& node) {
    return node.is(NodeType::FUNCTION_START) || node.is(NodeType::FUNCTION_END) || node.is(NodeType::TENSOR) ||
           node.is(NodeType::CIRCULAR_BUFFER_ALLOCATE) || node.is(NodeType::BUFFER_ALLOCATE);
}

int64_t number_or_0(const Element& object, std::string_view name) {
    const auto found = member(object, name);
    return found ? as_integer(*found).value_or(0) : 0;
}

Element parsed(simdjson::dom::parser& parser, std::string_view json, std::string_view what) {
    Element list;
    const auto problem = parser.parse(json.data(), json.size()).get(list);
    if (problem != simdjson::SUCCESS || !list.is_array()) {
        throw ReportError(fmt::format("{}: expected a list in JSON", what));
    }
    return list;
}

Devices devices_in(std::string_view json) {
    simdjson::dom::parser parser;
    Devices devices;
    for (const Element device : items(parsed(parser, json, "devices"))) {
        Devices::Banks banks;
        banks.dram = number_or_0(device, "num_dram_channels");
        banks.l1 = number_or_0(device, "l1_num_banks");
        devices.add(number_or_0(device, "device_id"), banks);
    }
    return devices;
}

void append_node(std::string& out, const Element& node, ViewerParams& params, size_t number) {
    NodeView view;
    view.object = node;
    const auto type = member(node, "node_type");
    view.type = ttnn::member_of<NodeType>((type ? as_text(*type) : std::nullopt).value_or(""));
    view.params = member(node, "params");
    out += out.size() > 1 ? ", {" : "{";
    for (const auto field : fields(node)) {
        if (field.key == "id") {
            continue;
        }
        append_python_string(out, field.key);
        out += ": ";
        field.key == "params" ? params.append(out, view, field.value) : append_python_json(out, field.value);
        out += ", ";
    }
    out += fmt::format("\"id\": {}}}", number);
}

}  // namespace

void ViewerParams::append_texts(std::string& out, const Element& params) { append_params(out, params, {}); }

void ViewerParams::append(std::string& out, const NodeView& node, const Element& params) {
    if (!has_viewer_texts(node)) {
        append_python_json(out, params);
        return;
    }
    std::optional<std::string> name;
    if (node.is(NodeType::FUNCTION_START)) {
        name = names_.begin(node.text("name"));
    } else if (node.is(NodeType::FUNCTION_END)) {
        name = names_.end(node.text("name"));
    }
    append_params(out, params, name);
    append_size_per_bank(out, node);
}

// Without it the viewer takes an interleaved buffer for evenly spread, which a buffer of few pages is not.
void ViewerParams::append_size_per_bank(std::string& out, const NodeView& node) const {
    const auto size = node.integer("size");
    if (!node.is(NodeType::BUFFER_ALLOCATE) || !size || node.has("max_size_per_bank") || !node.has("page_size")) {
        return;
    }
    const auto banks = devices_.banks_of(node.integer("device_id").value_or(0));
    out.pop_back();
    out += fmt::format(R"(, "max_size_per_bank": "{}"}})", size_per_bank(node, *size, buffer_type_of(node), banks));
}

std::string viewer_graph(std::string_view nodes, std::string_view devices) {
    const Devices known = devices_in(devices);
    ViewerParams params(known);
    simdjson::dom::parser parser;
    std::string text = "[";
    size_t number = 0;
    for (const Element node : items(parsed(parser, nodes, "the captured graph"))) {
        if (!node.is_object()) {
            throw ReportError(fmt::format("the captured graph: node {}: expected an object", number));
        }
        append_node(text, node, params, number++);
    }
    return text += ']';
}

}  // namespace tracelift::report
