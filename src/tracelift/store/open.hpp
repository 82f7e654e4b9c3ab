// Opening of stores: the one place that knows which backends there are.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

// `--dir`, else the environment variable TRACELIFT_DIR, else "traced_operations".
std::filesystem::path store_directory(const std::optional<std::string>& option);

// Whether the folder holds a store, and whether the path is the file that is one.
bool is_store(const std::filesystem::path& folder);
bool has_database(const std::filesystem::path& folder);  // and not only a master
bool is_store_file(const std::filesystem::path& path);

// Makes the folder and what is in it where needed.
std::unique_ptr<Catalog> open_for_writing(const std::filesystem::path& folder);
// Never changes anything. Throws when there is none.
std::unique_ptr<Catalog> open_for_reading(const std::filesystem::path& folder);

}  // namespace tracelift
