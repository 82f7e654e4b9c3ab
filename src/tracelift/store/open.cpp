#include "tracelift/store/open.hpp"

#include <cstdlib>

#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {

namespace fs = std::filesystem;

fs::path store_directory(const std::optional<std::string>& option) {
    if (option) {
        return *option;
    }
    const char* variable = std::getenv("TRACELIFT_DIR");
    return variable != nullptr && *variable != '\0' ? variable : "traced_operations";
}

bool is_store(const fs::path& folder) {
    return fs::is_directory(folder) && (has_database(folder) || fs::exists(folder / master_name));
}

bool has_database(const fs::path& folder) { return fs::exists(folder / database_name); }

bool is_store_file(const fs::path& path) { return fs::is_regular_file(path) && path.filename() == database_name; }

std::unique_ptr<Catalog> open_for_writing(const fs::path& folder) {
    return std::make_unique<Store>(Store::open_for_writing(folder));
}

std::unique_ptr<Catalog> open_for_reading(const fs::path& folder) {
    return std::make_unique<Store>(Store::open_for_reading(folder));
}

}  // namespace tracelift
