#include "tracelift/calls/call_writer.hpp"

#include <vector>

#include "tracelift/calls/line_file.hpp"
#include "tracelift/capture/device_argument.hpp"
#include "tracelift/dialects/serializer.hpp"
#include "tracelift/value/private_text.hpp"
#include "tracelift/value/sink.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Visits the arguments as the caller wrote them, or, where nobody tells, the required ones by position and the others
// by name (empty: by position). `put(sink)` writes the value.
template <class Visit>
void visit_arguments(const ttnn::OpInfo& op, const void* params, const ttnn::GivenCall* given, Visit visit) {
    if (given != nullptr) {
        for (size_t i = 0; i < given->count(); ++i) {
            const bool positional = i < given->positional();
            visit(positional ? std::string_view() : given->keyword(i), [&](ValueSink& sink) { given->put(i, sink); });
        }
        return;
    }
    bool leading = true;
    for (const ttnn::FieldInfo& field : op.fields) {
        leading = leading && field.required() && !field.keyword_only();
        if (leading || ttnn::is_given(op, field, params)) {
            const void* value = static_cast<const char*>(params) + field.offset;
            visit(leading ? std::string_view() : field.name, [&](ValueSink& sink) { field.type->put(value, sink); });
        }
    }
}

// "inputs":[...],"kwargs":{...}
std::string arguments_text(const ttnn::OpInfo& op, const void* params, const ttnn::GivenCall* given) {
    JsonText json;
    SerializerSink sink(json);
    bool named = false;
    json.buffer() += "\"inputs\":";
    json.begin_array();
    visit_arguments(op, params, given, [&](std::string_view name, auto put) {
        if (!name.empty()) {
            if (!named) {
                json.end_array();
                json.buffer() += ",\"kwargs\":";
                json.begin_object();
            }
            named = true;
            json.key(name);
        }
        put(sink);
    });
    if (named) {
        json.end_object();
    } else {
        json.end_array();
        json.buffer() += ",\"kwargs\":{}";
    }
    return std::move(json.buffer());
}

void encode_arguments(const ttnn::OpInfo& op, const void* params, const ttnn::GivenCall* given, TracedCall& call) {
    ValueBuilder builder;
    visit_arguments(op, params, given, [&](std::string_view name, auto put) {
        put(builder);
        if (name.empty()) {
            call.args.push_back(builder.take());
        } else {
            call.kwargs.push_back({std::string(name), builder.take()});
        }
    });
}

}  // namespace

struct CallWriter::OpenCall {
    bool recorded = false;
    const ttnn::OpInfo* op = nullptr;
    const void* params = nullptr;
    const ttnn::GivenCall* given = nullptr;
    std::string board;
    Clock::time_point start;
    double started = 0;
    std::shared_ptr<LineFile> lines;  // nullptr: no line is written
    std::string arguments;            // of the line
    uint64_t ticket = 0;
};

struct CallWriter::ThreadState {
    uint64_t attachment = 0;
    std::vector<OpenCall> open;
    int declared = 0;  // how many of these have a declaration
};

CallWriter::ThreadState& CallWriter::thread_state() {
    thread_local ThreadState state;
    return state;
}

void CallWriter::operation_begin(const ttnn::OpInfo& op, const void* params) {
    if (Untraced::here()) {
        return;
    }
    ThreadState& state = thread_state();
    if (const uint64_t now = tracing_.attachments_; state.attachment != now) {
        state = {};
        state.attachment = now;
    }
    OpenCall& call = state.open.emplace_back();
    call.recorded = state.declared == 0;
    state.declared += op.call != nullptr ? 1 : 0;
    if (!call.recorded) {
        return;
    }
    const Untraced guard;
    call.op = &op;
    call.params = params;
    call.given = ttnn::call_context.given;
    call.board = board_of(op, params);
    try {
        begin_line(call);
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
        call.lines.reset();
    }
    call.start = Clock::now();
}

void CallWriter::begin_line(OpenCall& call) {
    static const std::optional<CallError> unfinished = CallError{unfinished_type, "the call has not returned"};
    call.lines = tracing_.lines();
    if (!call.lines) {
        return;
    }
    call.started = seconds_now();
    call.arguments = arguments_text(*call.op, call.params, call.given);
    std::string line;
    {
        const std::lock_guard lock(tracing_.mutex_);
        append_call_line(line, tracing_.context_, {tracing_.op_index_, call.started, 0, call.board}, call.op->name,
                         call.arguments, "null", unfinished);
    }
    call.ticket = call.lines->begin(line);
}

// The innermost open call of this thread, which ends; one that is not recorded when it began before we were attached.
CallWriter::OpenCall CallWriter::close(const ttnn::OpInfo& op) {
    ThreadState& state = thread_state();
    if (Untraced::here() || state.open.empty()) {
        return {};
    }
    OpenCall call = std::move(state.open.back());
    state.open.pop_back();
    state.declared -= op.call != nullptr ? 1 : 0;
    return call;
}

void CallWriter::operation_end(const ttnn::OpInfo& op, const void* result) {
    const auto end = Clock::now();
    OpenCall call = close(op);
    if (!call.recorded) {
        return;
    }
    const Untraced guard;
    try {
        if (call.lines) {
            JsonText output;
            SerializerSink sink(output);
            op.result->put(result, sink);
            finish_line(call, end, output.buffer(), std::nullopt);
        }
        if (tracing_.traces_parameters()) {
            const ttnn::EncodeTensorValues values(tracing_.traces_values());
            TracedCall traced{std::string(op.name), call.board, {}, {}, op.result->encode(result)};
            encode_arguments(op, call.params, call.given, traced);
            tracing_.parameter_files().write(traced);
        }
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
    }
}

void CallWriter::operation_failed(const ttnn::OpInfo& op, std::string_view message) {
    const auto end = Clock::now();
    OpenCall call = close(op);
    if (!call.recorded || !call.lines) {
        return;
    }
    const Untraced guard;
    try {
        const std::string_view type = call.given == nullptr ? std::string_view() : call.given->error_type();
        finish_line(call, end, "null",
                    CallError{std::string(type.empty() ? "RuntimeError" : type), private_text(message)});
    } catch (const std::exception& error) {
        tracing_.complain("a call is not traced", error.what());
    }
}

void CallTracing::refused(const ttnn::OpInfo& op, const ttnn::GivenCall& given, const CallError& error) {
    const std::shared_ptr<LineFile> file = lines();
    if (!file || Untraced::here()) {
        return;
    }
    const Untraced guard;
    try {
        const std::string arguments = arguments_text(op, nullptr, &given);
        std::string line;
        {
            const std::lock_guard lock(mutex_);
            append_call_line(line, context_, {op_index_++, seconds_now(), 0, {}}, op.name, arguments, "null",
                             CallError{error.type, private_text(error.message)});
        }
        file->finish(file->begin(line), line);
    } catch (const std::exception& problem) {
        complain("a call is not traced", problem.what());
    }
}

void CallWriter::finish_line(OpenCall& call, Clock::time_point end, std::string_view output,
                             const std::optional<CallError>& error) {
    const double milliseconds = std::chrono::duration<double, std::milli>(end - call.start).count();
    std::string line;
    {
        const std::lock_guard lock(tracing_.mutex_);
        append_call_line(line, tracing_.context_, {tracing_.op_index_++, call.started, milliseconds, call.board},
                         call.op->name, call.arguments, output, error);
    }
    call.lines->finish(call.ticket, line);
}

}  // namespace tracelift
