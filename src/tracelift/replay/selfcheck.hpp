// Selfcheck: what is replayed is recorded again, and must get the identity of the configuration it came from.
#pragma once

#include <functional>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift {

struct SelfcheckResult {
    const Configuration* configuration = nullptr;
    bool same = false;
    std::string problem;  // why not
};

// The replaying processes get decoded calls and nothing else. `each` sees every result as it comes.
// Those that did not get their turn (PoolOptions::go_on) are missing in what it returns.
std::vector<SelfcheckResult> selfcheck(std::span<const Configuration> configurations, const PoolOptions& options,
                                       const std::function<void(const SelfcheckResult&)>& each);

}  // namespace tracelift
