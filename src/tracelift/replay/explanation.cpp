#include "tracelift/replay/explanation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tracelift/sweep_report/signature.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift {
namespace {

std::map<std::string, Ending> newest_endings(Catalog& store, const std::string& operation) {
    std::map<std::string, Ending> endings;  // later sweeps come later
    store.visit_results({.operation = operation, .latest_only = true}, [&](int64_t sweep, ResultRecord& record) {
        if (!record.identity.empty() && record.status != Status::NOT_RUN) {
            endings[record.identity] = {record.status, record.exception, fmt::format("run {}", sweep)};
        }
        return true;
    });
    return endings;
}

std::optional<Ending> ending_of(const std::map<std::string, Ending>& endings, const std::string& identity) {
    const auto found = endings.find(identity);
    return found == endings.end() ? std::nullopt : std::optional(found->second);
}

// The other configurations of its operation; those that files list again only once.
std::vector<EndedCall> others_of(Catalog& store, const ReplayCall& asked,
                                 const std::map<std::string, Ending>& endings) {
    std::vector<EndedCall> others;
    std::map<std::string, bool> taken{{asked.identity, true}};
    for (const Configuration& configuration : store.configurations(asked.call.operation)) {
        if (configuration.call.bound && !std::exchange(taken[configuration.identity], true)) {
            others.push_back({replay_of(configuration), ending_of(endings, configuration.identity)});
        }
    }
    return others;
}

// Where nothing judges the results of an operation, a call that ran tells why others are refused.
bool works(const EndedCall& each, const EndedCall& asked) {
    const Status status = each.ending->status;
    return status == Status::PASS || (status == Status::NOT_JUDGED && asked.ending->status != Status::FAIL);
}

// Those without a result, the nearest first.
std::vector<EndedCall*> without_result(Explanation& explanation) {
    std::vector<const BoundCall*> calls;
    std::map<const BoundCall*, EndedCall*> others;
    for (EndedCall& other : explanation.others) {
        if (!other.ending) {
            calls.push_back(&other.call.call);
            others[calls.back()] = &other;
        }
    }
    std::vector<EndedCall*> ordered;
    for (const Neighbour& neighbour : nearest_passing(explanation.asked.call.call, calls, calls.size())) {
        ordered.push_back(others.at(neighbour.call));
    }
    return ordered;
}

// Those that pass, and those that fail alike.
void part(Explanation& explanation) {
    const std::string signature = explanation.asked.signature();
    explanation.failing.push_back(&explanation.asked.call.call);
    for (const EndedCall& other : explanation.others) {
        if (!other.ending) {
            continue;
        }
        if (works(other, explanation.asked)) {
            explanation.passing.push_back(&other.call.call);
        } else if (other.ending->status == explanation.asked.ending->status && other.signature() == signature) {
            explanation.failing.push_back(&other.call.call);
        }
    }
}

}  // namespace

std::string EndedCall::signature() const { return signature_of(ending->reason, call.call.operation); }

const ReplayCall& Explanation::call_of(const Neighbour& neighbour) const {
    return std::ranges::find(others, neighbour.call, [](const EndedCall& each) { return &each.call.call; })->call;
}

void run_now(std::span<EndedCall* const> calls, const ReplayOptions& options,
             const std::function<void(const Replayed&)>& each) {
    std::vector<ReplayCall> replays;
    for (const EndedCall* call : calls) {
        replays.push_back(call->call);
    }
    replay(replays, options, [&](const Replayed& replayed) {
        calls[static_cast<size_t>(replayed.call - replays.data())]->ending = {replayed.result.status, replayed.reason,
                                                                              "run now"};
        each(replayed);
    });
}

void explain(Explanation& explanation, Catalog& store, ReplayCall asked, bool by_store,
             const ExplanationOptions& options, const RunCalls& run) {
    const auto endings = newest_endings(store, asked.call.operation);
    explanation.asked = {std::move(asked), std::nullopt};
    if (by_store) {
        explanation.asked.ending = ending_of(endings, explanation.asked.call.identity);
    }
    if (!explanation.asked.ending) {
        EndedCall* one[] = {&explanation.asked};
        run(one);
    }
    explanation.fails = needs_explaining(explanation.asked.ending->status);
    if (!explanation.fails) {
        return;
    }
    explanation.others = others_of(store, explanation.asked.call, endings);
    const std::vector<EndedCall*> unknown = without_result(explanation);
    explanation.runs = std::min(options.runs, unknown.size());
    explanation.unknown = unknown.size() - explanation.runs;
    if (explanation.runs != 0) {
        run(std::span(unknown).first(explanation.runs));
    }
    part(explanation);
    explanation.neighbours = nearest_passing(explanation.asked.call.call, explanation.passing, options.neighbours);
    if (!explanation.passing.empty()) {
        explanation.fields = separating_fields(explanation.failing, explanation.passing);
    }
}

}  // namespace tracelift
