// Verdict: what a status means to somebody who reads a report.
#pragma once

#include <cstdint>

#include "tracelift/catalog/status.hpp"

namespace tracelift {

enum class Verdict : uint8_t {
    PASSED,
    FAILED,
    EXPECTED,    // failed in a suite that is expected to fail
    SKIPPED,     // not run, or only checked
    NOT_JUDGED,  // ran, and nothing says whether it is right; never a pass
    FAULT,       // lost for reasons that are not the vector's
};

constexpr Verdict verdict_of(Status status) {
    switch (status) {
        case Status::PASS: return Verdict::PASSED;
        case Status::FAIL:
        case Status::REJECTED:
        case Status::OUT_OF_MEMORY:
        case Status::FAIL_CRASH:
        case Status::FAIL_TIMEOUT:
        case Status::FAIL_HOST_MEMORY:
        case Status::FAIL_WATCHER:
        case Status::FAIL_DEVICE_PERF:
        case Status::XPASS: return Verdict::FAILED;
        case Status::XFAIL: return Verdict::EXPECTED;
        case Status::NOT_RUN:
        case Status::TOO_LARGE: return Verdict::SKIPPED;
        case Status::NOT_JUDGED: return Verdict::NOT_JUDGED;
        case Status::INFRA_WORKER_LOST:
        case Status::INFRA_DEVICE: return Verdict::FAULT;
    }
    return Verdict::FAULT;
}

// What a report has to explain: failures, and results that were lost.
constexpr bool needs_explaining(Status status) {
    return verdict_of(status) == Verdict::FAILED || verdict_of(status) == Verdict::FAULT;
}

}  // namespace tracelift

template <>
struct ttnn::EnumInfo<tracelift::Verdict> {
    using Verdict = tracelift::Verdict;
    static constexpr std::string_view type = "Verdict";
    static constexpr EnumMember<Verdict> members[] = {
        {Verdict::PASSED, "passed"},   {Verdict::FAILED, "failed"},         {Verdict::EXPECTED, "expected"},
        {Verdict::SKIPPED, "skipped"}, {Verdict::NOT_JUDGED, "not judged"}, {Verdict::FAULT, "fault"}};
};
