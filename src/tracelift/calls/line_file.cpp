#include "tracelift/calls/line_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/base/destination.hpp"

namespace tracelift {
namespace {

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), fmt::format("{} {}", what, path.string()));
}

uint64_t size_of(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

std::string read_range(int fd, uint64_t offset, uint64_t size) {
    std::string text(size, '\0');
    uint64_t done = 0;
    while (done < size) {
        const ssize_t n = pread(fd, text.data() + done, size - done, static_cast<off_t>(offset + done));
        if (n <= 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? static_cast<uint64_t>(n) : 0;
    }
    text.resize(done);
    return text;
}

void write_range(int fd, uint64_t offset, std::string_view text, const std::filesystem::path& path) {
    while (!text.empty()) {
        const ssize_t n = pwrite(fd, text.data(), text.size(), static_cast<off_t>(offset));
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail("cannot write", path);
        }
        text.remove_prefix(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

std::vector<std::filesystem::path> parts_of(const std::filesystem::path& path) {
    std::vector<std::filesystem::path> parts;
    const std::string start = path.filename().string() + ".";
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(start) && name.ends_with(".part")) {
            parts.push_back(entry.path());
        }
    }
    std::ranges::sort(parts);
    return parts;
}

// A part is removed when it looks given up, as one does between being made and being locked.
bool is_removed(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

// Nobody writes it any more.
bool is_given_up(const std::filesystem::path& part) {
    const int fd = open(part.c_str(), O_RDONLY | O_CLOEXEC);
    const bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return free;
}

// A line that was cut off must not swallow the next one.
uint64_t end_of_whole_lines(int fd, const std::filesystem::path& path) {
    const uint64_t size = size_of(fd);
    if (size == 0 || read_range(fd, size - 1, 1) == "\n") {
        return size;
    }
    write_range(fd, size, "\n", path);
    return size + 1;
}

// The lock of `to` is held.
void append_free_parts(int to, const std::filesystem::path& path) {
    for (const auto& part : parts_of(path)) {
        const int fd = open(part.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            write_range(to, end_of_whole_lines(to, path), read_range(fd, 0, size_of(fd)), path);
            unlink(part.c_str());
        }
        close(fd);
    }
}

}  // namespace

LineFile::LineFile(const std::filesystem::path& path) : path_(std::filesystem::absolute(path)) {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    const Destination destination = destination_of(path_);
    if (destination.problem != 0) {
        errno = destination.problem;
        fail("cannot open", path_);
    }
    if (!destination.replaced) {
        written_into_ = true;
        fd_ = destination.descriptor >= 0 ? fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0)
                                          : open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd_ < 0) {
            fail("cannot open", path_);
        }
        return;
    }
    if (open_locked(path_, false)) {
        append_free_parts(fd_, path_);
    } else {
        static std::atomic<uint32_t> number{0};
        while (!open_locked(fmt::format("{}.{}-{}.part", path_.string(), getpid(), number.fetch_add(1)), true)) {
        }
    }
    end_ = end_of_whole_lines(fd_, own_);
    reserved_ = end_;
}

bool LineFile::open_locked(const std::filesystem::path& path, bool exclusively) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | (exclusively ? O_EXCL : 0), 0666);
    if (fd < 0) {
        if (exclusively && errno == EEXIST) {
            return false;
        }
        fail("cannot open", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || is_removed(fd)) {
        close(fd);
        return false;
    }
    fd_ = fd;
    own_ = path;
    return true;
}

LineFile::~LineFile() {
    if (fd_ < 0) {
        return;
    }
    if (written_into_) {
        try {
            for (const auto& [ticket, line] : kept_) {
                append(line);
            }
        } catch (const std::system_error&) {
            // Nobody reads any more.
        }
        close(fd_);
        return;
    }
    if (ftruncate(fd_, static_cast<off_t>(end_)) != 0) {
        // What was reserved beyond the end stays; it is not part of the text.
    }
    close(fd_);  // and unlocks
    try {
        collect_parts(path_);
    } catch (const std::system_error&) {
        // The parts stay for the next writer.
    }
}

// Asking for space in large pieces halves the cost of a line. The size of the file does not change by it.
void LineFile::reserve(uint64_t end) {
    constexpr uint64_t piece = 1 << 20;
    if (end > reserved_) {
        (void)fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_), static_cast<off_t>(piece));
        reserved_ = std::max(reserved_ + piece, end);
    }
}

void LineFile::write_at(uint64_t offset, std::string_view text) {
    const uint64_t end = offset + text.size();
    reserve(end);
    write_range(fd_, offset, text, own_);
    if (end < end_ && ftruncate(fd_, static_cast<off_t>(end)) != 0) {
        fail("cannot shorten", own_);
    }
    end_ = end;
}

// In one piece where that is possible: other processes may write too.
void LineFile::append(std::string_view line) {
    std::fflush(stdout);  // what was printed before stands before, should this be the standard output
    while (!line.empty()) {
        const ssize_t n = ::write(fd_, line.data(), line.size());
        if (n < 0 && errno != EINTR) {
            fail("cannot write", path_);
        }
        line.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
    }
}

uint64_t LineFile::begin(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (written_into_) {
        kept_.emplace(next_ticket_, line);
        return next_ticket_++;
    }
    const Slot slot{next_ticket_, end_, line.size()};
    write_at(end_, line);
    open_.push_back(slot);
    return next_ticket_++;
}

void LineFile::finish(uint64_t ticket, std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (written_into_) {
        if (kept_.erase(ticket) != 0) {
            append(line);
        }
        return;
    }
    const auto found = std::ranges::find(open_, ticket, &Slot::ticket);
    if (found == open_.end()) {
        return;
    }
    const Slot slot = *found;
    open_.erase(found);
    const uint64_t behind = slot.offset + slot.size;
    if (behind == end_) {
        return write_at(slot.offset, line);
    }
    // Lines were written behind it: they move up.
    std::string text = read_range(fd_, behind, end_ - behind);
    text += line;
    write_at(slot.offset, text);
    for (Slot& other : open_) {
        if (other.offset > slot.offset) {
            other.offset -= slot.size;
        }
    }
}

void LineFile::abandon() {
    close(fd_);
    fd_ = -1;
}

void collect_parts(const std::filesystem::path& given) {
    const std::filesystem::path path = std::filesystem::absolute(given);
    // Asked again after letting go: who gave a part up while we held the file left it to us.
    while (std::ranges::any_of(parts_of(path), is_given_up)) {
        const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            fail("cannot open", path);
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            close(fd);
            return;  // who has it will ask again
        }
        append_free_parts(fd, path);
        close(fd);
    }
}

}  // namespace tracelift
