// The arguments of a call as a tree of parts that can be exchanged.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

// Where a part is: the position of the argument, then positions in lists, records and dicts.
using Path = std::vector<size_t>;

struct Part {
    Path path{};
    std::string_view name{};  // of the argument or field; items have that of their list
    const Value* value = nullptr;
    bool in_tensor = false;  // of a tensor's description
    bool is_size = false;    // of a tensor's shape
};

// Outside in and left to right. Points into the arguments.
std::vector<Part> parts_of(const Value::Dict& arguments);

struct Change {
    Path path{};
    Value value{};
};
// With all changes made. No path lies inside another.
Value::Dict changed(Value::Dict arguments, std::span<const Change> changes);

// The record with this value in a field.
Value with_field(const Value& record, std::string_view field, Value value);
Value without_field(const Value& record, std::string_view field);

bool is_record(const Value& value, std::string_view type);
inline bool is_tensor(const Value& value) { return is_record(value, "Tensor"); }
inline bool is_memory_config(const Value& value) { return is_record(value, "MemoryConfig"); }
bool is_sharded(const Value& memory_config);
// "BFLOAT16" of DataType.BFLOAT16 in a field; empty where there is none.
std::string_view member_at(const Value& record, std::string_view field);
// Whole numbers of a list in a field; empty where it is none.
std::vector<int64_t> numbers_at(const Value& record, std::string_view field);
Value list_of(std::span<const int64_t> numbers);

// A CoreRange: its corners belong to it.
struct Cores {
    int64_t start_x = 0, start_y = 0, end_x = 0, end_y = 0;

    // No more than 2^20, whatever is written there: products stay far below 2^63.
    int64_t across() const { return extent(start_x, end_x); }
    int64_t down() const { return extent(start_y, end_y); }
    Value value() const;

private:
    static int64_t extent(int64_t start, int64_t end);
};
Cores cores_of(const Value& range);

// One line per field that differs: "input_tensor.shape", "[1, 64]", "[1, 1]".
struct FieldChange {
    std::string field{};
    std::string before{};  // "not given" where there was none
    std::string after{};
};
std::vector<FieldChange> field_changes(const Value::Dict& before, const Value::Dict& after);

}  // namespace tracelift
