// Events take no lock. A change puts a new list of observers in the place of the current one. The old one is destroyed
// once every thread has left the event in which it may have read it; `detach` waits for that.
#include "ttnn/core/observer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace ttnn {
namespace {

struct List {
    std::vector<std::shared_ptr<Observer>> observers{};
    List* next = nullptr;  // among those that were replaced
};

// Where a thread says that it is inside an event. One thread has it at a time; it is never destroyed.
struct alignas(64) Slot {
    std::atomic<uint64_t> events{0};  // begun and ended ones: odd inside of one
    std::atomic<bool> taken{true};
    std::atomic<pid_t> process{getpid()};  // a forked child has only one of its parent's threads
    Slot* next = nullptr;
};

constinit std::atomic<List*> current{nullptr};   // nullptr: nobody is attached
constinit std::atomic<List*> replaced{nullptr};  // to be destroyed
constinit std::atomic<Slot*> slots{nullptr};
constinit thread_local Slot* own_slot = nullptr;

template <class Node>
void push(std::atomic<Node*>& stack, Node* node) {
    node->next = stack.load(std::memory_order_relaxed);
    while (!stack.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

// In a forked child: whatever the other threads were doing has no end here.
void forget_other_threads() {
    for (Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
        slot->process.store(getpid(), std::memory_order_relaxed);
        if (slot != own_slot) {
            slot->events.store(0, std::memory_order_relaxed);
            slot->taken.store(false, std::memory_order_relaxed);
        }
    }
}

struct GivesSlotBack {
    ~GivesSlotBack() {
        own_slot->taken.store(false, std::memory_order_release);
        own_slot = nullptr;  // events while the thread ends take another, and keep it
    }
};

[[gnu::noinline]] Slot& take_slot() {
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, forget_other_threads);
    for (Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr && own_slot == nullptr;
         slot = slot->next) {
        if (!slot->taken.load(std::memory_order_relaxed) && !slot->taken.exchange(true, std::memory_order_acquire)) {
            own_slot = slot;
        }
    }
    if (own_slot == nullptr) {
        own_slot = new Slot();
        push(slots, own_slot);
    }
    thread_local GivesSlotBack at_the_end;
    return *own_slot;
}

// While one lives, no list that this thread reads is destroyed.
class Reading {
public:
    Reading() : slot_(own_slot != nullptr ? *own_slot : take_slot()), outermost_(!inside_event()) {
        if (outermost_) {
            // In one order with the changes of `current`: either the list is the new one, or `detach` sees us.
            slot_.events.store(slot_.events.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
        }
    }
    ~Reading() {
        if (outermost_) {
            slot_.events.store(slot_.events.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        }
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    static bool inside_event() {
        return own_slot != nullptr && own_slot->events.load(std::memory_order_relaxed) % 2 == 1;
    }
    static const List* list() { return current.load(std::memory_order_seq_cst); }

private:
    Slot& slot_;
    const bool outermost_;
};

// Puts a changed copy into the place of the list. False where `change` finds nothing to do.
template <class Change>
bool replace_list(Change change) {
    const Reading reading;  // so that the list, which is copied and compared, is not destroyed meanwhile
    List* before = current.load(std::memory_order_seq_cst);
    for (;;) {
        auto next = std::make_unique<List>();
        if (before != nullptr) {
            next->observers = before->observers;
        }
        if (!change(next->observers)) {
            return false;
        }
        List* after = next->observers.empty() ? nullptr : next.get();
        if (current.compare_exchange_strong(before, after, std::memory_order_seq_cst)) {
            if (after != nullptr) {
                (void)next.release();
            }
            break;
        }
    }
    if (before != nullptr) {
        push(replaced, before);
    }
    return true;
}

// An event on another thread that began before we asked.
struct UnderWay {
    const Slot* slot;
    uint64_t events;
};

std::vector<UnderWay> events_under_way() {
    std::vector<UnderWay> found;
    const pid_t process = getpid();  // other handlers of a fork may come here before forget_other_threads
    for (const Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
        const uint64_t events = slot->events.load(std::memory_order_seq_cst);
        if (events % 2 == 1 && slot->process.load(std::memory_order_relaxed) == process) {
            found.push_back({slot, events});
        }
    }
    return found;
}

void wait_for_end_of(const std::vector<UnderWay>& events) {
    constexpr int turns = 100;  // most events are over sooner
    for (const UnderWay& event : events) {
        for (int i = 0; event.slot->events.load(std::memory_order_acquire) == event.events; ++i) {
            if (i < turns) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        }
    }
}

void destroy(List* list) {
    while (list != nullptr) {
        delete std::exchange(list, list->next);
    }
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
    observer->attached_.store(true, std::memory_order_relaxed);
    replace_list([&](auto& observers) {
        observers.push_back(observer);
        return true;
    });
    step_switch.fetch_add(observer->watches_steps() ? 1 : 0, std::memory_order_relaxed);
    capture_switch.fetch_add(1, std::memory_order_relaxed);
}

void detach(const std::shared_ptr<Observer>& observer) {
    size_t times = 0;
    if (!replace_list([&](auto& observers) { return (times = std::erase(observers, observer)) != 0; })) {
        return;
    }
    const auto count = static_cast<uint32_t>(times);
    observer->attached_.store(false, std::memory_order_relaxed);
    step_switch.fetch_sub(observer->watches_steps() ? count : 0, std::memory_order_relaxed);
    capture_switch.fetch_sub(count, std::memory_order_relaxed);
    if (Reading::inside_event()) {
        return;  // the next that is outside of one waits and destroys
    }
    List* unread = replaced.exchange(nullptr, std::memory_order_acquire);
    if (const std::vector<UnderWay> events = events_under_way(); !events.empty()) {
        const auto wait = [&] { wait_for_end_of(events); };
        const auto run = run_waiting.load(std::memory_order_relaxed);
        run != nullptr ? run(wait) : wait();
    }
    destroy(unread);
}

void notify(FunctionRef<void(Observer&)> event) {
    const Reading reading;
    const List* list = Reading::list();
    if (list == nullptr) {
        return;  // the last one was detached after captured() was asked
    }
    for (const std::shared_ptr<Observer>& observer : list->observers) {
        if (observer->attached_.load(std::memory_order_relaxed)) {  // an event may detach others
            event(*observer);
        }
    }
}

void notify_begin(const OpInfo& op, const void* params) {
    notify([&](Observer& observer) { observer.operation_begin(op, params); });
    call_context.given = nullptr;
}

}  // namespace ttnn
