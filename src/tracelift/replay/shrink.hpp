// Shrinking: from a call that fails to the smallest that fails alike, step by step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tracelift/value/value.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

// For each call whether it fails alike, in their order. Fewer answers than calls: there is no time for more.
using FailsAlike = std::function<std::vector<bool>(std::span<const Value::Dict> calls)>;

struct Shrunk {
    Value::Dict arguments{};
    size_t tried = 0;       // calls that were asked about, each once
    size_t alike = 0;       // of those, the ones that fail alike
    bool smallest = false;  // no single move makes it smaller; false: stopped before that was known
};

// Greedy: takes the first smaller call of a move that fails alike and goes on from there, until no move of all_moves()
// helps. "Smaller" is the order of CallSize, so it ends. The same answers give the same result: calls are asked about
// in a fixed order, in batches that grow while nothing is found. `arguments` fail. At most `attempts` calls are tried.
Shrunk shrink(const ttnn::OpInfo& op, Value::Dict arguments, const FailsAlike& fails_alike, size_t attempts);

}  // namespace tracelift
