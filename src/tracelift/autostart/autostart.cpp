// Linked into every program and module that contains the runtime (target tracelift_runtime): looks once, before main,
// what the process is to write about its calls.
#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/calls/results_csv.hpp"
#include "tracelift/capture/graph_recording.hpp"
#include "tracelift/capture/recorder.hpp"

namespace {

const bool started = [] {
    tracelift::start_recording_from_environment();
    tracelift::CallTracing::instance().start_from_environment();
    tracelift::start_results_from_environment();
    tracelift::start_graph_from_environment();
    return true;
}();

}  // namespace
