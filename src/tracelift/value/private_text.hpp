// Texts without what tells about the person who ran a program.
#pragma once

#include <string>
#include <string_view>

namespace tracelift {

// The home folder becomes "~", and a part of a path that is the user's name becomes "<user>".
std::string private_text(std::string_view text);
// The same for any home and name.
std::string private_text(std::string_view text, std::string_view home, std::string_view user);

}  // namespace tracelift
