// Verify: is the store what it says it is?
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

struct VerifyReport {
    std::vector<std::string> errors;    // the store is damaged
    std::vector<std::string> warnings;  // worth knowing
    uint64_t configurations = 0;
    uint64_t identities = 0;                   // distinct ones
    std::map<std::string, uint64_t> variants;  // of config_hash that we computed again
    uint64_t other_hashes = 0;                 // config_hash that no known variant gives
    std::vector<EqualConfigurations> groups;
    // The ledger: where every configuration and piece of input went.
    uint64_t bound = 0;
    uint64_t unbound = 0;
    uint64_t with_unparsed = 0;  // arguments that could not be read
    uint64_t with_lost = 0;      // arguments that the capture did not write down
    uint64_t unread = 0;         // pieces of input that are not calls
    uint64_t executions = 0;
};

// `progress` is called with the number of configurations gone through.
VerifyReport verify_store(Catalog& store, const std::function<void(uint64_t)>& progress = {});

}  // namespace tracelift
