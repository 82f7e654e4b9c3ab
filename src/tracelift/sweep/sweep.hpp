// Sweep: stored configurations through the pool, results into the store.
#pragma once

#include <functional>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift {

// How to run a configuration again: its call, on its board, with inputs that follow from its identity.
CallRequest request_of(const Configuration& configuration);

struct SweptConfiguration {
    const Configuration* configuration = nullptr;
    CallResult result;
};

// Runs them all; `each` sees every result as it comes. Results that the store does not take become infra_store. Those
// that did not get their turn (PoolOptions::go_on) are missing in what it returns.
std::vector<SweptConfiguration> sweep(Catalog& store, std::span<const Configuration> configurations,
                                      const PoolOptions& options, std::string_view command,
                                      const std::function<void(const SweptConfiguration&)>& each);

}  // namespace tracelift
