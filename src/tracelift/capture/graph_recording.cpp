#include "tracelift/capture/graph_recording.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "ttnn/graph/capture.hpp"
#include "ttnn/graph/report.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// Never destroyed: other threads may be inside an operation while the process ends.
struct GraphRecording {
    std::filesystem::path folder;
    std::shared_ptr<ttnn::graph::Capture> capture;
};
GraphRecording& recording() {
    static auto* state = new GraphRecording();
    return *state;
}

}  // namespace

void finish_graph() {
    GraphRecording& state = recording();
    if (!state.capture) {
        return;
    }
    try {
        ttnn::detach(state.capture);
        state.capture->end();
        ttnn::graph::write_report(*state.capture, state.folder / fmt::format("graph-{}.json", getpid()), false);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tracelift: the graph was not written: {}\n", error.what());
    }
    state.capture.reset();
}

void start_graph_from_environment() {
    const char* given = std::getenv(graph_variable);
    if (given == nullptr || *given == '\0') {
        return;
    }
    // Beside the captures of users: it neither nests with them nor decides whether operations are dispatched.
    recording().folder = std::filesystem::absolute(given);
    recording().capture = std::make_shared<ttnn::graph::Capture>(ttnn::graph::CaptureOptions{.process_wide = true});
    ttnn::attach(recording().capture);
    ttnn::all_operations();  // their tables are needed to the end, so they must be there before we ask to be called
    std::atexit(finish_graph);
}

}  // namespace tracelift
