// Observer: how tools watch the runtime. Off costs one relaxed load and a branch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ttnn/core/function_ref.hpp"

namespace ttnn {

struct OpInfo;
class Tensor;
class Buffer;
class Device;
struct PlacedCircularBuffer;

// Receives events on the thread where they happen, in order. Calls may come from several threads at once.
class Observer {
public:
    virtual ~Observer() = default;
    // An operation as users call it; `params` and `result` are the records of its declaration.
    virtual void operation_begin(const OpInfo& op, const void* params);
    virtual void operation_end(const OpInfo& op, const void* result);
    // A step below: a primitive, "Device Operation", "create_device_tensor".
    virtual void function_begin(std::string_view name, std::span<const Tensor> inputs);
    virtual void function_end(std::string_view name, std::span<const Tensor> outputs);
    // The innermost open operation or function ends with an error instead.
    virtual void operation_failed(const OpInfo& op, std::string_view message);
    virtual void function_failed(std::string_view name);
    virtual void buffer_allocated(const Buffer& buffer);
    virtual void buffer_deallocated(const Buffer& buffer);
    virtual void circular_buffers_allocated(const Device& device, std::span<const PlacedCircularBuffer> placed);
    virtual void circular_buffers_released(const Device& device);
};

// The capture switch: how many observers are attached. The only process-wide state of the runtime.
inline constinit std::atomic<uint32_t> capture_switch{0};

#ifdef TTNN_NO_CAPTURE
constexpr bool captured() { return false; }
#else
inline bool captured() { return capture_switch.load(std::memory_order_relaxed) != 0; }
#endif

void attach(std::shared_ptr<Observer> observer);
void detach(const std::shared_ptr<Observer>& observer);

// Calls `event` for every attached observer. Only worth calling when captured().
void notify(FunctionRef<void(Observer&)> event);

}  // namespace ttnn
