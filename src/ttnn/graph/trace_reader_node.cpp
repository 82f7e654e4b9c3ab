// What a node needs when all its keys have been read, and the trace when all its nodes have.
#include <algorithm>
#include <iterator>

#include "ttnn/graph/trace_check.hpp"
#include "ttnn/graph/trace_reader.hpp"

namespace ttnn::graph {

void TraceReader::begin_node() {
    place_ = Place::NODE;
    seen_ = 0;
    key_text_.clear();
    trace_.emplace_back();
    node().counter = static_cast<uint32_t>(trace_.size() - 1);
}

void TraceReader::finish_node() {
    constexpr std::pair<Key, std::string_view> required[] = {{Key::COUNTER, "counter"},
                                                             {Key::NODE_TYPE, "node_type"},
                                                             {Key::PARAMS, "params"},
                                                             {Key::CONNECTIONS, "connections"}};
    for (const auto& [key, text] : required) {
        if (!seen(key)) {
            throw TraceError(fmt::format("{}: node {}: key \"{}\" is missing", name_, trace_.size() - 1, text));
        }
    }
    // Not before the node is whole: the "1" of a file cut off inside "10" is not a wrong counter.
    if (counter_ != node().counter) {
        throw TraceError(fmt::format("{}: node {}: key \"counter\": expected {}, its place in the trace, found {}",
                                     name_, node().counter, node().counter, counter_));
    }
    take_duration_from_params();
    without_level_.push_back(!seen(Key::STACKING_LEVEL));
    without_inputs_.push_back(!seen(Key::INPUT_TENSORS));
    place_ = Place::GRAPH;
}

// Brings params into order; of a name that occurs twice, the last value counts, as JSON readers have it.
void TraceReader::finish_params() {
    Node::Params& params = node().params;
    const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(params.begin(), params.end(), by_name)) {
        std::stable_sort(params.begin(), params.end(), by_name);
    }
    const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto first_kept = std::unique(params.rbegin(), params.rend(), same_name).base();
    params.erase(params.begin(), first_kept);
    place_ = Place::NODE;
}

// The guide lists duration_ns among the params of function_end, while its code reads it from the node.
void TraceReader::take_duration_from_params() {
    const bool has_duration = node().type == NodeType::FUNCTION_END || node().type == NodeType::CAPTURE_END;
    if (!has_duration || !node().find("duration_ns")) {
        return;
    }
    if (!seen(Key::DURATION_NS)) {
        try {
            node().duration_ns = node().number("duration_ns");
        } catch (const TraceError& error) {
            throw TraceError(fmt::format("{}: {}", name_, error.what()));
        }
    }
    std::erase_if(node().params, [](const auto& param) { return param.first == "duration_ns"; });
}

void TraceReader::check_references(const Node& checked) const {
    const auto check = [&](std::string_view text, const std::vector<uint32_t>& counters) {
        for (const uint32_t counter : counters) {
            if (counter >= trace_.size()) {
                throw TraceError(fmt::format("{}: node {}: key \"{}\": refers to node {}, but the trace has {} nodes",
                                             name_, checked.counter, text, counter, trace_.size()));
            }
        }
    };
    check("connections", checked.connections);
    check("input_tensors", checked.input_tensors);
}

Trace TraceReader::take() {
    for (const Node& each : trace_) {
        check_references(each);
    }
    derive_levels(trace_, without_level_);
    derive_input_tensors(trace_, without_inputs_);
    return std::move(trace_);
}

}  // namespace ttnn::graph
