#include "ttnn/device/program_cache.hpp"

#include "ttnn/core/error.hpp"

namespace ttnn {

bool ProgramCache::compiled_for(uint64_t run, uint64_t program, std::string_view primitive) {
    const std::lock_guard lock(mutex_);
    if (!enabled_) {
        return true;
    }
    if (const auto known = runs_.find(program); known != runs_.end()) [[likely]] {
        return known->second == run;
    }
    require(misses_allowed_,
            "{}: program cache miss occurred, but cache misses are forbidden: they are not allowed since "
            "set_program_cache_misses_allowed(False)",
            primitive);
    runs_.emplace(program, run);
    return true;
}

size_t ProgramCache::size() const {
    const std::lock_guard lock(mutex_);
    return runs_.size();
}

void ProgramCache::clear() {
    const std::lock_guard lock(mutex_);
    runs_.clear();
}

void ProgramCache::enable() {
    const std::lock_guard lock(mutex_);
    enabled_ = true;
}

void ProgramCache::disable_and_clear() {
    const std::lock_guard lock(mutex_);
    enabled_ = false;
    runs_.clear();
}

void ProgramCache::allow_misses(bool allowed) {
    const std::lock_guard lock(mutex_);
    misses_allowed_ = allowed;
}

}  // namespace ttnn
