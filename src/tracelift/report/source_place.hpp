// The first place in source code that a stack trace names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracelift::report {

struct SourcePlace {
    std::string file;
    int64_t line = 0;
};
// `File "p", line n` as Python prints it, or `p:n in f`.
std::optional<SourcePlace> first_place(std::string_view trace);
// Every file that a trace names, once.
std::vector<std::string> files_of(std::string_view trace);

}  // namespace tracelift::report
