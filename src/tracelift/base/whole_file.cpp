#include "tracelift/base/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/sha256.hpp"
#include "tracelift/base/text_digest.hpp"

namespace tracelift {
namespace {

constexpr size_t buffered = size_t{1} << 18;

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

std::string file_stamp(const struct stat& status) {
    return fmt::format("{}:{}.{:09}:{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino);
}

std::string file_stamp(const std::filesystem::path& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? file_stamp(status) : std::string();
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

}  // namespace tracelift
