// What format 1 leaves to the name of a field: type names inside an object are not written.
#pragma once

#include <string_view>

namespace tracelift {

// The type of the record that stands under a field without its name; empty when the field says nothing.
std::string_view bare_record_of(std::string_view field);
// The same for enumerators. Only MathFidelity is printed without its type.
std::string_view bare_enum_of(std::string_view field);

}  // namespace tracelift
