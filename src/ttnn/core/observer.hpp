// Observer: how tools watch the runtime. Off costs one relaxed load and a branch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ttnn/core/call_context.hpp"
#include "ttnn/core/function_ref.hpp"

namespace tracelift {
class ValueSink;
}

namespace ttnn {

struct OpInfo;
class Tensor;
class TensorSpec;
class Buffer;
class Device;
struct PlacedCircularBuffer;
struct ArgumentRef;

// A step below an operation: a primitive, "Device Operation", "create_device_tensor".
struct FunctionCall {
    std::string_view name;
    std::span<const Tensor> tensors{};         // arguments that readers of a trace can link
    uint32_t inputs = 0;                       // how many arguments it gets
    std::span<const ArgumentRef> arguments{};  // a primitive's and its device operation's; valid during the event
    const TensorSpec* created = nullptr;       // create_device_tensor: of what
};
inline constexpr std::string_view device_operation_name = "Device Operation";

// Receives events on the thread where they happen, in order. Calls may come from several threads at once.
class Observer {
public:
    Observer() = default;
    virtual ~Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;

    // Whether it wants what happens inside operations, too: functions, buffers, circular buffers. Asked once.
    virtual bool watches_steps() const { return false; }
    // An operation as users call it; `params` and `result` are the records of its declaration.
    virtual void operation_begin(const OpInfo& op, const void* params);
    virtual void operation_end(const OpInfo& op, const void* result);
    virtual void function_begin(const FunctionCall& call);
    virtual void function_end(std::string_view name, std::span<const Tensor> outputs);
    // The innermost open operation or function ends with an error instead.
    virtual void operation_failed(const OpInfo& op, std::string_view message);
    virtual void function_failed(std::string_view name, std::string_view message);
    virtual void buffer_allocated(const Buffer& buffer);
    virtual void buffer_deallocated(const Buffer& buffer);
    // The circular buffers of a program, in creation order; those of the program before it are released by this.
    // `compiled`: for the first time, so that they really are allocated.
    virtual void circular_buffers_allocated(const Device& device, std::span<const PlacedCircularBuffer> placed,
                                            bool compiled);

private:
    friend void attach(std::shared_ptr<Observer> observer);
    friend void detach(const std::shared_ptr<Observer>& observer);
    friend void notify(FunctionRef<void(Observer&)> event);

    std::atomic<bool> attached_{false};
};

// The capture switches: how many observers are attached, and how many of them watch steps.
inline constinit std::atomic<uint32_t> capture_switch{0};
inline constinit std::atomic<uint32_t> step_switch{0};

#ifdef TTNN_NO_CAPTURE
constexpr bool captured() { return false; }
constexpr bool steps_captured() { return false; }
#else
inline bool captured() { return capture_switch.load(std::memory_order_relaxed) != 0; }
inline bool steps_captured() { return step_switch.load(std::memory_order_relaxed) != 0; }
#endif

inline bool dispatch_blocked() { return steps_captured() && call_context.dispatch == Dispatch::BLOCKED; }

// How the caller wrote the call of an operation, where a language binding knows better than the operation can. It puts
// itself into the call context, and stays valid until the operation ends.
class GivenCall {
public:
    virtual ~GivenCall() = default;
    virtual size_t positional() const = 0;  // arguments without a name; they come first
    virtual size_t count() const = 0;
    virtual std::string_view keyword(size_t index) const = 0;
    virtual void put(size_t index, tracelift::ValueSink& sink) const = 0;
    // The class of the error that ended the call; empty: not known.
    virtual std::string_view error_type() const { return {}; }
};

// Events take no lock: they see the observers that were attached when they began.
void attach(std::shared_ptr<Observer> observer);
// Once this returns no event reaches the observer any more: it waits for those that are on their way on other threads.
// So the caller must not hold a lock that an observer takes. Inside an event there is no waiting, because the other
// thread might do the same.
void detach(const std::shared_ptr<Observer>& observer);

// How `detach` waits where a language binding has a lock to give up meanwhile; nullptr: it just waits.
inline constinit std::atomic<void (*)(FunctionRef<void()> wait)> run_waiting{nullptr};

// Calls `event` for every attached observer. Only worth calling when captured().
void notify(FunctionRef<void(Observer&)> event);
// Tells that an operation begins; what the caller wrote (CallContext::given) is its own and of none inside it.
void notify_begin(const OpInfo& op, const void* params);

}  // namespace ttnn
