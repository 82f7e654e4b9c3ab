// JSON as plain values: null, bool, int, float, text, list and dict, nothing typed yet. What every reader starts from.
//
// An int beyond 64 bits signed is Object{"uint64", digits}, a longer one a float. The tokens NaN, Infinity and
// -Infinity, which Python writes, are read as texts of that name.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tracelift/value/json.hpp"

namespace tracelift {

// Text that is not JSON; says why and at which byte.
class JsonError : public std::runtime_error {
public:
    JsonError(const std::string& why, size_t offset) : std::runtime_error(why), offset_(offset) {}
    size_t offset() const { return offset_; }

private:
    size_t offset_;
};

inline constexpr int deepest_json = 128;  // levels; real files have about fifteen

// One parser per thread is worth keeping: it reuses its buffers.
class JsonParser {
public:
    JsonParser();
    ~JsonParser();
    JsonParser(const JsonParser&) = delete;
    JsonParser& operator=(const JsonParser&) = delete;
    Value parse(std::string_view text);  // throws JsonError

private:
    struct Implementation;
    Implementation* implementation_;
};

Value parse_json(std::string_view text);
Value json_tree(const Json& json);
// The JSON text of a plain value, on one line.
std::string json_text(const Value& tree);

// "line 3, column 14" of a byte.
std::string place_of(std::string_view text, size_t offset);

}  // namespace tracelift
