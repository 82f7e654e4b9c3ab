// Smaller calls: what a call may become in one step on the way to the smallest one that fails alike.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

// A kind of step. It proposes calls, the boldest first; they may be illegal, or not smaller, which is for others to
// find out.
struct Move {
    std::string_view name;
    void (*propose)(const ttnn::OpInfo& op, const Value::Dict& arguments, std::vector<Value::Dict>& to);
};

// In the order in which they are tried.
std::span<const Move> all_moves();

// Numbers between 0 and `number` that are worth trying instead, ascending: small ones, tiles, and ever smaller steps
// down. The last is the next smaller one.
std::vector<int64_t> smaller_numbers(int64_t number);

}  // namespace tracelift
