// Tensor: a spec and packed bytes, on the host or on a device. Copies share the bytes. On a mesh every chip has a part
// of the same spec; so may a tensor on the host, which came from a mesh or will go to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ttnn/device/buffer.hpp"
#include "ttnn/tensor/dense.hpp"
#include "ttnn/tensor/tensor_spec.hpp"
#include "ttnn/tensor/topology.hpp"

namespace ttnn {

class Device;

class Tensor {
public:
    // No tensor at all; using it is an error.
    Tensor() = default;
    // A zeroed tensor on the host or on a device.
    static Tensor allocate_on_host(const TensorSpec& spec);
    static Tensor allocate_on_device(const TensorSpec& spec, const std::shared_ptr<Device>& device);
    // One tensor on the host of parts with the same spec.
    static Tensor from_parts(std::span<const Tensor> parts, Topology topology);
    // What a tensor of this spec would be called with: no bytes, is_allocated() is false.
    static Tensor without_bytes(const TensorSpec& spec, StorageType storage);

    explicit operator bool() const { return static_cast<bool>(state_); }
    // Handles of the same tensor; values are not compared.
    bool operator==(const Tensor& other) const { return state_ == other.state_; }
    const TensorSpec& spec() const { return state().spec; }
    const Shape& logical_shape() const { return spec().logical_shape(); }
    const Shape& padded_shape() const { return spec().padded_shape(); }
    DataType dtype() const { return spec().dtype(); }
    Layout layout() const { return spec().layout(); }
    const MemoryConfig& memory_config() const { return spec().memory_config(); }
    uint64_t logical_volume() const { return logical_shape().volume(); }

    StorageType storage_type() const { return state().storage; }
    bool is_on_device() const { return storage_type() == StorageType::DEVICE; }
    bool is_sharded() const { return memory_config().is_sharded(); }
    bool is_allocated() const;  // false for no tensor at all
    // On a device that does not dispatch at the moment: what is written is dropped, what is read is zero.
    bool is_mocked() const { return state().buffer != nullptr && state().buffer->is_mocked(); }
    // nullptr for host tensors.
    std::shared_ptr<Device> device() const;
    const std::shared_ptr<Buffer>& buffer() const { return state().buffer; }
    uint64_t buffer_address() const;  // throws for host and for deallocated tensors
    // Gives the bytes back. On a device all tensors that share the buffer lose them, on the host copies of this tensor.
    void deallocate();

    // How the pages of a device tensor lie in its buffer; a view may have other pages than the buffer was made with.
    const PageMap& pages() const { return state().pages ? *state().pages : state().buffer->pages(); }

    // The same bytes under another spec of the same page geometry (view cases of reshape), or of shards that hold the
    // same rows as runs of other lengths. Host tensors only need the same number of bytes.
    Tensor view_as(const TensorSpec& spec) const;
    // Identity of the storage: two tensors for which this is equal share bytes.
    const void* storage_key() const;

    // Packed bytes in storage order; throws when deallocated. Of several parts the first; what is changed is changed in
    // all of them.
    std::span<const std::byte> bytes() const;
    std::span<std::byte> mutable_bytes();
    // Byte offset in bytes() of a page in tensor order.
    uint64_t page_offset(uint64_t page) const;

    uint64_t id() const { return state().id; }  // unique in the process

    // --- on a mesh ---
    uint32_t num_parts() const;  // one for every chip of the mesh, or as many as it was made of on the host
    // What one chip holds, as a tensor with one part; on a device it stays a tensor of the mesh.
    Tensor part(uint32_t index) const;
    // The tensor of all chips that a part on a device is of.
    Tensor whole() const;
    // Parts for which this is equal hold the same bytes; nullptr: never written, or none.
    const void* part_identity(uint32_t index) const;
    // From now on part `to` holds what part `from` holds (on a device).
    void share_part(uint32_t from, uint32_t to);
    // Which chip a part of another tensor is of; none: the tensor is whole.
    std::optional<uint32_t> chip() const;
    const Topology& topology() const;
    void set_topology(Topology topology);
    // From now on it holds the parts of another tensor of the same spec; both on the host.
    void take_parts(const Tensor& other);

private:
    struct State {
        TensorSpec spec;
        std::shared_ptr<Buffer> buffer;     // device
        std::shared_ptr<std::byte[]> host;  // host, pages in tensor order; nullptr once deallocated
        uint64_t id = 0;
        StorageType storage = StorageType::HOST;
        std::shared_ptr<const PageMap> pages{};      // device; only where they are not the buffer's
        std::shared_ptr<const Topology> topology{};  // nullptr: on one chip
        uint32_t chip = all_chips;                   // device; which one's part it is
        std::shared_ptr<std::vector<std::shared_ptr<std::byte[]>>> parts{};  // host; where there are several
    };
    static constexpr uint32_t all_chips = UINT32_MAX;
    Tensor(const TensorSpec& spec, std::shared_ptr<Buffer> buffer, std::shared_ptr<std::byte[]> host);
    Tensor view_of(const TensorSpec& spec) const;
    explicit Tensor(State state) : state_(std::make_shared<State>(std::move(state))) {}
    const State& state() const {
        if (!state_) [[unlikely]] {
            throw_empty();
        }
        return *state_;
    }
    [[noreturn]] static void throw_empty();
    [[noreturn]] void throw_deallocated() const;

    std::shared_ptr<State> state_;
};

// --- values ------------------------------------------------------------------------------------------------------
// The logical elements in row-major order. float: any dtype, integers beyond 2^24 rounded to the nearest float.
// double: any dtype, exact. uint32_t: integer dtypes as 32-bit patterns, floating ones throw.
template <class T>
Dense<T> read(const Tensor& tensor);
template <>
Dense<double> read(const Tensor& tensor);
// float or uint32_t. Rounds through the tensor's dtype (integers: truncates, saturates, NaN -> 0); padding is filled
// with `pad`. As many values as the logical shape has elements.
template <class T>
void write(Tensor& tensor, std::span<const T> values, T pad = T{});
// The same over the padded shape (its rank may exceed the logical one by the tile's); float or uint32_t.
template <class T>
Dense<T> read_padded(const Tensor& tensor);
template <class T>
void write_padded(Tensor& tensor, std::span<const T> values);

// A host copy of the same spec, and a device copy of a host (or device) tensor. Another memory config is validated as
// TensorSpec does; bits are kept.
Tensor copy_to_host(const Tensor& tensor);
Tensor copy_to_device(const Tensor& tensor, const std::shared_ptr<Device>& device,
                      const std::optional<MemoryConfig>& memory_config = std::nullopt);

}  // namespace ttnn
