// PreparedConfiguration: a configuration as its row has it, made before the writer sees it; the writer knows the rows
// that it refers to.
#pragma once

#include "tracelift/catalog/records.hpp"
#include "tracelift/catalog/sqlite/rows.hpp"

namespace tracelift {

struct PreparedConfiguration {
    std::string operation;
    std::optional<Hardware> hardware;
    stored::ConfigurationRow row;  // without identity, and without what it refers to
};

PreparedConfiguration prepare(NewConfiguration configuration);

}  // namespace tracelift
