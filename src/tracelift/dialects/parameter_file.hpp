// A parameter file: one call with all its arguments, in the form that TT-NN documents.
//
//   {"operation_number" | "operation_id": 3, "operation_name": "ttnn.add", "args": [{"position": 0, "value": V}, ...],
//    "kwargs": {name: V}, "timestamp", "num_tensors", "return_value", ...}
//
// Values are read as format 2 has them (format2_values.hpp); files have more about tensors than masters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/dialects/call_stream.hpp"
#include "tracelift/dialects/traced_call.hpp"

namespace tracelift {

std::string parameter_text(const TracedCall& call, uint64_t number, std::string_view timestamp);

// One value as such a file shows it; `board` stands in what is said about devices.
std::string parameter_value_text(const Value& value, const std::string& board);

// "20260115_104616_345678": local time with microseconds.
std::string parameter_timestamp(int64_t microseconds_since_1970);

// The text of one file; `name` stands for it in messages. Throws FileError when it is not a parameter file.
FileCall read_param_file(std::string_view text, const std::string& name);
// The same from its plain tree, on a machine that the file does not name; nullptr: nobody does.
FileCall read_param_tree(const Value& tree, const std::string& name, const Hardware* machine);

// The values that a file has for the tensors of its call (`--trace-params-with-values`).
struct ParameterValues {
    struct Argument {
        std::optional<size_t> position{};            // in Python's order
        std::string name{};                          // of one given by keyword
        std::vector<std::vector<double>> tensors{};  // the numbers of each tensor in it, row-major
    };
    std::string operation{};
    std::vector<Argument> arguments{};  // those with tensors
};
// Throws FileError, also where a tensor has no values.
ParameterValues read_param_values(std::string_view text, const std::string& name);

}  // namespace tracelift
