#include "tracelift/cli/opened.hpp"

#include <memory>

#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/progress.hpp"
#include "tracelift/trace/run.hpp"

namespace tracelift::cli {

namespace fs = std::filesystem;

OpenedStore::OpenedStore(const Options& options, Mode mode) : named_(store_directory(options.value("--dir"))) {
    const bool file = fs::is_regular_file(named_) && !is_store_file(named_);
    const fs::path folder = file ? import(named_) : is_store_file(named_) ? named_.parent_path() : named_;
    if (mode != Mode::CREATE) {
        store_ = open_for_reading(folder);  // says clearly when there is none, instead of making one
    }
    if (mode != Mode::READ) {
        store_ = open_for_writing(folder);
        store_->take_in_master();
    }
}

OpenedStore::OpenedStore(const fs::path& path) : named_(path) {
    store_ = open_for_reading(is_store(path) ? path : import(path));
}

fs::path OpenedStore::import(const fs::path& path) {
    TraceOptions options;
    options.directory = scratch_.emplace().path();
    options.filter.keep_all();
    options.keep_master = false;
    options.progress = configuration_progress();
    const Interrupts interrupts;
    import_path(path, options);
    return options.directory;
}

std::function<void(uint64_t)> configuration_progress() {
    return [progress = std::make_shared<Progress>("configurations", 0)](uint64_t configurations) {
        Interrupts::check();
        progress->reach(configurations);
    };
}

}  // namespace tracelift::cli
