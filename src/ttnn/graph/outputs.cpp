#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include <fmt/ranges.h>

#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

namespace {

const Node* last_function_end(const Trace& trace) {
    const auto is_end = [](const Node& node) { return node.type == NodeType::FUNCTION_END; };
    const auto found = std::find_if(trace.rbegin(), trace.rend(), is_end);
    return found == trace.rend() ? nullptr : &*found;
}

std::set<uint32_t> tensors_of(const Trace& trace, const Node& function_end) {
    std::set<uint32_t> tensors;
    for (const uint32_t counter : function_end.connections) {
        if (connected(trace, function_end, counter).type == NodeType::TENSOR) {
            tensors.insert(counter);
        }
    }
    return tensors;
}

bool makes_device_tensor(const Node& node) {
    if (node.type != NodeType::FUNCTION_END) {
        return false;
    }
    const std::string_view name = node.text("name");
    return name == "create_device_tensor" || name == "tt::tt_metal::create_device_tensor";
}

// The numbers between '[' and ']', whatever stands around them.
std::vector<uint32_t> parse_shape(const Node& tensor) {
    const std::string_view text = tensor.text("shape");
    const size_t open = text.find('[');
    const size_t close = text.find(']', open == text.npos ? 0 : open);
    std::vector<uint32_t> shape;
    const char* at = open == text.npos ? nullptr : text.data() + open + 1;
    const char* const end = close == text.npos ? nullptr : text.data() + close;
    bool good = at != nullptr && end != nullptr;
    while (good && at != end) {
        uint32_t size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        good = error == std::errc() && (next == end || *next == ',');
        shape.push_back(size);
        at = std::find_if(next, end, [](char c) { return c != ',' && c != ' '; });
    }
    if (!good) {
        fail_at(tensor, "shape \"{}\" is not like \"Shape([4, 32])\"", shortened(text));
    }
    return shape;
}

}  // namespace

std::set<uint32_t> extract_output_tensors(const Trace& trace) {
    const Node* end = last_function_end(trace);
    if (end == nullptr) {
        throw TraceError(fmt::format("a trace of {} nodes without function_end has no output tensors", trace.size()));
    }
    return tensors_of(trace, *end);
}

std::pair<uint32_t, uint32_t> count_intermediate_and_output_tensors(const Trace& trace) {
    std::unordered_set<uint32_t> made;
    for (const Node& node : trace) {
        if (makes_device_tensor(node) && !node.connections.empty()) {
            made.insert(node.connections.front());
        }
    }
    const Node* end = last_function_end(trace);
    const std::set<uint32_t> outputs = end == nullptr ? std::set<uint32_t>() : tensors_of(trace, *end);
    for (const uint32_t output : outputs) {
        made.erase(output);
    }
    return {static_cast<uint32_t>(made.size()), static_cast<uint32_t>(outputs.size())};
}

std::vector<TensorInfo> extract_output_info(const Trace& trace) {
    const std::set<uint32_t> outputs = extract_output_tensors(trace);
    std::vector<TensorInfo> infos;
    for (const Node& buffer : trace) {
        if (buffer.type != NodeType::BUFFER) {
            continue;
        }
        std::unordered_set<uint32_t> done;  // stays empty for all but a few buffers
        for (const uint32_t tensor : buffer.connections) {
            if (outputs.contains(tensor) && done.insert(tensor).second) {
                infos.push_back({parse_shape(trace[tensor]), buffer.number("size"), is_l1(buffer) ? "L1" : "DRAM"});
            }
        }
    }
    return infos;
}

std::string repr(const TensorInfo& info) {
    return fmt::format("TensorInfo(shape=Shape([{}]), size={}, type={})", fmt::join(info.shape, ", "), info.size,
                       info.type);
}

}  // namespace ttnn::graph
