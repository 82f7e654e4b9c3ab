// What captures keep of memory: buffers, their pages, circular buffers.
#include <algorithm>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/capture.hpp"

namespace ttnn::graph {
namespace {

CapturedBuffer facts_of(const Buffer& buffer) {
    const PageMap& pages = buffer.pages();
    return {.size = buffer.size(),
            .address = buffer.address(),
            .page_size = pages.page_size(),
            .num_cores = pages.identity() ? 0 : static_cast<uint32_t>(pages.shard_cores().size()),
            .type = buffer.buffer_type(),
            .layout = buffer.memory_layout(),
            .device_id = buffer.device()->id()};
}

}  // namespace

// The first event of a device finds its memory as it was when the capture began, but for the buffer that the event is
// about. Tells whether this is the first.
bool Capture::touch(const Device& device, uint64_t fresh_buffer) {
    const auto known = std::ranges::find(devices_, &device, [](const auto& each) { return each.get(); });
    if (known != devices_.end()) {
        return false;
    }
    devices_.push_back(device.shared_from_this());
    for (const Buffer* buffer : device.live_buffers()) {
        if (buffer->id() != fresh_buffer) {
            keep_at_start(*buffer);
        }
    }
    return true;
}

void Capture::keep_at_start(const Buffer& buffer) {
    if (buffer.size() > 0 && !buffer.is_mocked()) {
        at_start_.push_back({facts_of(buffer), buffer.id()});
        keep_pages(buffer, 0);
    }
}

void Capture::keep_pages(const Buffer& buffer, uint32_t allocated_at) {
    const BufferType type = buffer.buffer_type();
    if (!buffer_pages.load(std::memory_order_relaxed) || buffer.is_mocked() ||
        (type != BufferType::L1 && type != BufferType::L1_SMALL)) {
        return;
    }
    pages_.push_back({allocated_at, buffer.address(), type, buffer.pages(), buffer.device()});
}

std::vector<BufferAtStart> Capture::buffers_at_start() const {
    const std::lock_guard lock(mutex_);
    std::vector<BufferAtStart> buffers = at_start_;
    for (BufferAtStart& buffer : buffers) {
        const auto node = buffer_nodes_.find(buffer.id);
        buffer.node = node == buffer_nodes_.end() ? std::nullopt : std::optional(node->second);
    }
    return buffers;
}

uint32_t Capture::record_buffer(const Buffer& buffer) {
    const auto [place, fresh] = buffer_nodes_.try_emplace(buffer.id(), 0);
    if (fresh) {
        buffers_.push_back(facts_of(buffer));
        place->second = append(NodeType::BUFFER, inner_level(), static_cast<uint32_t>(buffers_.size() - 1));
        connect(top(), place->second);
    }
    return place->second;
}

void Capture::buffer_allocated(const Buffer& buffer) {
    if (!takes_events_here() || buffer.size() == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    touch(*buffer.device(), buffer.id());
    const uint32_t node = record_buffer(buffer);
    const uint32_t counter = append(NodeType::BUFFER_ALLOCATE, inner_level(), records_[node].fact);
    connect(counter, node);
    connect(top(), counter);
    keep_pages(buffer, counter);
}

void Capture::buffer_deallocated(const Buffer& buffer) {
    if (!takes_events_here() || buffer.size() == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    if (touch(*buffer.device())) {
        keep_at_start(buffer);  // it is not in memory any more
    }
    const uint32_t node = record_buffer(buffer);
    const uint32_t counter = append(NodeType::BUFFER_DEALLOCATE, inner_level(), records_[node].fact);
    connect(counter, node);
    connect(top(), counter);
}

void Capture::circular_buffers_allocated(const Device& device, std::span<const PlacedCircularBuffer> placed,
                                         bool compiled) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    touch(device);
    const bool mocked = dispatch_blocked();
    if (!options_.literal_sample) {
        CircularBufferFact release;
        release.device_id = device.id();
        circular_buffers_.push_back(release);
        const auto fact = static_cast<uint32_t>(circular_buffers_.size() - 1);
        const uint32_t counter = append(NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL, inner_level(), fact);
        connect(counter, top());
        connect(top(), counter);
    }
    for (const PlacedCircularBuffer& each : placed) {
        const bool global = each.request->global != nullptr;
        if (!compiled || (global && !mocked)) {
            continue;
        }
        circular_buffers_.push_back(
            {each.request->size, mocked ? 0 : each.address, each.request->cores, global, device.id()});
        const auto fact = static_cast<uint32_t>(circular_buffers_.size() - 1);
        connect(top(), append(NodeType::CIRCULAR_BUFFER_ALLOCATE, inner_level(), fact));
    }
}

}  // namespace ttnn::graph
