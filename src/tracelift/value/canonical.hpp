// Canonical form and content hash: equal meaning gives equal bytes.
#pragma once

#include <string>
#include <string_view>

#include "tracelift/base/sha256.hpp"
#include "tracelift/value/value.hpp"

namespace tracelift {

// Part of every canonical form; raised when the rules below change, so that old hashes are never mixed with new ones.
inline constexpr int canonical_version = 1;

// The value with what does not matter taken out: keys sorted in dicts and records, every NaN the same, and nothing that
// changes from run to run: the text of objects, " at 0x..." in texts, whole numbers under the keys `hash`, `address`
// and `buffer_address`.
Value normalised(Value value);

// canonical_version and the byte form of the normalised value.
std::string canonical_bytes(const Value& value);

class ByteWriter;
// The byte form of normalised(value), without making that value.
void put_canonical(const Value& value, ByteWriter& writer);
void put_canonical(const Value::Dict& dict, ByteWriter& writer);

inline std::string content_hash(const Value& value) { return sha256(canonical_bytes(value)); }

}  // namespace tracelift
