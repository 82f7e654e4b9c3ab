// Whether a database keeps the rules it was made by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/base/sqlite.hpp"

namespace tracelift::report {

struct Violation {
    std::string rule;
    std::string meaning;
    int64_t count = 0;
    std::string example;
};
struct CheckResult {
    std::vector<std::string> rules;  // that were checked
    std::vector<Violation> violations;
};

CheckResult check_database(Database& database);

}  // namespace tracelift::report
