// Graph capture as users call it.
//
//   ttnn::graph::GraphProcessor::begin_graph_capture(ttnn::graph::RunMode::NORMAL);
//   auto result = ttnn::add(a, b);
//   ttnn::graph::Trace graph = ttnn::graph::GraphProcessor::end_graph_capture();
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "ttnn/graph/capture.hpp"
#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

// Captures nest: events go to every open one, and `end` closes the innermost that this thread began (else the innermost
// process-wide one). The outermost capture of a thread decides whether operations are dispatched.
class GraphProcessor {
public:
    static void begin_graph_capture(RunMode mode = RunMode::NORMAL) {
        begin_graph_capture(CaptureOptions{.mode = mode});
    }
    static void begin_graph_capture(const CaptureOptions& options);
    static Trace end_graph_capture();  // throws when no capture is open
    // Ends, writes the report (missing folders are made) and gives the trace.
    static Trace end_graph_capture_to_file(const std::filesystem::path& report);
    static bool is_capturing();
    // The report of the innermost capture so far, without ending it.
    static std::string get_current_report();
    static void add_error(std::string_view type, std::string_view message, std::string_view operation = {});

    // Python frames, or C++ frames in a program without Python; both when asked for.
    static void enable_stack_traces(bool cpp_frames = false);
    static void disable_stack_traces();
    static bool is_stack_trace_enabled();
    static void enable_buffer_pages();
    static void disable_buffer_pages();
    static bool is_buffer_pages_enabled();
    // Arguments of primitives and device operations, too; those of operations are always there.
    static void enable_detailed_arguments();
    static void disable_detailed_arguments();
    static bool is_detailed_arguments_enabled();
    // Functions named as in the original's later releases (PermuteDeviceOperation), in captures that begin then.
    static void enable_later_names();
    static void disable_later_names();
    static bool is_later_names_enabled();
};

// Begins in the constructor; ends in the destructor, writing a report when a path was given, or by end().
class ScopedGraphCapture {
public:
    explicit ScopedGraphCapture(RunMode mode = RunMode::NORMAL, std::filesystem::path report = {});
    ~ScopedGraphCapture();
    ScopedGraphCapture(const ScopedGraphCapture&) = delete;
    ScopedGraphCapture& operator=(const ScopedGraphCapture&) = delete;
    Trace end();

private:
    std::filesystem::path report_;
    bool open_ = true;
};

// The trace of a function in NO_DISPATCH; what it returns dies before the capture ends.
Trace query_trace(const std::function<void()>& function);

}  // namespace ttnn::graph
