// Stores that a command line names: a folder, or a file that can be imported, which becomes a store in a scratch
// folder.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/store/open.hpp"

namespace tracelift::cli {

class OpenedStore {
public:
    enum class Mode { READ, WRITE, CREATE };  // CREATE: makes the store where there is none

    // What --dir names.
    explicit OpenedStore(const Options& options, Mode mode = Mode::READ);
    // A store, or anything that `tracelift import` takes.
    explicit OpenedStore(const std::filesystem::path& path);

    Catalog& operator*() { return *store_; }
    Catalog* operator->() { return store_.get(); }
    // What is written into it goes away with it.
    bool is_scratch() const { return scratch_.has_value(); }
    const std::filesystem::path& named() const { return named_; }  // as the user named it

private:
    std::filesystem::path import(const std::filesystem::path& path);

    std::filesystem::path named_;
    std::optional<ScratchFolder> scratch_;
    std::unique_ptr<Catalog> store_;
};

// Tells how many configurations were gone through. Throws Interrupted when a signal came.
std::function<void(uint64_t)> configuration_progress();

}  // namespace tracelift::cli
