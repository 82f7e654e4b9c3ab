// CallContext: what a call carries along on its thread, for everything that it comes by. It is there whether anybody
// watches or not. Parts of it are set by scopes, which put back what was there before.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ttnn {

class GivenCall;
class HeldRefusal;
class StopRequest;

// Whether operations of this thread are carried out. Decided by the outermost graph capture, for as long as it lasts.
enum class Dispatch : uint8_t {
    NOT_DECIDED,
    ALLOWED,
    BLOCKED,  // buffers have no address and no bytes, kernels do not run
};

struct CallContext {
    uint64_t run = 0;    // which outermost call this is, or was the last; no two in a process agree
    uint32_t depth = 0;  // calls that are open, one inside the other
    Dispatch dispatch = Dispatch::NOT_DECIDED;
    bool encode_values = false;         // tensors are encoded with their values
    bool untraced = false;              // what is called belongs to a tool that writes calls, and is not written
    const GivenCall* given = nullptr;   // how the caller wrote the operation that begins next; nullptr: not told
    HeldRefusal* refusal = nullptr;     // of the innermost operation that runs while somebody watches
    const StopRequest* stop = nullptr;  // what may ask this thread to stop; nullptr: nothing
};
inline constinit thread_local CallContext call_context;

// Sets one part of the context while it lives.
template <auto Part>
class ContextScope {
public:
    using Value = std::remove_reference_t<decltype(call_context.*Part)>;

    explicit ContextScope(Value value) : before_(std::exchange(call_context.*Part, value)) {}
    ~ContextScope() { call_context.*Part = before_; }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    Value before_;
};

// A call that is open while it lives: an operation, or a primitive that is launched outside of one.
class CallScope {
public:
    CallScope() {
        if (call_context.depth++ == 0) {
            begin_run();
        }
    }
    ~CallScope() { --call_context.depth; }
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

private:
    // Every thread counts in a range of its own, so that counting costs no more than an addition.
    static void begin_run() {
        if (call_context.run++ == 0) [[unlikely]] {
            call_context.run = threads.fetch_add(1, std::memory_order_relaxed) << 40;
        }
    }
    static inline constinit std::atomic<uint64_t> threads{1};  // that made a call so far, and one
};

}  // namespace ttnn
