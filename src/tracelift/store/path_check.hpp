// Paths of a condition that lead nowhere: a misspelt one would otherwise just find nothing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

class PathCheck {
public:
    explicit PathCheck(std::vector<std::string> paths) : unknown_(std::move(paths)) {}

    // A path is known when it leads somewhere in any configuration, or to a parameter that was not given in one.
    void see(const Configuration& configuration);
    // Throws std::invalid_argument that names the first unknown path and those that there are. Before any
    // configuration was seen nothing is unknown.
    void demand_known() const;

private:
    std::vector<std::string> unknown_;
    std::set<std::string> there_;
    size_t seen_ = 0;
};

}  // namespace tracelift
