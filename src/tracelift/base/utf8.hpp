// Texts of unknown origin, such as names of files: JSON, the store and the viewer's database hold UTF-8 only.
#pragma once

#include <string>
#include <string_view>

namespace tracelift {

bool is_utf8(std::string_view text);
// The text with every byte that is not UTF-8 written as \xNN; the same text where it is.
std::string utf8_text(std::string_view text);

}  // namespace tracelift
