// Cores as reports write them: "{[(x=0,y=0) - (x=7,y=7)], [(x=0,y=8) - (x=3,y=8)]}", alone or inside a longer text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace tracelift::report {

class CoreSet {
public:
    // Whatever ranges the text holds; what is no range of a device is skipped.
    void add(std::string_view text);
    size_t size() const { return cores_.size(); }

private:
    std::set<uint32_t> cores_;
};

}  // namespace tracelift::report
