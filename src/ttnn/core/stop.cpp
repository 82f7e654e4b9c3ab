#include "ttnn/core/stop.hpp"

namespace ttnn {
namespace {

thread_local const StopRequest* current = nullptr;

}  // namespace

StopRequest::~StopRequest() {
    if (asked()) {
        detail::stops_asked.fetch_sub(1, std::memory_order_relaxed);
    }
}

void StopRequest::ask() {
    if (!asked_.exchange(true, std::memory_order_acq_rel)) {
        detail::stops_asked.fetch_add(1, std::memory_order_relaxed);
    }
}

StopScope::StopScope(const StopRequest& request) : outer_(current) { current = &request; }

StopScope::~StopScope() { current = outer_; }

bool is_stoppable() { return current != nullptr; }

void detail::stop_if_asked() {
    if (current != nullptr && current->asked()) {
        throw Stopped{};
    }
}

}  // namespace ttnn
