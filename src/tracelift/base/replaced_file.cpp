#include "tracelift/base/replaced_file.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/whole_file.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr size_t buffered = size_t{1} << 18;
constexpr int most_links = 40;  // as the kernel

// Where a path leads, link by link.
struct Destination {
    fs::path path;
    bool replaced = true;  // false: written into
    int descriptor = -1;   // of this process, where the path names one
    int problem = 0;       // errno where it leads nowhere
};

// The descriptor that an entry of /proc/self/fd is; -1 for anything else.
int descriptor_of(const fs::path& path) {
    std::error_code problem;
    const fs::path folder = fs::canonical(path.parent_path().empty() ? "." : path.parent_path(), problem);
    if (problem || folder != fmt::format("/proc/{}/fd", getpid())) {
        return -1;
    }
    const std::string name = path.filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

Destination destination_of(fs::path path) {
    for (int links = 0; links < most_links; ++links) {
        if (const int descriptor = descriptor_of(path); descriptor >= 0) {
            return {.path = path, .replaced = false, .descriptor = descriptor};
        }
        std::error_code problem;
        const fs::file_status status = fs::symlink_status(path, problem);
        if (status.type() != fs::file_type::symlink) {
            const bool replaced = !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
            return {.path = path, .replaced = replaced};
        }
        const fs::path next = fs::read_symlink(path, problem);
        if (problem) {
            return {.path = path, .problem = problem.value()};
        }
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    return {.path = path, .problem = ELOOP};
}

int open_descriptor(int descriptor) {
    std::fflush(nullptr);  // what was printed before stands before
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

}  // namespace

ReplacedFile::ReplacedFile(fs::path path) : path_(std::move(path)) {
    const Destination destination = destination_of(path_);
    if (destination.problem != 0) {
        fail(destination.problem);
    }
    target_ = destination.path;
    if (destination.descriptor >= 0) {
        fd_ = open_descriptor(destination.descriptor);
    } else if (!destination.replaced) {
        fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        struct stat before {};
        const bool known = stat(target_.c_str(), &before) == 0;
        if (known && S_ISDIR(before.st_mode)) {
            fail(EISDIR);
        }
        fresh_ = target_.string() + fmt::format(".{}.tmp", getpid());
        fd_ = open(fresh_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd_ >= 0 && known) {
            fchmod(fd_, before.st_mode & 07777);  // of a file of somebody else it may stay as it is
        }
    }
    if (fd_ < 0) {
        fail(errno);
    }
}

ReplacedFile::~ReplacedFile() {
    if (fd_ >= 0) {
        close(fd_);
    }
    if (!renamed_ && !fresh_.empty()) {
        std::error_code ignored;
        fs::remove(fresh_, ignored);
    }
}

void ReplacedFile::fail(int reason) const {
    throw StoreError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(reason)));
}

void ReplacedFile::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffered) {
        flush();
    }
}

void ReplacedFile::flush() {
    for (size_t done = 0; done < buffer_.size();) {
        const ssize_t written = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
        if (written < 0 && errno != EINTR) {
            fail(errno);
        }
        done += written > 0 ? static_cast<size_t>(written) : 0;
    }
    buffer_.clear();
}

std::string ReplacedFile::finish() {
    flush();
    struct stat status {};
    const bool synced = fsync(fd_) == 0 || (fresh_.empty() && (errno == EINVAL || errno == EROFS || errno == ENOTSUP));
    if (!synced || fstat(fd_, &status) != 0) {
        fail(errno);
    }
    return file_stamp(status);
}

void ReplacedFile::rename() {
    if (!fresh_.empty() && std::rename(fresh_.c_str(), target_.c_str()) != 0) {
        fail(errno);
    }
    renamed_ = true;
}

void replace_file(const fs::path& path, std::string_view text) {
    ReplacedFile file(path);
    file.write(text);
    file.finish();
    file.rename();
}

void move_into_place(const fs::path& built, const fs::path& path) {
    const Destination destination = destination_of(path);
    if (!destination.replaced) {
        throw StoreError(fmt::format("{}: is not a regular file, so it is not replaced", path.string()));
    }
    if (std::rename(built.c_str(), destination.path.c_str()) != 0) {
        throw StoreError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
    }
}

bool is_standard_output(const fs::path& path) { return destination_of(path).descriptor == STDOUT_FILENO; }

}  // namespace tracelift
