#include "ttnn/core/stop.hpp"

namespace ttnn {

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

void detail::stop_if_asked() {
    if (is_stoppable() && current_stop()->asked()) {
        throw Stopped{};
    }
}

}  // namespace ttnn
