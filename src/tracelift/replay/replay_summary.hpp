// ReplaySummary: how many calls came to what, per operation and overall.
#pragma once

#include <array>
#include <map>
#include <string>

#include "tracelift/base/json.hpp"
#include "tracelift/replay/replay.hpp"

namespace tracelift {

struct OutcomeCounts {
    static constexpr size_t kinds = std::size(ttnn::EnumInfo<Outcome>::members);
    std::array<size_t, kinds> counts{};

    size_t& operator[](Outcome outcome) { return counts.at(static_cast<size_t>(outcome)); }
    size_t operator[](Outcome outcome) const { return counts.at(static_cast<size_t>(outcome)); }
    size_t total() const;
    Json json() const;  // "total" and a number for every outcome
};

struct ReplaySummary {
    OutcomeCounts overall{};
    std::map<std::string, OutcomeCounts> operations{};  // by C++ name

    void add(const Replayed& replayed);
    // Nothing differs, was refused or failed, and something was replayed.
    bool good() const;
    Json json() const;  // the overall counts, and "operations" with the same for each
};

// One replay for programs.
Json replayed_json(const Replayed& replayed);

}  // namespace tracelift
