// JSON text with line breaks and two blanks per level, as Python's json.dump(indent=2) writes it.
#pragma once

#include <string>
#include <string_view>

namespace tracelift {

// Appends `compact` (no blanks between tokens needed, but allowed) to `out`, for a value that stands `depth` levels
// deep.
void indent_json(std::string_view compact, size_t depth, std::string& out);

}  // namespace tracelift
