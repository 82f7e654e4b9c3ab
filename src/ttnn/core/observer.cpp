#include "ttnn/core/observer.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace ttnn {
namespace {

// The attached observers, replaced as a whole so that events never wait for attach or detach.
struct Attached {
    std::mutex mutex;
    std::shared_ptr<const std::vector<std::shared_ptr<Observer>>> list =
        std::make_shared<const std::vector<std::shared_ptr<Observer>>>();
};
// Never destroyed: what is written at the end of a process detaches then.
Attached& attached() {
    static auto* state = new Attached();
    return *state;
}

template <class Change>
void change_list(Change change) {
    Attached& state = attached();
    const std::lock_guard lock(state.mutex);
    auto list = *state.list;
    change(list);
    const auto watching = std::ranges::count_if(list, [](const auto& observer) { return observer->watches_steps(); });
    capture_switch.store(static_cast<uint32_t>(list.size()), std::memory_order_relaxed);
    step_switch.store(static_cast<uint32_t>(watching), std::memory_order_relaxed);
    state.list = std::make_shared<const std::vector<std::shared_ptr<Observer>>>(std::move(list));
}

}  // namespace

void Observer::operation_begin(const OpInfo&, const void*) {}
void Observer::operation_end(const OpInfo&, const void*) {}
void Observer::function_begin(const FunctionCall&) {}
void Observer::function_end(std::string_view, std::span<const Tensor>) {}
void Observer::operation_failed(const OpInfo&, std::string_view) {}
void Observer::function_failed(std::string_view, std::string_view) {}
void Observer::buffer_allocated(const Buffer&) {}
void Observer::buffer_deallocated(const Buffer&) {}
void Observer::circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer>, bool) {}

void attach(std::shared_ptr<Observer> observer) {
    change_list([&](auto& list) { list.push_back(std::move(observer)); });
}

void detach(const std::shared_ptr<Observer>& observer) {
    change_list([&](auto& list) { std::erase(list, observer); });
}

void notify(FunctionRef<void(Observer&)> event) {
    std::shared_ptr<const std::vector<std::shared_ptr<Observer>>> list;
    {
        const std::lock_guard lock(attached().mutex);
        list = attached().list;
    }
    for (const auto& observer : *list) {
        event(*observer);
    }
}

}  // namespace ttnn
