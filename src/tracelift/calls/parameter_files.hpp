// ParameterFiles: one JSON file per call, in the folder that docs/traced-calls.md describes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "tracelift/dialects/traced_call.hpp"

namespace tracelift {

inline constexpr const char* parameter_directory_variable = "TTNN_OPERATION_TRACE_DIR";
inline constexpr const char* default_parameter_directory = "generated/ttnn/operation_parameters";

class ParameterFiles {
public:
    // TTNN_OPERATION_TRACE_DIR, else what was set, else the default below the working directory; asked at each call.
    std::filesystem::path directory() const;
    void set_directory(std::filesystem::path directory);

    uint64_t count() const { return count_; }  // the number of the last file
    void set_count(uint64_t count) { count_ = count; }

    // Throws an error that names the file.
    std::filesystem::path write(const TracedCall& call) { return write(call, directory()); }
    std::filesystem::path write(const TracedCall& call, const std::filesystem::path& directory);

    // Keeps the names of the files and folders that are made from here on, so that they can be removed.
    void remember();
    // How many files there were. Folders stay where others put something.
    size_t remove_remembered();

private:
    std::atomic<uint64_t> count_{0};
    mutable std::mutex mutex_;
    std::filesystem::path directory_;
    bool remembers_ = false;
    std::vector<std::filesystem::path> files_;
    std::vector<std::filesystem::path> folders_;
};

}  // namespace tracelift
