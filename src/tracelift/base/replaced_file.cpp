#include "tracelift/base/replaced_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/base/destination.hpp"
#include "tracelift/base/errors.hpp"
#include "tracelift/base/whole_file.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr size_t buffered = size_t{1} << 18;

int open_descriptor(int descriptor) {
    std::fflush(nullptr);  // what was printed before stands before
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

// To another disk, which a link may lead to. Returns errno, 0 when it went well.
int copy_into_place(const fs::path& built, const Destination& destination) {
    const fs::path fresh = destination.fresh();
    std::error_code problem;
    fs::copy_file(built, fresh, fs::copy_options::overwrite_existing, problem);
    if (!problem) {
        fs::rename(fresh, destination.path, problem);
    }
    std::error_code ignored;
    fs::remove(problem ? fresh : built, ignored);
    return problem.value();
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
        fresh_ = destination.fresh();
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
    int problem = destination.problem;
    if (problem == 0 && std::rename(built.c_str(), destination.path.c_str()) != 0) {
        problem = errno == EXDEV ? copy_into_place(built, destination) : errno;
    }
    if (problem != 0) {
        throw StoreError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(problem)));
    }
}

bool is_standard_output(const fs::path& path) { return destination_of(path).descriptor == STDOUT_FILENO; }

}  // namespace tracelift
