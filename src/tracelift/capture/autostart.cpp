// Linked into every program and module that contains the runtime (target tracelift_runtime): looks once, before main,
// whether the process is to be recorded.
#include "tracelift/capture/recorder.hpp"

namespace {

const bool started = [] {
    tracelift::start_recording_from_environment();
    return true;
}();

}  // namespace
