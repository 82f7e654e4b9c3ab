// ReplacedFile: the one way in which the tools write a file that may be there already.
//
// A regular file appears whole or not at all: it is written beside the old one, then renamed over it, and keeps its
// permissions. A symbolic link keeps pointing: what it points to is replaced. Whatever else there is (a pipe, a device,
// a descriptor such as /dev/stdout) is written into and stays.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tracelift {

class ReplacedFile {
public:
    // StoreError here and below: names the path and says why it cannot be written.
    explicit ReplacedFile(std::filesystem::path path);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;

    void write(std::string_view text);
    // Brings everything to the disk; returns the stamp that the file will have (file_stamp).
    std::string finish();
    void rename();  // nothing to do where it was written into

private:
    void flush();
    [[noreturn]] void fail(int reason) const;

    std::filesystem::path path_;    // as it was given, for messages
    std::filesystem::path target_;  // what is replaced
    std::filesystem::path fresh_;   // beside it; empty: written into
    std::string buffer_;
    int fd_ = -1;
    bool renamed_ = false;
};

void replace_file(const std::filesystem::path& path, std::string_view text);

// Moves a file that was built elsewhere to `path`, by the same rules for links.
void move_into_place(const std::filesystem::path& built, const std::filesystem::path& path);

// Whether the path leads to this process's standard output, e.g. /dev/stdout.
bool is_standard_output(const std::filesystem::path& path);

}  // namespace tracelift
