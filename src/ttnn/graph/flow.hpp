// The data flow between the calls that a program makes itself: what each of them takes from which other, and gives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

struct FlowCall {
    std::string name;
    uint32_t counter = 0;      // of its function_start
    uint32_t last = 0;         // node inside it
    uint64_t duration_ns = 0;  // 0: not known
    bool ended = false;
    bool failed = false;                 // there is an error inside
    std::string steps{};                 // names of the functions inside, each once
    std::vector<uint32_t> producers{};   // calls whose tensors it takes, each once
    std::vector<std::string> outside{};  // tensors that it takes and no call made
    std::vector<std::string> gives{};    // tensors
};

// Takes the nodes of a trace one after the other. Liberal: links that lead nowhere are left out, a function that an
// exception left open ends at the error, and one that did not end otherwise with what encloses it.
class FlowBuilder {
public:
    // Whether the node with this counter, which may be to come, is the end of a function of this name.
    using IsEndOf = std::function<bool(uint32_t counter, std::string_view name)>;

    explicit FlowBuilder(IsEndOf is_end_of) : is_end_of_(std::move(is_end_of)) {}
    void add(const Node& node);
    // The calls in their order.
    std::vector<FlowCall> finish();

private:
    struct Inputs {
        bool listed = false;                // by the call itself, else only by the tensors
        std::vector<uint32_t> outside{};    // tensor nodes
        std::vector<uint32_t> produced{};   // calls
        std::vector<uint32_t> gives{};      // tensor nodes
        std::vector<std::string> inside{};  // names of functions
    };

    struct OpenFunction {
        std::string name;
        std::vector<uint32_t> connections;
    };

    void start(const Node& node);
    void end(const Node& node);
    void error();
    void tensor(const Node& node);
    void take(uint32_t call, uint32_t tensor);

    IsEndOf is_end_of_;
    std::vector<FlowCall> calls_;
    std::vector<Inputs> inputs_;  // by call
    std::vector<OpenFunction> open_;
    std::unordered_map<uint32_t, uint32_t> by_start_;    // counter of a function_start to its call
    std::unordered_map<uint32_t, uint32_t> producers_;   // tensor node to the last call that gave it
    std::unordered_multimap<uint32_t, uint32_t> later_;  // counter of a function_start to come, to a tensor it takes
    std::unordered_map<uint32_t, std::string> tensors_;
};

std::vector<FlowCall> flow_of(const Trace& trace);

}  // namespace ttnn::graph
