#include "ttnn/tensor/tensor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "ttnn/core/error.hpp"
#include "ttnn/core/step.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {

namespace {

uint64_t next_id() {
    static std::atomic<uint64_t> last = 0;
    return ++last;
}

// calloc, because untouched pages of a large tensor then cost nothing.
std::shared_ptr<std::byte[]> zeroed_host_bytes(uint64_t size) {
    auto* bytes = static_cast<std::byte*>(std::calloc(std::max<uint64_t>(size, 1), 1));
    if (bytes == nullptr) {
        throw OutOfMemory(fmt::format("not enough host memory for a tensor of {} bytes", size));
    }
    return {bytes, [](std::byte* p) { std::free(p); }};
}

bool same_pages(const TensorSpec& a, const TensorSpec& b) {
    return a.page_height() == b.page_height() && a.page_width() == b.page_width() && a.page_size() == b.page_size() &&
           a.num_pages() == b.num_pages();
}

// The pages of a view in which whole row-major rows become rows of another length, shard by shard; nullptr where the
// shards would not hold the same elements, or have the same rows as before.
std::shared_ptr<const PageMap> recut_rows(const TensorSpec& own, const Buffer& buffer, const TensorSpec& spec) {
    const bool rows = own.layout() == Layout::ROW_MAJOR && spec.layout() == Layout::ROW_MAJOR &&
                      own.page_columns() == 1 && spec.page_columns() == 1 && own.page_size() != spec.page_size();
    const auto& cut = own.memory_config().shard_spec();
    const auto& anew = spec.memory_config().shard_spec();
    if (!rows || own.dtype() != spec.dtype() || own.buffer_size() != spec.buffer_size() || !cut || !anew ||
        own.memory_config().memory_layout() != spec.memory_config().memory_layout() || cut->grid != anew->grid ||
        uint64_t{cut->shape[0]} * cut->shape[1] != uint64_t{anew->shape[0]} * anew->shape[1]) {
        return nullptr;
    }
    const BufferType type = buffer.buffer_type();
    const Device& device = *buffer.device();
    return std::make_shared<const PageMap>(spec, device.num_banks(type), device.alignment(type));
}

}  // namespace

Tensor::Tensor(const TensorSpec& spec, std::shared_ptr<Buffer> buffer, std::shared_ptr<std::byte[]> host)
    : Tensor(State{spec, buffer, std::move(host), next_id(), buffer ? StorageType::DEVICE : StorageType::HOST}) {}

Tensor Tensor::allocate_on_host(const TensorSpec& spec) {
    return Tensor(spec, nullptr, zeroed_host_bytes(spec.buffer_size()));
}

Tensor Tensor::allocate_on_device(const TensorSpec& spec, const std::shared_ptr<Device>& device) {
    require(device != nullptr, "a tensor of {} needs a device to be put on, got None", spec.logical_shape());
    require(device->is_open(), "a tensor of {} cannot be put on device {}: it is closed", spec.logical_shape(),
            device->id());
    require(spec.layout() == Layout::TILE || !is_block_float(spec.dtype()), "{} needs TILE layout on a device, got {}",
            spec.dtype(), spec.layout());
    Tensor tensor;
    const auto allocate = [&] {
        tensor = Tensor(spec, Buffer::allocate(device, spec), nullptr);
        if (device->num_chips() > 1) {
            tensor.set_topology(Topology::replicated(device->num_chips()));
        }
        return std::span<const Tensor>(&tensor, 1);
    };
    if (steps_captured()) [[unlikely]] {
        run_step({.name = "create_device_tensor", .inputs = 5, .created = &spec}, allocate);
    } else {
        allocate();
    }
    return tensor;
}

Tensor Tensor::without_bytes(const TensorSpec& spec, StorageType storage) {
    return Tensor(State{spec, nullptr, nullptr, next_id(), storage});
}

bool Tensor::is_allocated() const {
    if (!state_) {
        return false;
    }
    return state_->buffer ? state_->buffer->is_allocated() : state_->host != nullptr;
}

std::shared_ptr<Device> Tensor::device() const { return state().buffer ? state().buffer->device() : nullptr; }

uint64_t Tensor::buffer_address() const {
    require(is_on_device(), "a tensor of {} on the host has no buffer address", logical_shape());
    if (!is_allocated()) {
        throw_deallocated();
    }
    return state().buffer->address();
}

void Tensor::deallocate() {
    if (state().buffer) {
        state_->buffer->deallocate();
    } else {
        state_->host.reset();
        state_->parts.reset();
    }
}

Tensor Tensor::view_as(const TensorSpec& spec) const {
    if (!is_allocated()) {
        throw_deallocated();
    }
    const TensorSpec& own = state().spec;
    if (!state().buffer) {
        require(spec.buffer_size() == own.buffer_size(),
                "a host tensor of {} with {} bytes cannot be viewed as {} with {} bytes", own.logical_shape(),
                own.buffer_size(), spec.logical_shape(), spec.buffer_size());
        return view_of(spec);
    }
    if (auto recut = recut_rows(own, *state().buffer, spec)) {
        Tensor view = view_of(spec);
        view.state_->pages = std::move(recut);
        return view;
    }
    require(same_pages(own, spec),
            "a tensor of {} cannot be viewed as {}: it has {} pages of {} x {} ({} B), the view would have {} of "
            "{} x {} ({} B)",
            own.logical_shape(), spec.logical_shape(), own.num_pages(), own.page_height(), own.page_width(),
            own.page_size(), spec.num_pages(), spec.page_height(), spec.page_width(), spec.page_size());
    require(state().buffer->pages().identity() || own.page_columns() == spec.page_columns(),
            "a sharded tensor of {} cannot be viewed as {}: its rows have {} pages, those of the view {}",
            own.logical_shape(), spec.logical_shape(), own.page_columns(), spec.page_columns());
    return view_of(spec);
}

