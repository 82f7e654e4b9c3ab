#include "tracelift/cli/json_output.hpp"

#include <fmt/format.h>

namespace tracelift::cli {

void print_json(const Json& json, std::FILE* out) { fmt::print(out, "{}\n", json_text(json, 2)); }

}  // namespace tracelift::cli
