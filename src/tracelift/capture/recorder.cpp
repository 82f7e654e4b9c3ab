#include "tracelift/capture/recorder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "tracelift/capture/device_argument.hpp"
#include "tracelift/capture/raw_file.hpp"
#include "tracelift/value/bytes.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

struct OpenCall {
    uint64_t sequence = 0;
    Clock::time_point start;
    bool recorded = false;
};

// What a thread is in the middle of.
struct ThreadState {
    std::vector<OpenCall> open;
    int declared = 0;   // how many of these have a declaration
    ByteWriter writer;  // kept, so that its memory is used again
};
ThreadState& thread_state() {
    thread_local ThreadState state;
    return state;
}

// Operations written in Python have no call of their own: they are programs made of declared operations.
bool is_declared(const ttnn::OpInfo& op) { return op.call != nullptr; }

// A call that began before the recorder was attached was not recorded.
OpenCall close_call(ThreadState& state, const ttnn::OpInfo& op) {
    if (state.open.empty()) {
        return {};
    }
    const OpenCall call = state.open.back();
    state.open.pop_back();
    state.declared -= is_declared(op) ? 1 : 0;
    return call;
}

std::filesystem::path new_file_in(const std::filesystem::path& directory) {
    static std::atomic<uint32_t> number{0};
    return directory / fmt::format("calls-{}-{}{}", getpid(), number.fetch_add(1), raw_extension);
}

void append_end(RawFile& file, ByteWriter& writer, const OpenCall& call, std::string_view error) {
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - call.start).count();
    writer.clear();
    writer.varint(call.sequence);
    writer.varint(static_cast<uint64_t>(spent));
    writer.raw_text(error);
    file.append(RecordKind::END, writer.bytes());
}

}  // namespace

Recorder::Recorder(std::filesystem::path directory, std::string trace_uid)
    : directory_(std::move(directory)), trace_uid_(std::move(trace_uid)) {
    open();
}

Recorder::~Recorder() = default;

void Recorder::open() {
    file_ = std::make_unique<RawFile>(new_file_in(directory_));
    ByteWriter writer;
    writer.raw_text(trace_uid_);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    writer.varint(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count()));
    file_->append(RecordKind::SESSION, writer.bytes());
}

void Recorder::operation_begin(const ttnn::OpInfo& op, const void* params) {
    ThreadState& state = thread_state();
    OpenCall call;
    call.recorded = state.declared == 0;
    state.declared += is_declared(op) ? 1 : 0;
    if (call.recorded) {
        call.sequence = sequence_.fetch_add(1, std::memory_order_relaxed);
        ByteWriter& writer = state.writer;
        writer.clear();
        writer.varint(call.sequence);
        writer.raw_text(op.name);
        writer.raw_text(board_of(op, params));
        ttnn::put_call(op, params, writer);
        file_->append(RecordKind::BEGIN, writer.bytes());
        call.start = Clock::now();
    }
    state.open.push_back(call);
}

// Without the result: whoever reads traces wants the calls.
void Recorder::operation_end(const ttnn::OpInfo& op, const void*) {
    ThreadState& state = thread_state();
    const OpenCall call = close_call(state, op);
    if (call.recorded) {
        append_end(*file_, state.writer, call, {});
    }
}

void Recorder::operation_failed(const ttnn::OpInfo& op, std::string_view message) {
    ThreadState& state = thread_state();
    const OpenCall call = close_call(state, op);
    if (call.recorded) {
        append_end(*file_, state.writer, call, message.empty() ? "unknown error" : message);
    }
}

uint64_t Recorder::dropped() const { return file_->dropped(); }

void Recorder::reopen_after_fork() {
    (void)file_.release();  // the parent's; its mappings go with the child
    open();
    thread_state() = {};
}

std::string make_uid() {
    std::random_device random;
    std::uniform_int_distribution<uint32_t> words;
    const uint32_t a = words(random), b = words(random), c = words(random), d = words(random);
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:04x}{:08x}", a, b >> 16, b & 0xFFF, 8 + (c >> 30),
                       (c >> 16) & 0xFFF, c & 0xFFFF, d);
}

void start_recording_from_environment() {
    // Never destroyed: other threads may be inside an operation while the process ends.
    static std::shared_ptr<Recorder>* recorder = nullptr;
    const char* directory = std::getenv(record_variable);
    if (directory == nullptr || *directory == '\0' || recorder != nullptr) {
        return;
    }
    const char* uid = std::getenv(trace_uid_variable);
    try {
        recorder = new std::shared_ptr(std::make_shared<Recorder>(directory, uid != nullptr ? uid : make_uid()));
    } catch (const std::exception& error) {
        fmt::print(stderr, "tracelift: nothing is recorded: {}\n", error.what());
        return;
    }
    ttnn::attach(*recorder);
    pthread_atfork(nullptr, nullptr, [] { (*recorder)->reopen_after_fork(); });
    std::atexit([] {
        if (const uint64_t dropped = (*recorder)->dropped(); dropped != 0) {
            fmt::print(stderr, "tracelift: the disk is full, {} records of the trace were dropped\n", dropped);
        }
    });
}

}  // namespace tracelift
