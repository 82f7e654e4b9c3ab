// Names that somebody who misspelt one may have meant: of operations, commands and options alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ttnn {

// The best of `known`, best first: names that begin with what was typed, then names that contain it, then names (or
// beginnings of names) that are few letters away. Case does not matter, and a dotted name is also known by its last
// part. Empty when nothing is near.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known, size_t count = 3);

// "; did you mean A, B or C?", to be put behind a message; empty without names.
std::string did_you_mean(std::span<const std::string> names);

}  // namespace ttnn
