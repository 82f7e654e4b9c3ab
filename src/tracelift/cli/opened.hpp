// Stores that a command line names: a folder, or any file that can be imported, which becomes a store for the while.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracelift/store/scratch_folder.hpp"
#include "tracelift/store/store.hpp"

namespace tracelift::cli {

class OpenedStore {
public:
    explicit OpenedStore(const std::filesystem::path& path);
    Store& operator*() { return *store_; }
    Store* operator->() { return &*store_; }

private:
    std::optional<ScratchFolder> scratch_;
    std::optional<Store> store_;
};

// A progress line for imports; nothing in a pipe.
std::function<void(uint64_t)> import_progress();

}  // namespace tracelift::cli
