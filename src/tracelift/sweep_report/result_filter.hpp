// ResultFilter: which results of a run a report is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/sweep_report/result_set.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift {

struct ResultFilter {
    std::string operation{};  // "add", "ttnn.add", "ttnn::add", or a part of a sweep's name; empty: all
    std::optional<Status> status{};
    std::optional<Verdict> verdict{};
    std::string since{};  // ISO 8601, or the beginning of it; empty: all
};

// Sets the filter's status or verdict: "fail_crash", "failed". False: neither is called so.
bool set_status(ResultFilter& filter, std::string_view word);

bool matches(const ResultFilter& filter, const ResultRecord& record);

}  // namespace tracelift
