// Repeated runs of calls, such as the layers of a model, found so that one of them can stand for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttnn/graph/flow.hpp"

namespace ttnn::graph {

// One call, or a run of `length` calls from `first` on that comes `times` times in a row.
struct FoldedCalls {
    size_t first = 0;
    size_t length = 1;
    size_t times = 1;
    std::vector<FoldedCalls> inside{};  // of the first run; empty for a call
};

// Calls are alike when their names and what they take and give are. The time is linear in the number of calls.
std::vector<FoldedCalls> fold(const std::vector<FlowCall>& calls);

}  // namespace ttnn::graph
