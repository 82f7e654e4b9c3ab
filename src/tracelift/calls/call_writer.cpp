#include "tracelift/calls/call_writer.hpp"

#include <chrono>
#include <vector>

#include "tracelift/calls/line_file.hpp"
#include "tracelift/capture/device_argument.hpp"
#include "tracelift/value/private_text.hpp"
#include "tracelift/value/sink.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// What the caller wrote, or, where nobody tells, the required arguments by position and the others by name.
void encode_arguments(const ttnn::OpInfo& op, const void* params, const ttnn::GivenCall* given, TracedCall& call) {
    call.args.clear();
    call.kwargs.clear();
    if (given != nullptr) {
        ValueBuilder builder;
        for (size_t i = 0; i < given->count(); ++i) {
            given->put(i, builder);
            if (i < given->positional()) {
                call.args.push_back(builder.take());
            } else {
                call.kwargs.push_back({std::string(given->keyword(i)), builder.take()});
            }
        }
        return;
    }
    bool leading = true;
    for (const ttnn::FieldInfo& field : op.fields) {
        leading = leading && field.required() && !field.keyword_only();
        const void* value = static_cast<const char*>(params) + field.offset;
        if (leading) {
            call.args.push_back(field.type->encode(value));
        } else if (ttnn::is_given(op, field, params)) {
            call.kwargs.push_back({std::string(field.name), field.type->encode(value)});
        }
    }
}

}  // namespace

struct CallWriter::OpenCall {
    bool recorded = false;
    TracedCall call;
    const ttnn::OpInfo* op = nullptr;
    const void* params = nullptr;
    const ttnn::GivenCall* given = nullptr;
    Clock::time_point start;
    double started = 0;
    std::shared_ptr<LineFile> lines;
    uint64_t ticket = 0;
};

struct CallWriter::ThreadState {
    std::vector<OpenCall> open;
    int declared = 0;          // how many of these have a declaration
};

CallWriter::ThreadState& CallWriter::thread_state() {
    thread_local ThreadState state;
    return state;
}

void CallWriter::operation_begin(const ttnn::OpInfo& op, const void* params) {
    ThreadState& state = thread_state();
    if (Untraced::here()) {
        return;
    }
    OpenCall& call = state.open.emplace_back();
    call.recorded = state.declared == 0;
    state.declared += op.call != nullptr ? 1 : 0;
    if (!call.recorded) {
        return;
    }
    const Untraced guard;
    try {
        call.op = &op;
        call.params = params;
        call.given = ttnn::given_call;
        call.call.operation = op.name;
        call.call.board = board_of(op, params);
        encode_arguments(op, params, call.given, call.call);
        call.started = seconds_now();
        begin_line(call);
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
        call.recorded = false;
    }
    call.start = Clock::now();
}

void CallWriter::begin_line(OpenCall& call) {
    call.lines = tracing_.lines();
    if (!call.lines) {
        return;
    }
    call.call.error = CallError{unfinished_type, "the call has not come back"};
    std::string line;
    {
        const std::lock_guard lock(tracing_.mutex_);
        line = call_line(call.call, tracing_.context_, {tracing_.op_index_, call.started, 0});
    }
    call.ticket = call.lines->begin(line);
    call.call.error.reset();
}

void CallWriter::operation_end(const ttnn::OpInfo& op, const void* result) {
    ThreadState& state = thread_state();
    if (Untraced::here() || state.open.empty()) {
        return;  // it began before we were attached
    }
    OpenCall call = std::move(state.open.back());
    state.open.pop_back();
    state.declared -= op.call != nullptr ? 1 : 0;
    if (!call.recorded) {
        return;
    }
    const auto end = Clock::now();
    const Untraced guard;
    try {
        const bool values = tracing_.traces_parameters() && tracing_.traces_values();
        call.call.result = op.result->encode(result);
        finish(call, std::chrono::duration<double, std::milli>(end - call.start).count());
        if (tracing_.traces_parameters()) {
            if (values) {
                const ttnn::EncodeTensorValues wanted(true);
                encode_arguments(op, call.params, call.given, call.call);
                call.call.result = op.result->encode(result);
            }
            tracing_.parameter_files().write(call.call);
        }
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
    }
}

void CallWriter::operation_failed(const ttnn::OpInfo& op, std::string_view message) {
    ThreadState& state = thread_state();
    if (Untraced::here() || state.open.empty()) {
        return;
    }
    OpenCall call = std::move(state.open.back());
    state.open.pop_back();
    state.declared -= op.call != nullptr ? 1 : 0;
    if (!call.recorded) {
        return;
    }
    const Untraced guard;
    try {
        const std::string_view type = call.given == nullptr ? std::string_view() : call.given->error_type();
        call.call.error = CallError{std::string(type.empty() ? "RuntimeError" : type), private_text(message)};
        finish(call, std::chrono::duration<double, std::milli>(Clock::now() - call.start).count());
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
    }
}

void CallWriter::finish(OpenCall& call, double milliseconds) {
    if (!call.lines) {
        return;
    }
    std::string line;
    {
        const std::lock_guard lock(tracing_.mutex_);
        line = call_line(call.call, tracing_.context_, {tracing_.op_index_++, call.started, milliseconds});
    }
    call.lines->finish(call.ticket, line);
}

}  // namespace tracelift
