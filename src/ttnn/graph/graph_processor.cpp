#include "ttnn/graph/graph_processor.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "ttnn/graph/report.hpp"
#include "ttnn/graph/stack.hpp"

namespace ttnn::graph {
namespace {

struct OpenCapture {
    std::shared_ptr<Capture> capture;
    bool owns_dispatch = false;  // it installed the decision whether to dispatch
};

// Innermost last. The list is shared, because a process-wide capture may be ended by another thread.
struct OpenCaptures {
    std::mutex mutex;
    std::vector<OpenCapture> list;
};
OpenCaptures& open_captures() {
    static OpenCaptures captures;
    return captures;
}

OpenCapture take_innermost() {
    OpenCaptures& captures = open_captures();
    const std::lock_guard lock(captures.mutex);
    for (size_t i = captures.list.size(); i-- > 0;) {
        if (captures.list[i].capture->takes_events_here()) {
            OpenCapture found = captures.list[i];
            captures.list.erase(captures.list.begin() + static_cast<ptrdiff_t>(i));
            return found;
        }
    }
    fail("there is no active graph capture: call begin_graph_capture first");
}

std::shared_ptr<Capture> innermost() {
    OpenCaptures& captures = open_captures();
    const std::lock_guard lock(captures.mutex);
    for (size_t i = captures.list.size(); i-- > 0;) {
        if (captures.list[i].capture->takes_events_here()) {
            return captures.list[i].capture;
        }
    }
    fail("there is no active graph capture: call begin_graph_capture first");
}

std::shared_ptr<Capture> end_innermost() {
    const OpenCapture ended = take_innermost();
    detach(ended.capture);
    if (ended.owns_dispatch) {
        call_context.dispatch = Dispatch::NOT_DECIDED;
    }
    ended.capture->end();
    return ended.capture;
}

}  // namespace

void GraphProcessor::begin_graph_capture(const CaptureOptions& options) {
    OpenCapture fresh{std::make_shared<Capture>(options)};
    if (call_context.dispatch == Dispatch::NOT_DECIDED) {
        call_context.dispatch = options.mode == RunMode::NO_DISPATCH ? Dispatch::BLOCKED : Dispatch::ALLOWED;
        fresh.owns_dispatch = true;
    }
    {
        OpenCaptures& captures = open_captures();
        const std::lock_guard lock(captures.mutex);
        captures.list.push_back(fresh);
    }
    attach(fresh.capture);
}

Trace GraphProcessor::end_graph_capture() { return end_innermost()->trace(); }

Trace GraphProcessor::end_graph_capture_to_file(const std::filesystem::path& report) {
    const auto capture = end_innermost();
    write_report(*capture, report, is_buffer_pages_enabled());
    return capture->trace();
}

bool GraphProcessor::is_capturing() {
    OpenCaptures& captures = open_captures();
    const std::lock_guard lock(captures.mutex);
    return std::ranges::any_of(captures.list,
                               [](const OpenCapture& open) { return open.capture->takes_events_here(); });
}

std::string GraphProcessor::get_current_report() { return report_text(*innermost(), is_buffer_pages_enabled()); }

void GraphProcessor::add_error(std::string_view type, std::string_view message, std::string_view operation) {
    innermost()->add_error(type, message, operation);
}

void GraphProcessor::enable_stack_traces(bool cpp_frames) {
    graph::enable_stack_traces(cpp_frames ? StackTraces::WITH_CPP : StackTraces::ON);
}
void GraphProcessor::disable_stack_traces() { graph::enable_stack_traces(StackTraces::OFF); }
bool GraphProcessor::is_stack_trace_enabled() { return stack_traces_enabled(); }
void GraphProcessor::enable_buffer_pages() { buffer_pages = true; }
void GraphProcessor::disable_buffer_pages() { buffer_pages = false; }
bool GraphProcessor::is_buffer_pages_enabled() { return buffer_pages; }
void GraphProcessor::enable_detailed_arguments() { detailed_arguments = true; }
void GraphProcessor::disable_detailed_arguments() { detailed_arguments = false; }
bool GraphProcessor::is_detailed_arguments_enabled() { return detailed_arguments; }
void GraphProcessor::enable_later_names() { later_names = true; }
void GraphProcessor::disable_later_names() { later_names = false; }
bool GraphProcessor::is_later_names_enabled() { return later_names; }

ScopedGraphCapture::ScopedGraphCapture(RunMode mode, std::filesystem::path report) : report_(std::move(report)) {
    GraphProcessor::begin_graph_capture(mode);
}

ScopedGraphCapture::~ScopedGraphCapture() {
    if (!open_) {
        return;
    }
    try {
        end();
    } catch (const std::exception& error) {
        fmt::print(stderr, "graph capture: the report is lost: {}\n", error.what());
    }
}

Trace ScopedGraphCapture::end() {
    require(open_, "this graph capture has already ended");
    open_ = false;
    return report_.empty() ? GraphProcessor::end_graph_capture() : GraphProcessor::end_graph_capture_to_file(report_);
}

Trace query_trace(const std::function<void()>& function) {
    ScopedGraphCapture capture(RunMode::NO_DISPATCH);
    function();
    return capture.end();
}

}  // namespace ttnn::graph
