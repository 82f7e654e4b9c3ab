// ProgramCache: the programs that a device has compiled, by what tells them apart (op/program_key.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace ttnn {

class ProgramCache {
public:
    // Every launch comes here with the outermost call that it belongs to (CallContext::run). Tells whether the program
    // was compiled for that call: it was not here when the call began. Throws an Error that names the primitive where
    // it would have to be compiled now and that is not allowed.
    bool compiled_for(uint64_t run, uint64_t program, std::string_view primitive);

    size_t size() const;
    void clear();
    void enable();
    // Until it is enabled again every launch compiles, and nothing is kept.
    void disable_and_clear();
    void allow_misses(bool allowed);

private:
    mutable std::mutex mutex_;
    std::unordered_map<uint64_t, uint64_t> runs_;  // by program: the run that compiled it
    bool enabled_ = true;
    bool misses_allowed_ = true;
};

}  // namespace ttnn
