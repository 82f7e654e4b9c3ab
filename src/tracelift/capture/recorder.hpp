// Recorder: an observer that appends every outermost call to a raw file while the model runs. Outermost means: not
// inside another declared operation; what an operation written in Python calls counts.
//
// The file is mapped memory: what was written survives the death of the process without a system call per record.
// There is no hashing, no text and no lock on the way; threads reserve their place with one atomic addition. One
// recorder is attached at a time.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "ttnn/core/observer.hpp"

namespace tracelift {

class RawFile;

class Recorder final : public ttnn::Observer {
public:
    // Writes into a new file in `directory`, which must exist. Throws when the file cannot be made.
    Recorder(std::filesystem::path directory, std::string trace_uid);
    ~Recorder() override;

    void operation_begin(const ttnn::OpInfo& op, const void* params) override;
    void operation_end(const ttnn::OpInfo& op, const void* result) override;
    void operation_failed(const ttnn::OpInfo& op, std::string_view message) override;

    // Records that were lost because the disk is full.
    uint64_t dropped() const;
    // A forked child must not write into its parent's file: starts a new one.
    void reopen_after_fork();

private:
    void open();

    std::filesystem::path directory_;
    std::string trace_uid_;
    std::unique_ptr<RawFile> file_;
    std::atomic<uint64_t> sequence_{0};
};

inline constexpr const char* record_variable = "TRACELIFT_RECORD";        // the directory to record into
inline constexpr const char* trace_uid_variable = "TRACELIFT_TRACE_UID";  // else a new one per process

// Starts recording for the rest of the process when TRACELIFT_RECORD is set. The runtime's start-up object calls it, so
// that no program has to be changed to be traced.
void start_recording_from_environment();

// A random UUID.
std::string make_uid();

}  // namespace tracelift
