#include "ttnn/graph/flow.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "ttnn/core/observer.hpp"
#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/svg_label.hpp"

namespace ttnn::graph {
namespace {

// Keeps the first of equal ones.
void remove_repeated(std::vector<uint32_t>& list) {
    std::unordered_set<uint32_t> seen;
    std::erase_if(list, [&](uint32_t value) { return !seen.insert(value).second; });
}

// They are inside every primitive and tell nothing about it.
bool is_routine(std::string_view name) { return name == device_operation_name || name == "create_device_tensor"; }

}  // namespace

void FlowBuilder::take(uint32_t call, uint32_t tensor) {
    const auto producer = producers_.find(tensor);
    if (producer == producers_.end()) {
        inputs_[call].outside.push_back(tensor);
    } else if (producer->second != call) {
        inputs_[call].produced.push_back(producer->second);
    }
}

void FlowBuilder::start(const Node& node) {
    std::string name(node.find("name").value_or(""));
    if (open_.empty()) {
        const auto call = static_cast<uint32_t>(calls_.size());
        calls_.push_back({.name = name, .counter = node.counter, .last = node.counter});
        inputs_.emplace_back();
        by_start_.emplace(node.counter, call);
        inputs_[call].listed = !node.input_tensors.empty();
        for (const uint32_t tensor : node.input_tensors) {
            take(call, tensor);
        }
        const auto [first, last] = later_.equal_range(node.counter);
        for (auto taken = first; !inputs_[call].listed && taken != last; ++taken) {
            take(call, taken->second);
        }
    } else if (!is_routine(name)) {
        constexpr size_t most = 16;
        auto& inside = inputs_.back().inside;
        if (inside.size() < most && std::ranges::find(inside, name) == inside.end()) {
            inside.push_back(name);
        }
    }
    later_.erase(node.counter);
    open_.push_back({std::move(name), node.connections});
}

void FlowBuilder::end(const Node& node) {
    const std::string_view name = node.find("name").value_or("");
    const auto found = std::ranges::find(open_.rbegin(), open_.rend(), name, &OpenFunction::name);
    if (found == open_.rend()) {
        return;
    }
    open_.erase(found.base() - 1, open_.end());
    const auto call = static_cast<uint32_t>(calls_.size() - 1);
    for (const uint32_t tensor : node.connections) {
        producers_[tensor] = call;
    }
    if (open_.empty()) {
        calls_.back().ended = true;
        calls_.back().duration_ns = node.duration_ns;
        inputs_.back().gives = node.connections;
    }
}

void FlowBuilder::error() {
    if (open_.empty()) {
        return;
    }
    calls_.back().failed = true;
    const auto has_own_end = [&](const OpenFunction& function) {
        return std::ranges::any_of(function.connections,
                                   [&](uint32_t counter) { return is_end_of_(counter, function.name); });
    };
    while (!open_.empty() && !has_own_end(open_.back())) {
        open_.pop_back();
    }
}

// A tensor lists the functions that take it: where those do not list it, that is how it is known.
void FlowBuilder::tensor(const Node& node) {
    tensors_.emplace(node.counter, svg::tensor_text(node));
    for (const uint32_t to : node.connections) {
        const auto taker = by_start_.find(to);
        if (taker != by_start_.end() && !inputs_[taker->second].listed) {
            take(taker->second, node.counter);
        } else if (taker == by_start_.end() && to > node.counter) {
            later_.emplace(to, node.counter);
        }
    }
}

void FlowBuilder::add(const Node& node) {
    if (!open_.empty()) {
        calls_.back().last = node.counter;
    }
    switch (node.type) {
        case NodeType::FUNCTION_START: start(node); break;
        case NodeType::FUNCTION_END: end(node); break;
        case NodeType::TENSOR: tensor(node); break;
        case NodeType::CAPTURE_END: open_.clear(); break;
        case NodeType::ERROR: error(); break;
        default: break;
    }
}

std::vector<FlowCall> FlowBuilder::finish() {
    const auto texts = [&](const std::vector<uint32_t>& counters) {
        std::vector<std::string> list;
        for (const uint32_t counter : counters) {
            if (const auto found = tensors_.find(counter); found != tensors_.end()) {
                list.push_back(found->second);
            }
        }
        return list;
    };
    for (size_t i = 0; i < calls_.size(); ++i) {
        FlowCall& call = calls_[i];
        Inputs& inputs = inputs_[i];
        remove_repeated(inputs.produced);
        remove_repeated(inputs.outside);
        call.steps = fmt::format("{}", fmt::join(inputs.inside, ", "));
        call.producers = std::move(inputs.produced);
        call.outside = texts(inputs.outside);
        call.gives = texts(inputs.gives);
    }
    return std::move(calls_);
}

std::vector<FlowCall> flow_of(const Trace& trace) {
    FlowBuilder builder([&](uint32_t counter, std::string_view name) { return is_end_of(trace, counter, name); });
    for (const Node& node : trace) {
        builder.add(node);
    }
    return builder.finish();
}

}  // namespace ttnn::graph
