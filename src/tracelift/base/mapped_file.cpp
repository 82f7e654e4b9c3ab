#include "tracelift/base/mapped_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tracelift {
namespace {

size_t page_size() {
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), what));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts = {};
    if (file < 0 || fstat(file, &facts) != 0) {
        const std::string reason = std::strerror(errno);
        if (file >= 0) {
            close(file);
        }
        fail(path, "cannot be read: " + reason);
    }
    if (!S_ISREG(facts.st_mode)) {
        close(file);
        fail(path, "is not a regular file");
    }
    size_ = static_cast<size_t>(facts.st_size);
    // Memory of zeros first and the file over it: what stands behind the end is then ours to read.
    mapped_ = (size_ + padding + page_size() - 1) / page_size() * page_size();
    void* place = mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good = place != MAP_FAILED;
    if (good && size_ > 0) {
        good = mmap(place, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
    }
    const std::string reason = std::strerror(errno);
    close(file);
    if (!good) {
        fail(path, "cannot be mapped: " + reason);
    }
    data_ = static_cast<char*>(place);
    madvise(data_, mapped_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() { munmap(data_, mapped_); }

void MappedFile::release(size_t from, size_t to) const {
    from = (from + page_size() - 1) / page_size() * page_size();
    to = std::min(to, size_) / page_size() * page_size();
    if (from < to) {
        madvise(data_ + from, to - from, MADV_DONTNEED);
    }
}

}  // namespace tracelift
