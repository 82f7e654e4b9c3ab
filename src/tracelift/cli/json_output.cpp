#include "tracelift/cli/json_output.hpp"

#include <fmt/format.h>

namespace tracelift::cli {

std::string json_text(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void print_json(const Json& json, std::FILE* out) { fmt::print(out, "{}\n", json_text(json)); }

}  // namespace tracelift::cli
