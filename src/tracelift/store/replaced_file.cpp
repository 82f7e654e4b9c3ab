#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/store/master_file.hpp"
#include "tracelift/store/text_digest.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

constexpr size_t buffered = size_t{1} << 18;

std::string stamp_of(const struct stat& status) {
    return fmt::format("{}:{}.{:09}:{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino);
}

template <class Digest>
std::string digest_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    Digest digest;
    std::string piece(buffered, '\0');
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
        digest.add(std::string_view(piece).substr(0, static_cast<size_t>(file.gcount())));
    }
    if (file.bad() || !file.eof()) {
        throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
    }
    return digest.hex();
}

}  // namespace

std::string file_stamp(const std::filesystem::path& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? stamp_of(status) : std::string();
}

std::string file_digest(const std::filesystem::path& path) { return digest_of<TextDigest>(path); }
std::string file_sha256(const std::filesystem::path& path) { return digest_of<Sha256>(path); }

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf() || file.peek() == EOF)) {
        throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
    }
    return std::move(text).str();
}

ReplacedFile::ReplacedFile(std::filesystem::path path)
    : path_(std::move(path)),
      fresh_(path_.string() + fmt::format(".{}.tmp", getpid())),
      fd_(open(fresh_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0) {
        fail(errno);
    }
}

ReplacedFile::~ReplacedFile() {
    if (fd_ >= 0) {
        close(fd_);
    }
    if (!renamed_) {
        std::error_code ignored;
        std::filesystem::remove(fresh_, ignored);
    }
}

void ReplacedFile::fail(int reason) {
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
    if (fsync(fd_) != 0 || fstat(fd_, &status) != 0) {
        fail(errno);
    }
    return stamp_of(status);
}

void ReplacedFile::rename() {
    if (std::rename(fresh_.c_str(), path_.c_str()) != 0) {
        fail(errno);
    }
    renamed_ = true;
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
    ReplacedFile file(path);
    file.write(text);
    file.finish();
    file.rename();
}

}  // namespace tracelift
