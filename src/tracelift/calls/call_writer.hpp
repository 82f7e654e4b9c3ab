// CallWriter: the observer behind CallTracing.
#pragma once

#include <chrono>

#include "tracelift/calls/call_tracing.hpp"
#include "ttnn/core/observer.hpp"

namespace tracelift {

class CallWriter final : public ttnn::Observer {
public:
    explicit CallWriter(CallTracing& tracing) : tracing_(tracing) {}

    void operation_begin(const ttnn::OpInfo& op, const void* params) override;
    void operation_end(const ttnn::OpInfo& op, const void* result) override;
    void operation_failed(const ttnn::OpInfo& op, std::string_view message) override;

private:
    using Clock = std::chrono::steady_clock;
    struct OpenCall;
    struct ThreadState;
    static ThreadState& thread_state();
    void begin_line(OpenCall& call);
    static OpenCall close(const ttnn::OpInfo& op);
    void finish_line(OpenCall& call, Clock::time_point end, std::string_view output,
                     const std::optional<CallError>& error);

    CallTracing& tracing_;
};

}  // namespace tracelift
