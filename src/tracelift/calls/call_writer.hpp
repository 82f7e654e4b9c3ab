// CallWriter: the observer behind CallTracing.
#pragma once

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
    struct OpenCall;
    struct ThreadState;
    static ThreadState& thread_state();
    void begin_line(OpenCall& call);
    void finish(OpenCall& call, double milliseconds);

    CallTracing& tracing_;
};

}  // namespace tracelift
