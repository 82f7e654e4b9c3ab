// A recorded call that fails, shrunk by replaying smaller ones in worker processes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tracelift/replay/call_parts.hpp"
#include "tracelift/replay/replay.hpp"

namespace tracelift {

struct ShrinkOptions {
    ReplayOptions replay{};
    std::string expect{};  // a member of Status or Outcome that counts as the failure; empty: as the call itself fails
    size_t attempts = 20'000;          // calls to try at most
    std::chrono::seconds budget{300};  // for all of them together
};

// Why a shrinking ended.
enum class ShrinkEnd : uint8_t {
    SMALLEST,     // no single move makes the call smaller
    ATTEMPTS,     // the number of calls was used up
    BUDGET,       // the time was
    INTERRUPTED,  // PoolOptions::go_on said so
};

struct ShrunkCall {
    ReplayCall call{};  // the smallest
    Outcome outcome = Outcome::FAILED;
    CallResult result{};      // of the smallest, run once more
    std::string signature{};  // of the failure that was kept; empty where only the status was asked for
    std::vector<FieldChange> changes{};
    size_t tried = 0;
    size_t alike = 0;    // of those, the ones that fail alike
    bool steady = true;  // the smallest failed alike when it was run once more
    ShrinkEnd end = ShrinkEnd::SMALLEST;
};

// `each` hears of every call that was tried. Throws std::runtime_error that says so where the call cannot be replayed,
// does not fail, or does not have the status that is expected.
ShrunkCall shrink_call(const ReplayCall& call, const ShrinkOptions& options,
                       const std::function<void(const Replayed&)>& each = {});

// The words that ShrinkOptions::expect takes.
std::vector<std::string> expected_words();

}  // namespace tracelift

template <>
struct ttnn::EnumInfo<tracelift::ShrinkEnd> {
    using ShrinkEnd = tracelift::ShrinkEnd;
    static constexpr std::string_view type = "ShrinkEnd";
    static constexpr EnumMember<ShrinkEnd> members[] = {{ShrinkEnd::SMALLEST, "smallest"},
                                                        {ShrinkEnd::ATTEMPTS, "attempts"},
                                                        {ShrinkEnd::BUDGET, "budget"},
                                                        {ShrinkEnd::INTERRUPTED, "interrupted"}};
};
