#include "tracelift/cli/numbers.hpp"

namespace tracelift::cli {

std::string grouped(uint64_t number) {
    std::string text = std::to_string(number);
    for (size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

}  // namespace tracelift::cli
