// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace tracelift::cli {

// 1234567 as "1,234,567".
std::string grouped(uint64_t number);

}  // namespace tracelift::cli
