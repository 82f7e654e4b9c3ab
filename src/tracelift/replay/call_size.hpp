// CallSize: which of two calls is the smaller one.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift {

// Compared from the first member to the last: the first that differs decides. Every member is a natural number, so that
// a sequence of ever smaller calls ends. What stands first is what a reader has to understand first: that an argument
// is not needed says more than that a size may be smaller.
struct CallSize {
    uint64_t parts = 0;    // arguments, items of lists, fields of records that hold something
    uint64_t shards = 0;   // memory configs that are sharded
    uint64_t cores = 0;    // that shards lie on
    uint64_t buffers = 0;  // memory configs that are not in DRAM
    uint64_t ranks = 0;    // of all tensors together
    uint64_t sizes = 0;    // of all dimensions of all tensors together
    uint64_t dtypes = 0;   // how far all of them are from float32, or from int32 among whole numbers
    uint64_t tiles = 0;    // tile layouts: rows have no padding
    uint64_t numbers = 0;  // distance from 0 of all others; fractions and negative numbers count more
    auto operator<=>(const CallSize&) const = default;
};

CallSize size_of(const Value::Dict& arguments);

// The dtypes of the same kind that are plainer, the plainest first. None of a dtype that is not known.
std::span<const std::string_view> plainer_dtypes(std::string_view dtype);
// What a number, a flag or a text adds to CallSize::numbers.
uint64_t number_weight(const Value& value);

}  // namespace tracelift
