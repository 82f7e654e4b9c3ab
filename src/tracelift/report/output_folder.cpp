#include "tracelift/report/output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracelift/base/replaced_file.hpp"

namespace tracelift::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), what));
}

void sync(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool good = file >= 0 && fsync(file) == 0;
    const std::string reason = std::strerror(errno);
    if (file >= 0) {
        close(file);
    }
    if (!good) {
        fail(path, "cannot be written to the disk: " + reason);
    }
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& folder, const std::string& database)
    : folder_(folder), database_(folder / database), partial_(folder / ("." + database + ".partial")) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    // A lock on the folder itself leaves no file behind.
    lock_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) {
        fail(folder, fmt::format("cannot be created or opened as a folder: {}", std::strerror(errno)));
    }
    while (flock(lock_, LOCK_EX) != 0 && errno == EINTR) {
    }
    fs::remove(partial_, problem);  // of an import that was killed
}

OutputFolder::~OutputFolder() {
    std::error_code problem;
    fs::remove(partial_, problem);
    for (const std::string& name : staged_) {
        fs::remove(staged_path(name), problem);
    }
    close(lock_);
}

bool OutputFolder::has_database() const { return fs::exists(database_); }

bool OutputFolder::has_file(const std::string& name) const {
    const bool added = std::ranges::any_of(files_, [&](const auto& file) { return file.first == name; });
    const bool removed = std::ranges::find(removed_, name) != removed_.end();
    return added || (!removed && fs::exists(folder_ / name));
}

fs::path OutputFolder::stage_file(const std::string& name) {
    staged_.push_back(name);
    return staged_path(name);
}

const fs::path& OutputFolder::partial(bool copy) {
    if (copy) {
        std::error_code problem;
        fs::copy_file(database_, partial_, problem);
        if (problem) {
            fail(database_, "cannot be copied: " + problem.message());
        }
    }
    return partial_;
}

void OutputFolder::publish() {
    sync(partial_);
    for (const auto& [name, text] : files_) {
        std::error_code problem;
        fs::create_directories((folder_ / name).parent_path(), problem);
        replace_file(folder_ / name, text);
    }
    for (const std::string& name : staged_) {
        move_into_place(staged_path(name), folder_ / name);
    }
    for (const std::string& name : removed_) {
        if (std::ranges::none_of(files_, [&](const auto& file) { return file.first == name; })) {
            std::error_code problem;
            fs::remove(folder_ / name, problem);
        }
    }
    move_into_place(partial_, database_);
    fsync(lock_);
}

}  // namespace tracelift::report
