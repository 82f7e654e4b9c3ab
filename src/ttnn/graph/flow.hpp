// The data flow between the calls that a program makes itself: what each of them takes from which other, and gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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

// Takes the nodes of a trace one after the other. Liberal: links that lead nowhere are left out, a function that did
// not end ends with what encloses it.
class FlowBuilder {
public:
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

    void start(const Node& node);
    void end(const Node& node);
    void tensor(const Node& node);
    void take(uint32_t call, uint32_t tensor);

    std::vector<FlowCall> calls_;
    std::vector<Inputs> inputs_;  // by call
    std::vector<std::string> open_;
    std::unordered_map<uint32_t, uint32_t> by_start_;    // counter of a function_start to its call
    std::unordered_map<uint32_t, uint32_t> producers_;   // tensor node to the last call that gave it
    std::unordered_multimap<uint32_t, uint32_t> later_;  // counter of a function_start to come, to a tensor it takes
    std::unordered_map<uint32_t, std::string> tensors_;
};

std::vector<FlowCall> flow_of(const Trace& trace);

}  // namespace ttnn::graph