// The same storage under another spec, whether it fits or not.
Tensor Tensor::view_of(const TensorSpec& spec) const {
    State view = state();
    view.spec = spec;
    view.id = next_id();
    return Tensor(std::move(view));
}

const void* Tensor::storage_key() const {
    const State& own = state();
    return own.buffer ? static_cast<const void*>(own.buffer.get()) : own.host.get();
}

std::span<const std::byte> Tensor::bytes() const {
    if (!is_allocated()) [[unlikely]] {
        throw_deallocated();
    }
    const State& own = state();
    if (own.buffer) {
        return std::as_const(*own.buffer).bytes().read(own.chip == all_chips ? 0 : own.chip);
    }
    return {own.host.get(), own.spec.buffer_size()};
}

std::span<std::byte> Tensor::mutable_bytes() {
    if (!is_allocated()) [[unlikely]] {
        throw_deallocated();
    }
    State& own = *state_;
    if (own.buffer) {
        ChipBytes& bytes = own.buffer->bytes();
        return own.chip == all_chips ? bytes.write_all() : bytes.write(own.chip);
    }
    if (own.parts) {
        std::ranges::fill(*own.parts, own.host);
    }
    return {own.host.get(), own.spec.buffer_size()};
}

// --- on a mesh -------------------------------------------------------------------------------------------------------

Tensor Tensor::from_parts(std::span<const Tensor> parts, Topology topology) {
    require(!parts.empty() && parts.size() == topology.distribution.num_chips(),
            "a tensor that is spread over {} chips needs as many parts, got {}", topology.distribution.to_string(),
            parts.size());
    State state{parts.front().spec(), nullptr, nullptr, next_id()};
    state.parts = std::make_shared<std::vector<std::shared_ptr<std::byte[]>>>();
    for (const Tensor& part : parts) {
        require(!part.is_on_device() && part.is_allocated() && part.num_parts() == 1,
                "the parts of a host tensor must be whole tensors on the host");
        require(part.spec() == state.spec, "the parts of a tensor must have the same spec: {} {} and {} {}",
                state.spec.logical_shape(), state.spec.dtype(), part.logical_shape(), part.dtype());
        state.parts->push_back(part.state().host);
    }
    state.host = state.parts->front();
    state.topology = std::make_shared<const Topology>(std::move(topology));
    return Tensor(std::move(state));
}

uint32_t Tensor::num_parts() const {
    const State& own = state();
    if (own.buffer) {
        return own.chip == all_chips ? own.buffer->device()->num_chips() : 1;
    }
    return own.parts ? static_cast<uint32_t>(own.parts->size()) : 1;
}

Tensor Tensor::part(uint32_t index) const {
    require(index < num_parts(), "part must be below the {} parts of the tensor, got {}", num_parts(), index);
    if (num_parts() == 1) {
        return *this;
    }
    State part = state();
    part.id = next_id();
    part.topology = nullptr;
    if (part.buffer) {
        part.chip = index;
    } else {
        part.host = (*part.parts)[index];
        part.parts = nullptr;
    }
    return Tensor(std::move(part));
}

Tensor Tensor::whole() const {
    if (!chip()) {
        return *this;
    }
    State whole = state();
    whole.id = next_id();
    whole.chip = all_chips;
    whole.topology = std::make_shared<const Topology>(Topology::replicated(whole.buffer->device()->num_chips()));
    return Tensor(std::move(whole));
}

const void* Tensor::part_identity(uint32_t index) const {
    const State& own = state();
    if (own.buffer) {
        return own.buffer->bytes() ? own.buffer->bytes().identity(own.chip == all_chips ? index : own.chip) : nullptr;
    }
    return own.parts ? (*own.parts)[index].get() : own.host.get();
}

void Tensor::share_part(uint32_t from, uint32_t to) { state_->buffer->bytes().share(from, to); }

std::optional<uint32_t> Tensor::chip() const {
    return state().chip == all_chips ? std::nullopt : std::optional(state().chip);
}

const Topology& Tensor::topology() const {
    static const Topology one;
    return state().topology ? *state().topology : one;
}

void Tensor::set_topology(Topology topology) {
    state_->topology = std::make_shared<const Topology>(std::move(topology));
}

void Tensor::take_parts(const Tensor& other) {
    require(!is_on_device() && !other.is_on_device() && spec() == other.spec(),
            "parts can be taken over between tensors of the same spec on the host");
    state_->host = other.state().host;
    state_->parts = other.state().parts;
    state_->topology = other.state().topology;
}

uint64_t Tensor::page_offset(uint64_t page) const {
    const State& own = state();
    return (own.buffer ? pages().slot_of(page) : page) * own.spec.page_size();
}

void Tensor::throw_empty() { fail("this tensor is empty: it was made without a spec"); }

void Tensor::throw_deallocated() const {
    const State& own = state();
    const bool closed = own.buffer && !own.buffer->device()->is_open();
    fail("Tensor is not allocated: {} of {} in {} was deallocated{} (Buffer is not allocated)",
         own.spec.logical_shape(), own.spec.dtype(), own.buffer ? to_string(own.buffer->buffer_type()) : "host memory",
         closed ? " when its device was closed" : "");
}

}  // namespace ttnn
