// Arguments as the original analyzer of masters prints them: what the file holds, wrappers and all. value_text.hpp has
// our own form.
#pragma once

#include <string>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

// One line for each argument of a configuration, which is a plain tree (json_tree.hpp): a list of format 1 or a dict of
// format 2. Without `debug`, none for what was not given or not captured.
std::vector<std::string> original_lines(const Value& arguments, bool debug);

}  // namespace tracelift
