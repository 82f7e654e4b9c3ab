// TracedCall: one call of an operation as its caller wrote it, for the files that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

struct CallError {
    std::string type;
    std::string message;
};

struct TracedCall {
    std::string operation;  // "ttnn.add"
    std::string board;      // of the device it ran on, with the mesh (bind/board_text.hpp); empty for calls on the host
    std::vector<Value> args;
    Value::Dict kwargs;
    Value result;  // null: it returned nothing
};

// How many tensors of ttnn and torch are in a value, in lists, dicts and records too.
uint64_t count_tensors(const Value& value);

}  // namespace tracelift
