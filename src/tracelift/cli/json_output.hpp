// JSON on the standard output.
#pragma once

#include <cstdio>

#include "tracelift/value/json.hpp"

namespace tracelift::cli {

// Bytes that are not UTF-8 (names of files, texts of others' databases) are replaced: JSON cannot hold them.
std::string json_text(const Json& json, int indent = 2);
void print_json(const Json& json, std::FILE* out = stdout);

}  // namespace tracelift::cli
