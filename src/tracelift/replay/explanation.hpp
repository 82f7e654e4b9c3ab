// Explanation: what sets a call that fails apart from calls of the same operation that pass, by the results in a store
// and, where there are none, by runs made now.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/replay/replay.hpp"
#include "tracelift/sweep_report/neighbours.hpp"

namespace tracelift {

// How a call ended, by a sweep of the store or by a run now.
struct Ending {
    Status status = Status::NOT_RUN;
    std::string reason{};
    std::string from{};  // "run 3", "run now"
};

struct EndedCall {
    ReplayCall call{};
    std::optional<Ending> ending{};

    std::string signature() const;  // of a call that ended
};

struct ExplanationOptions {
    size_t runs = 50;       // of configurations without a result, the nearest first
    size_t neighbours = 3;  // that are shown
};

// Points into itself: it is not copied.
struct Explanation {
    EndedCall asked{};
    bool fails = false;  // nothing else is filled where it does not
    std::vector<EndedCall> others{};
    size_t runs = 0;                                     // that were made now, of others
    size_t unknown = 0;                                  // others without a result
    std::vector<const BoundCall*> passing{}, failing{};  // of the same operation; failing alike, with the one asked for
    std::vector<Neighbour> neighbours{};
    std::vector<SeparatingField> fields{};

    Explanation() = default;
    Explanation(const Explanation&) = delete;
    Explanation& operator=(const Explanation&) = delete;

    const ReplayCall& call_of(const Neighbour& neighbour) const;
};

// Runs calls and gives each its ending.
void run_now(std::span<EndedCall* const> calls, const ReplayOptions& options,
             const std::function<void(const Replayed&)>& each);

// What runs the calls: run_now with somebody's options. What it throws ends the explanation.
using RunCalls = std::function<void(std::span<EndedCall* const> calls)>;

// Where `by_store` says so, the store's newest result of `asked` counts; else it is run. `asked` is bound.
void explain(Explanation& explanation, Catalog& store, ReplayCall asked, bool by_store,
             const ExplanationOptions& options, const RunCalls& run);

}  // namespace tracelift
