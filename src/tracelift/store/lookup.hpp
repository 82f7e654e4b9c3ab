// Finding stored operations by the names people type.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

// No stored operation of that name; the text has the nearest ones.
class UnknownOperation : public std::runtime_error {
public:
    UnknownOperation(std::string_view wanted, const std::vector<OperationSummary>& stored);
};

// `add`, `ttnn.add`, `ttnn::add` and `experimental.add` mean what they say; without an exact hit any part of a name
// will do. Throws UnknownOperation.
std::vector<OperationSummary> find_stored(const std::vector<OperationSummary>& stored, std::string_view wanted);

// Shell patterns (`*norm`), or any part of a name.
std::vector<OperationSummary> matching_pattern(const std::vector<OperationSummary>& stored, std::string_view pattern);

// Throws when no stored model has this in its name; the text lists the models.
void check_model(Catalog& store, std::string_view model);

}  // namespace tracelift
