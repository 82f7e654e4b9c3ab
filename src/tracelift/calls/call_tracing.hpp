// CallTracing: writes the calls of this process for people, as parameter files and as lines of op-call JSONL. Both are
// off until somebody asks for them, and cost nothing then.
//
// Every call of a declared operation that is not inside another one is written, and every call of an operation written
// in Python. What goes wrong with the writing is reported on standard error, once, and never reaches the model.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "tracelift/calls/parameter_files.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "ttnn/core/call_context.hpp"

namespace ttnn {
class GivenCall;
class Observer;
struct OpInfo;
}  // namespace ttnn

namespace tracelift {

class LineFile;

// Environment of programs that were not changed for it.
inline constexpr const char* trace_parameters_variable = "TRACELIFT_TRACE_PARAMS";  // "1", or "values" for values too
inline constexpr const char* lines_variable = "TT_OP_RESULTS_JSONL";                // the file
inline constexpr const char* results_variable = "TT_TEST_RESULTS_CSV";              // the file; see results_csv.hpp

// While one lives, operations that this thread calls are not written: encoding an argument may run its own code.
class Untraced : public ttnn::ContextScope<&ttnn::CallContext::untraced> {
public:
    Untraced() : ContextScope(true) {}
    static bool here() { return ttnn::call_context.untraced; }
};

class CallTracing {
public:
    // The one of the process; never destroyed, since threads may be inside an operation while the process ends.
    static CallTracing& instance();

    void trace_parameters(bool on);
    bool traces_parameters() const { return parameters_on_; }
    void trace_values(bool on) { values_on_ = on; }
    bool traces_values() const { return values_on_; }
    ParameterFiles& parameter_files() { return parameter_files_; }

    // Starts to append lines to a file; an empty path ends it. Throws an error that names the file.
    void write_lines(const std::filesystem::path& path);
    // Which test the calls from here on belong to; their index starts again at 0.
    void set_context(CallContext context);

    // A call that no overload of the operation takes: it never begins, so that only its caller can tell. Its line has
    // the error.
    void refused(const ttnn::OpInfo& op, const ttnn::GivenCall& given, const CallError& error);

    // Switches on what the environment asks for.
    void start_from_environment();

private:
    friend class CallWriter;
    CallTracing();
    void update_observer();
    void switch_after_fork();
    void reopen_after_fork();
    void complain(const char* what, const std::string& why);
    std::shared_ptr<LineFile> lines();

    std::atomic<bool> parameters_on_{false};
    std::atomic<bool> values_on_{false};
    ParameterFiles parameter_files_;
    std::mutex mutex_;
    std::shared_ptr<LineFile> lines_;
    CallContext context_;
    uint64_t op_index_ = 0;
    std::shared_ptr<ttnn::Observer> writer_;
    bool attached_ = false;  // or being attached, where a thread switches
    bool switching_ = false;
    std::atomic<uint64_t> attachments_{0};  // calls that were open when an earlier one ended are forgotten
    std::atomic<bool> complained_{false};
};

}  // namespace tracelift
