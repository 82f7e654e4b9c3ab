// ConfigurationRow: what the table `configuration` holds of one, made from its arguments before the writer sees it.
#pragma once

#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {

struct ConfigurationRow {
    std::string operation;
    std::optional<Hardware> hardware;
    bool bound = false;
    std::string note;
    std::string board;
    std::string format;
    std::string digest;
    std::optional<std::string> dtype;  // of the first tensor, like the four below
    std::optional<std::string> layout;
    std::optional<std::string> memory_layout;
    std::optional<std::string> buffer_type;
    std::optional<std::string> shape;
    int64_t unparsed = 0;  // texts that we could not read
    int64_t lost = 0;      // values that the capture did not write down
    std::optional<std::string> legacy_hash;
    std::optional<std::string> placements;
    std::string arguments;
    std::optional<std::string> stored;
};

ConfigurationRow configuration_row(NewConfiguration configuration);

}  // namespace tracelift
