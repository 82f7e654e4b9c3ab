// LineFile: a text file of lines that several processes write at once, none of which is lost when a process dies.
//
// A line is written before the thing it tells of happens, and replaced by its final form afterwards: what crashed or
// hangs has its line. The first process locks the file and writes into it; others write into a file of their own beside
// it, `<path>.<pid>-<n>.part`. Parts are appended to the file when their writer and the file's ended, in whatever
// order.
//
// A pipe, a device or a descriptor such as /dev/stdout is written into: a line once it is final, since nothing can be
// replaced there. Lines that are not final when the file is closed are written then; a process that is killed takes
// them along.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tracelift {

class LineFile {
public:
    // Appends to the file; makes it and its folder where needed. Throws an error that names the file.
    explicit LineFile(const std::filesystem::path& path);
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    // Adds a line, which ends with a line break. The ticket is for `finish`.
    uint64_t begin(std::string_view line);
    // Replaces the line; finished lines stand in the order in which they were finished.
    void finish(uint64_t ticket, std::string_view line);

    const std::filesystem::path& path() const { return path_; }
    // In a forked child: the file belongs to the parent.
    void abandon();

private:
    struct Slot {
        uint64_t ticket = 0;
        uint64_t offset = 0;
        uint64_t size = 0;
    };
    bool open_locked(const std::filesystem::path& path, bool exclusively);
    void write_at(uint64_t offset, std::string_view text);
    void reserve(uint64_t end);
    void append(std::string_view line);

    std::filesystem::path path_;
    std::filesystem::path own_;  // the file that is written: `path_` or a part
    int fd_ = -1;
    bool written_into_ = false;  // a pipe, a device or a descriptor
    std::mutex mutex_;
    uint64_t end_ = 0;
    uint64_t reserved_ = 0;  // up to here the file system has given space
    uint64_t next_ticket_ = 1;
    std::vector<Slot> open_;                // lines that are not finished, oldest first
    std::map<uint64_t, std::string> kept_;  // the same of what is written into, by ticket
};

// Appends the parts whose writers are gone, unless another process has the file. A writer does this when it begins and
// ends; others may, to pick up what a killed one left.
void collect_parts(const std::filesystem::path& path);

}  // namespace tracelift
