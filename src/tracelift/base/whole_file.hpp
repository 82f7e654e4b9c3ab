// Whole files: their text, their digests, and what tells whether they are still the same.
#pragma once

#include <filesystem>
#include <string>

#include <sys/stat.h>

namespace tracelift {

// What says whether a file is still the one we wrote, without reading it: size, time and place on the disk.
std::string file_stamp(const std::filesystem::path& path);
std::string file_stamp(const struct stat& status);
std::string file_digest(const std::filesystem::path& path);  // TextDigest, in hex
std::string file_sha256(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);  // throws FileError

}  // namespace tracelift
