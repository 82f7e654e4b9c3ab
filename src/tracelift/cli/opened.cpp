#include "tracelift/cli/opened.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/trace/run.hpp"

namespace tracelift::cli {

namespace fs = std::filesystem;

OpenedStore::OpenedStore(const fs::path& path) {
    if (fs::is_directory(path) && (fs::exists(path / database_name) || fs::exists(path / master_name))) {
        store_ = Store::open_for_reading(path);
        return;
    }
    TraceOptions options;
    options.directory = scratch_.emplace().path();
    options.filter.keep_all();
    options.keep_master = false;
    options.progress = import_progress();
    import_path(path, options);
    store_ = Store::open_for_reading(options.directory);
}

std::function<void(uint64_t)> import_progress() {
    if (isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [](uint64_t configurations) {
        if (configurations % 4096 == 0) {
            fmt::print(stderr, "\r\033[K{} configurations\r", configurations);
        }
    };
}

}  // namespace tracelift::cli
