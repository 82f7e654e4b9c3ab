#include "tracelift/sweep_report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::string_view, size_t>;

std::map<Key, const ResultRecord*> by_key(const std::vector<ResultRecord>& records) {
    std::map<Key, const ResultRecord*> map;
    for (const ResultRecord& record : records) {
        const std::string_view id = record.vector_id.empty() ? record.identity : record.vector_id;
        Key key{record.sweep_name, record.suite, id, 0};
        while (!map.try_emplace(key, &record).second) {
            ++std::get<3>(key);
        }
    }
    return map;
}

bool is_failing(const ResultRecord& record) { return needs_explaining(record.status); }

// How much worse the second is; negative: better. NaN is worse than any number.
double pcc_drop(const Change& change) {
    const auto before = accuracy_of(*change.before), after = accuracy_of(*change.after);
    if (!before || !after || (std::isnan(*before) && std::isnan(*after))) {
        return 0;
    }
    if (std::isnan(*before) || std::isnan(*after)) {
        return std::isnan(*after) ? 2 : -2;
    }
    return *before - *after;
}

bool grew(double before, double after, double ratio, double floor) {
    return after > before * ratio && after - before > floor;
}

bool ulp_grew(const std::optional<double>& before, const std::optional<double>& after, const ComparisonLimits& limits) {
    return before && after && grew(*before, *after, limits.ulp_ratio, limits.ulp_floor);
}

double time_ratio(const Change& change) {
    return change.after->milliseconds / std::max(change.before->milliseconds, 1e-3);
}

void compare_status(Comparison& comparison, const Change& change) {
    const bool failed = is_failing(*change.before), fails = is_failing(*change.after);
    if (fails && !failed) {
        comparison.newly_failing.push_back(change);
    } else if (failed && change.after->status == Status::PASS) {
        comparison.fixed.push_back(change);
    } else if (change.before->status != change.after->status) {
        comparison.otherwise.push_back(change);
    }
}

void compare_accuracy(Comparison& comparison, const Change& change, const ComparisonLimits& limits) {
    const auto& before = *change.before;
    const auto& after = *change.after;
    const double drop = pcc_drop(change);
    if (drop > limits.pcc_drop || ulp_grew(before.max_ulp, after.max_ulp, limits)) {
        comparison.less_accurate.push_back(change);
    } else if (-drop > limits.pcc_drop || ulp_grew(after.max_ulp, before.max_ulp, limits)) {
        comparison.more_accurate.push_back(change);
    }
}

// Only calls that did all their work both times can be compared.
void compare_times(Comparison& comparison, const Change& change, const ComparisonLimits& limits) {
    const double before = change.before->milliseconds, after = change.after->milliseconds;
    comparison.milliseconds_before += before;
    comparison.milliseconds_after += after;
    if (change.before->status != change.after->status) {
        return;
    }
    if (grew(before, after, limits.time_ratio, limits.time_floor)) {
        comparison.slower.push_back(change);
    } else if (grew(after, before, limits.time_ratio, limits.time_floor)) {
        comparison.faster.push_back(change);
    }
}

}  // namespace

Comparison compare_runs(const ResultSet& before, const ResultSet& after, const ComparisonLimits& limits) {
    Comparison comparison;
    const auto old_ones = by_key(before.results), new_ones = by_key(after.results);
    comparison.before = old_ones.size();
    comparison.after = new_ones.size();
    for (const auto& [key, record] : old_ones) {
        comparison.passed_before += record->status == Status::PASS ? 1 : 0;
        if (!new_ones.contains(key)) {
            comparison.gone.push_back({record, nullptr});
        }
    }
    for (const auto& [key, record] : new_ones) {
        comparison.passed_after += record->status == Status::PASS ? 1 : 0;
        const auto found = old_ones.find(key);
        if (found == old_ones.end()) {
            (is_failing(*record) ? comparison.newly_failing : comparison.fresh).push_back({nullptr, record});
            continue;
        }
        ++comparison.common;
        const Change change{found->second, record};
        compare_status(comparison, change);
        compare_accuracy(comparison, change, limits);
        compare_times(comparison, change, limits);
    }
    std::ranges::stable_sort(comparison.less_accurate, std::greater{}, pcc_drop);
    std::ranges::stable_sort(comparison.more_accurate, {}, pcc_drop);
    std::ranges::stable_sort(comparison.slower, std::greater{}, time_ratio);
    std::ranges::stable_sort(comparison.faster, {}, time_ratio);
    return comparison;
}

}  // namespace tracelift
