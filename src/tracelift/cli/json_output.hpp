// JSON on the standard output.
#pragma once

#include <cstdio>

#include "tracelift/base/json_text.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::cli {

void print_json(const Json& json, std::FILE* out = stdout);

}  // namespace tracelift::cli
