#include "tracelift/replay/replay_changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

bool allows_no_error(const std::string& operation) {
    const ttnn::OpInfo* op = ttnn::find_operation(operation);
    return op != nullptr && op->tolerance.ulp_float32 == 0 && op->tolerance.ulp_bfloat16 == 0 &&
           op->tolerance.ulp_block_float == 0 && op->tolerance.absolute == 0;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool is_near(double a, double b, double ratio, double floor) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    return is_same(a, b) || std::max(a, b) <= ratio * std::min(a, b) + floor;
}

// The changes of one call, as they are found.
class Finder {
public:
    explicit Finder(const ReplayCall& call) : call_(call) {}

    void add(ChangeKind kind, std::string what, std::string before, std::string after) {
        found_.push_back({kind, &call_, std::move(what), std::move(before), std::move(after)});
    }
    // The texts of both, where they differ.
    void compare(ChangeKind kind, std::string_view before, std::string_view after) {
        if (before != after) {
            add(kind, {}, std::string(before), std::string(after));
        }
    }
    std::vector<ReplayChange> take() { return std::move(found_); }

private:
    const ReplayCall& call_;
    std::vector<ReplayChange> found_;
};

void compare_outputs(Finder& finder, const std::vector<Fingerprint>& before, const std::vector<Fingerprint>& after,
                     bool bits_compared) {
    for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
        const std::string what = fmt::format("output {}", i);
        if (i >= before.size() || i >= after.size()) {
            finder.add(ChangeKind::OUTPUTS, what, i < before.size() ? before[i].spec : "none",
                       i < after.size() ? after[i].spec : "none");
        } else if (before[i].spec != after[i].spec) {
            finder.add(ChangeKind::OUTPUTS, what, before[i].spec, after[i].spec);
        } else if (bits_compared && before[i].bits != after[i].bits) {
            finder.add(ChangeKind::BITS, what, before[i].bits, after[i].bits);
        }
    }
}

void compare_accuracy(Finder& finder, const Accuracy& before, const Accuracy& after, bool bits_compared,
                      const AccuracyTolerance& tolerance) {
    const auto number = [&](const char* name, double was, double is, bool same) {
        if (!same) {
            finder.add(ChangeKind::ACCURACY, name, fmt::format("{}", was), fmt::format("{}", is));
        }
    };
    if (!bits_compared) {
        number("pcc", before.pcc, after.pcc,
               is_near(1 - before.pcc, 1 - after.pcc, tolerance.ratio, tolerance.pcc_floor));
        number("max_ulp", before.max_ulp, after.max_ulp,
               is_near(before.max_ulp, after.max_ulp, tolerance.ratio, tolerance.ulp_floor));
        return;
    }
    number("pcc", before.pcc, after.pcc, is_same(before.pcc, after.pcc));
    number("max_ulp", before.max_ulp, after.max_ulp, is_same(before.max_ulp, after.max_ulp));
    number("max_relative", before.max_relative, after.max_relative, is_same(before.max_relative, after.max_relative));
    number("max_absolute", before.max_absolute, after.max_absolute, is_same(before.max_absolute, after.max_absolute));
    if (before.equal != after.equal) {
        finder.add(ChangeKind::ACCURACY, "equal", before.equal ? "true" : "false", after.equal ? "true" : "false");
    }
}

void compare_memory(Finder& finder, const std::vector<Metric>& before, const std::vector<Metric>& after) {
    const auto text = [](const std::vector<Metric>& metrics, const std::string& name) -> std::string {
        const auto found = std::ranges::find(metrics, name, &Metric::name);
        return found == metrics.end() ? "none" : fmt::format("{}", found->value);
    };
    std::vector<std::string> names;
    for (const auto* metrics : {&before, &after}) {
        for (const Metric& metric : *metrics) {
            if (std::ranges::find(names, metric.name) == names.end()) {
                names.push_back(metric.name);
            }
        }
    }
    for (const std::string& name : names) {
        if (text(before, name) != text(after, name)) {
            finder.add(ChangeKind::MEMORY, name, text(before, name), text(after, name));
        }
    }
}

