// What differs between two stores: operations and configurations added, gone and changed, leaf by leaf.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

struct LeafChange {
    std::string path;
    std::string before;  // empty: was not there
    std::string after;   // empty: is not there
};

struct ConfigurationChange {
    enum class Kind { ADDED, GONE, CHANGED };
    Kind kind = Kind::ADDED;
    std::string operation;
    std::string identity;             // of the one in B, or of the one that is gone
    std::string text;                 // its arguments on one line, of ADDED and GONE
    std::vector<LeafChange> leaves;   // of CHANGED
    std::vector<std::string> models;  // that execute it
    std::string hardware;             // device series; may be empty
};

struct StoreDiff {
    std::vector<std::string> added_operations;
    std::vector<std::string> gone_operations;
    std::vector<ConfigurationChange> configurations;
    size_t same = 0;
    bool empty() const { return added_operations.empty() && gone_operations.empty() && configurations.empty(); }
};

// Configurations of equal identity are compared by the texts they were read from, or by their executions. A gone and an
// added one of the same operation that differ in a few leaves are one that changed. `progress` is called with the
// number of configurations gone through, of both stores.
StoreDiff diff_stores(Catalog& a, Catalog& b, const ConfigurationQuery& query,
                      const std::function<void(uint64_t)>& progress = {});

}  // namespace tracelift
