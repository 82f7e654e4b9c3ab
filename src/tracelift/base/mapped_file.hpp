// A file as one text in memory, of which only the part in use is resident.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace tracelift {

class MappedFile {
public:
    // Readable bytes behind the end, for readers that take whole vectors.
    static constexpr size_t padding = 64;

    // Throws std::runtime_error that names the file.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view text() const { return {data_, size_}; }
    // Gives the pages back; they are read again when somebody looks.
    void release(size_t from, size_t to) const;

private:
    char* data_ = nullptr;
    size_t size_ = 0;
    size_t mapped_ = 0;
};

}  // namespace tracelift
