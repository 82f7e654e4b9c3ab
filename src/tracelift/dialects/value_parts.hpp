// Parts of values that both dialects of traced calls write.
#pragma once

#include <string>
#include <string_view>

#include "tracelift/base/json_text.hpp"
#include "tracelift/value/value.hpp"

namespace tracelift {

void write_bool(JsonText& json, bool value);
void write_finite(JsonText& json, double value);
// "inf", "-inf", "nan".
std::string_view non_finite_text(double value);

// The member of an enum, or the text; empty for anything else.
std::string_view member_of(const Value* value);
// "DataType.BFLOAT16".
std::string enum_text(const Value* value);

// A list of whole numbers.
void write_integers(JsonText& json, const Value* list);
// [{"start": {"x", "y"}, "end": {"x", "y"}}, ...] of a CoreRangeSet.
void write_ranges(JsonText& json, const Value* core_range_set);

// "[4, 8]" of "MeshDevice(4x8 grid, 32 devices)"; empty where the text of a device tells no mesh.
std::string mesh_in(std::string_view device);

// Why an object is only described.
inline constexpr std::string_view not_rebuilt = "a value of this type cannot be rebuilt from its text";

// Types of other libraries have a module in front: "torch.Tensor", "numpy.ndarray", "package.Config".
inline bool is_foreign(std::string_view type) { return type.find('.') != std::string_view::npos; }
inline std::string_view class_name(std::string_view type) { return type.substr(type.rfind('.') + 1); }
// Arrays of other libraries: described by shape and dtype.
inline bool is_foreign_array(std::string_view type) { return type.starts_with("torch.") || type.starts_with("numpy."); }

}  // namespace tracelift
