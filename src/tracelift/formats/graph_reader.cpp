#include "tracelift/formats/graph_reader.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/dialects/graph_text.hpp"
#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace tracelift {
namespace {

using ttnn::graph::Node;
using ttnn::graph::NodeType;
using ttnn::graph::Trace;

// What follows a mark, up to one of some characters; empty where there is no such mark.
std::string_view text_behind(std::string_view json, std::string_view mark, std::string_view end) {
    const size_t found = json.find(mark);
    if (found == json.npos) {
        return {};
    }
    const std::string_view rest = json.substr(found + mark.size(), 64);
    return rest.substr(0, rest.find_first_of(end));
}

// What a report says of its first chip, with the mesh where there are several (bind/board_text.hpp); empty for a bare
// trace. How tensors are spread over a mesh no graph tells.
std::string board_of_report(std::string_view json) {
    const std::string_view board = text_behind(json, "chip_to_boardtype:\\n  0: ", "\\\"");
    std::string mesh(text_behind(json, "\"mesh_device_shape\":[", "]"));
    std::ranges::replace(mesh, ',', 'x');
    return board.empty() || mesh.empty() ? std::string(board) : fmt::format("{}@{}", board, mesh);
}

// A trace shows a device only as a type.
Value with_device(Value value, const std::string& board) {
    const auto* unparsed = value.as<Value::Unparsed>();
    const bool device = unparsed != nullptr && (unparsed->text.find("MeshDevice") != std::string::npos ||
                                                unparsed->text.find("IDevice") != std::string::npos);
    if (device) {
        return Value(Value::Object{"MeshDevice", board});
    }
    return value;
}

// A tensor on a device, or the device itself.
bool is_on_device(const Value& value) {
    if (const auto* list = value.as<Value::List>()) {
        return std::ranges::any_of(*list, is_on_device);
    }
    if (const auto* object = value.as<Value::Object>()) {
        return object->type == "MeshDevice";
    }
    const auto* record = value.as<Value::Struct>();
    const Value* storage = record != nullptr && record->type == "Tensor" ? value.find("storage_type") : nullptr;
    return storage != nullptr && *storage == Value(Value::Enum{"StorageType", "DEVICE"});
}

// The calls that the program made itself stand at the lowest level, also those after an exception.
Trace read_levels(std::string_view json, const std::string& name) {
    try {
        Trace trace = ttnn::graph::read_trace(json, name);
        std::optional<Trace> corrected = ttnn::graph::with_levels_after_errors(trace);
        return corrected ? *std::move(corrected) : std::move(trace);
    } catch (const ttnn::graph::TraceError& error) {
        throw FileError(error.what());
    }
}

// A call that went on after an error has an end with outputs.
bool is_ended_by(const Trace& trace, const Node& call, const Node& error) {
    const std::string_view name = call.find("name").value_or("");
    const auto end = std::find_if(call.connections.rbegin(), call.connections.rend(),
                                  [&](uint32_t counter) { return ttnn::graph::is_end_of(trace, counter, name); });
    if (end == call.connections.rend()) {
        return true;
    }
    return *end > error.counter && std::ranges::none_of(trace[*end].connections, [&](uint32_t counter) {
        return counter < trace.size() && trace[counter].type == NodeType::TENSOR;
    });
}

// What the calls at `level` failed with, by the counter of the call.
std::map<uint32_t, std::string> errors_of_calls(const Trace& trace, int32_t level) {
    std::map<uint32_t, std::string> errors;
    const Node* call = nullptr;
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_START && node.stacking_level == level) {
            call = &node;
        } else if (node.type == NodeType::ERROR && call != nullptr && is_ended_by(trace, *call, node)) {
            errors.emplace(call->counter, node.find("error_message").value_or("error"));
        }
    }
    return errors;
}

}  // namespace

GraphSummary read_graph_calls(std::string_view json, const std::string& name, CallSink& sink) {
    const Trace trace = read_levels(json, name);
    const std::string board = board_of_report(json);
    const std::optional<Hardware> hardware = hardware_of_board(board);
    GraphSummary summary;
    summary.nodes = trace.size();
    int32_t outermost = std::numeric_limits<int32_t>::max();
    for (const auto& node : trace) {
        if (node.type == NodeType::FUNCTION_START) {
            outermost = std::min(outermost, node.stacking_level);
        }
    }
    const std::map<uint32_t, std::string> errors = errors_of_calls(trace, outermost);
    for (const auto& node : trace) {
        if (node.type != NodeType::FUNCTION_START || node.stacking_level != outermost) {
            continue;
        }
        if (node.arguments.empty()) {
            ++summary.without_arguments;
            continue;
        }
        const auto operation = node.find("name");
        if (!operation) {
            sink.unread({fmt::format("{}: node {}", name, node.counter),
                         fmt::format("{}", fmt::join(node.arguments, "; ")), "a function without a name"});
            continue;
        }
        FileCall call;
        call.call.operation = *operation;
        call.order = Order::CPP;
        for (const std::string& text : node.arguments) {
            Value value = with_device(read_cpp_text(text), board);
            call.hardware = is_on_device(value) ? hardware : call.hardware;
            call.call.positional.push_back(value.is_null() ? std::nullopt : std::optional(std::move(value)));
        }
        if (const auto error = errors.find(node.counter); error != errors.end()) {
            call.error = error->second;
        }
        ++summary.calls;
        sink.call(std::move(call));
    }
    return summary;
}

GraphSummary read_graph_calls(const std::filesystem::path& path, CallSink& sink) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    return read_graph_calls(std::move(text).str(), path.string(), sink);
}

}  // namespace tracelift
