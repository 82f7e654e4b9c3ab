// ProgramKey: what tells a primitive's programs apart, as 64 bits. Things are mixed in one after the other, without
// text and without the heap, because every launch does it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "ttnn/op/argument_list.hpp"
#include "ttnn/op/unary_op_type.hpp"
#include "ttnn/tensor/tensor_spec.hpp"

namespace ttnn {

class ProgramKey {
public:
    template <class T>
    requires std::integral<T> || std::is_enum_v<T>
    void add(T value) { mix(static_cast<uint64_t>(value)); }
    void add(std::floating_point auto value) { mix(std::bit_cast<uint64_t>(static_cast<double>(value))); }
    void add(std::string_view text);
    void add(const Shape& shape);
    void add(const CoreRangeSet& cores);
    void add(const UnaryWithParam& function);
    // Equal configs are equal here: what the user gave counts.
    void add(const MemoryConfig& config) {
        mix(static_cast<uint64_t>(config.buffer_type()) << 8 | static_cast<uint64_t>(config.memory_layout()));
        if (config.is_sharded() || config.created_with_nd_shard_spec()) [[unlikely]] {
            add_shards(config);
        }
    }
    void add(const TensorSpec& spec) {
        add_without_shape(spec);
        add(spec.logical_shape());
        add(spec.padded_shape());
    }
    template <class T>
    void add(const std::optional<T>& value) {
        add(value.has_value());
        if (value) {
            add(*value);
        }
    }
    template <class T>
    void add(std::span<const T> values) {
        add(values.size());
        for (const T& value : values) {
            add(value);
        }
    }

    // Dtype, layout, tile and memory config.
    void add_without_shape(const TensorSpec& spec) {
        mix(static_cast<uint64_t>(spec.dtype()) << 32 | static_cast<uint64_t>(spec.layout()) << 24 |
            uint64_t{spec.tile().height()} << 16 | uint64_t{spec.tile().width()} << 8 |
            uint64_t{spec.tile().transposed()});
        add(spec.memory_config());
    }
    // Those that tell programs apart.
    void add_arguments(std::span<const ArgumentRef> arguments);

    uint64_t value() const { return state_; }

private:
    void mix(uint64_t value) {
        const auto product = static_cast<unsigned __int128>(state_ ^ value ^ 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
        state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    void add_shards(const MemoryConfig& config);

    uint64_t state_ = 0;
};

}  // namespace ttnn
