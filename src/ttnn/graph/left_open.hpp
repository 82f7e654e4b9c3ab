// Functions that an exception left open. Captures made here give them a function_end; the original's leave them open
// and record everything after them inside. They are over at the error node: those without an end of their own.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

inline bool is_end_of(const Trace& trace, uint32_t counter, std::string_view name) {
    return counter < trace.size() && trace[counter].type == NodeType::FUNCTION_END &&
           trace[counter].find("name").value_or("") == name;
}

// A function_start is connected to its end, behind everything that happened inside.
inline bool has_own_end(const Trace& trace, const Node& start) {
    return std::any_of(start.connections.rbegin(), start.connections.rend(),
                       [&](uint32_t counter) { return is_end_of(trace, counter, start.find("name").value_or("")); });
}

// The function_starts that are open while a trace is walked.
class OpenFunctions {
public:
    explicit OpenFunctions(const Trace& trace) : trace_(trace) {}

    bool empty() const { return open_.empty(); }
    size_t size() const { return open_.size(); }
    void begin(const Node& start) { open_.push_back(&start); }
    // False: there is none to end.
    bool end() {
        if (open_.empty()) {
            return false;
        }
        open_.pop_back();
        return true;
    }
    // Ends what an exception left open here; `visit` gets each, from the inside out.
    template <class Visit>
    void error(Visit visit) {
        while (!open_.empty() && !has_own_end(trace_, *open_.back())) {
            const Node& start = *open_.back();
            open_.pop_back();
            visit(start);
        }
    }

private:
    const Trace& trace_;
    std::vector<const Node*> open_;
};

// The trace with the levels that its nodes have when exceptions end what they left open; nothing when none did.
std::optional<Trace> with_levels_after_errors(const Trace& trace);

}  // namespace ttnn::graph