// What a machine can hold says nothing about the build.
bool is_too_large(const RecordedResult& before, const RecordedResult& after) {
    return (before.outcome == Outcome::TOO_LARGE) != (after.outcome == Outcome::TOO_LARGE);
}

}  // namespace

size_t ReplayComparison::count(ChangeKind kind) const {
    return static_cast<size_t>(std::ranges::count(changes, kind, &ReplayChange::kind));
}

std::vector<ReplayChange> changes_of(const RecordedCall& before, const ReplayCall& call, const RecordedResult& after,
                                     bool bits_compared, const AccuracyTolerance& tolerance) {
    Finder finder(call);
    const RecordedResult& was = before.result;
    finder.compare(ChangeKind::IDENTITY, before.call.identity, identity(call.call, call.hardware));
    finder.compare(ChangeKind::OUTCOME, ttnn::member_name(was.outcome), ttnn::member_name(after.outcome));
    if (was.outcome == Outcome::REJECTED && after.outcome == Outcome::REJECTED) {
        finder.compare(ChangeKind::REASON, was.reason, after.reason);
    }
    if (was.outputs && after.outputs) {
        compare_outputs(finder, *was.outputs, *after.outputs, bits_compared || allows_no_error(call.call.operation));
    }
    if (was.accuracy && after.accuracy) {
        compare_accuracy(finder, *was.accuracy, *after.accuracy, bits_compared, tolerance);
    }
    if (was.memory && after.memory) {
        compare_memory(finder, *was.memory, *after.memory);
    }
    return finder.take();
}

ReplayComparison compare_replays(const RecordedReplay& before, std::span<const Replayed> after,
                                 const NumericEnvironment& here, const AccuracyTolerance& tolerance) {
    ReplayComparison comparison;
    comparison.bits_problem =
        before.environment ? why_bits_may_differ(*before.environment, here) : "a sweep keeps no bits";
    std::map<std::string_view, const Replayed*> replayed;
    for (const Replayed& each : after) {
        replayed.try_emplace(each.call->identity, &each);
    }
    for (const RecordedCall& recorded : before.calls) {
        const auto found = replayed.find(recorded.call.identity);
        if (found == replayed.end()) {
            comparison.changes.push_back({ChangeKind::MISSING, &recorded.call});
            continue;
        }
        const RecordedResult result = recorded_result(*found->second);
        if (is_too_large(recorded.result, result)) {
            ++comparison.not_compared;
        } else {
            auto changes =
                changes_of(recorded, *found->second->call, result, comparison.bits_problem.empty(), tolerance);
            ++(changes.empty() ? comparison.same : comparison.changed);
            std::ranges::move(changes, std::back_inserter(comparison.changes));
        }
        replayed.erase(found);
    }
    for (const Replayed& each : after) {
        if (const auto found = replayed.find(each.call->identity); found != replayed.end() && found->second == &each) {
            comparison.changes.push_back({ChangeKind::NEW, each.call});
        }
    }
    return comparison;
}

std::string change_text(const ReplayChange& change) {
    std::string text = fmt::format("{} {}: {}", cpp_name(change.call->call.operation), change.call->place,
                                   ttnn::member_name(change.kind));
    if (change.kind == ChangeKind::MISSING || change.kind == ChangeKind::NEW) {
        return text;
    }
    return fmt::format("{}: {}{}{} -> {}", text, change.what, change.what.empty() ? "" : " ", change.before,
                       change.after);
}

Json to_json(const ReplayComparison& comparison) {
    Json json{{"bits_compared", comparison.bits_problem.empty()},
              {"bits_problem", comparison.bits_problem},
              {"same", comparison.same},
              {"changed", comparison.changed},
              {"missing", comparison.count(ChangeKind::MISSING)},
              {"new", comparison.count(ChangeKind::NEW)},
              {"not_compared", comparison.not_compared}};
    Json& list = json["changes"] = Json::array();
    for (const ReplayChange& change : comparison.changes) {
        list.push_back({{"operation", cpp_name(change.call->call.operation)},
                        {"identity", change.call->identity},
                        {"kind", ttnn::member_name(change.kind)},
                        {"what", change.what},
                        {"before", change.before},
                        {"after", change.after}});
    }
    return json;
}

}  // namespace tracelift
