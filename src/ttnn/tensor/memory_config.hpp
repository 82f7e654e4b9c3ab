// Where a tensor lives: buffer type, memory layout and shard specification.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ttnn/tensor/core_coord.hpp"
#include "ttnn/tensor/shape.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn {

// 2-D sharding: every core of `grid` holds one block of `shape` (height, width in elements).
struct ShardSpec {
    CoreRangeSet grid;
    std::array<uint32_t, 2> shape{};
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    uint32_t num_cores() const { return grid.num_cores(); }
    bool operator==(const ShardSpec&) const = default;
    // The text of the original, unbalanced braces included.
    std::string to_string() const;
};

// N-D sharding: blocks of `shard_shape` dealt to the cores of `grid`.
struct NdShardSpec {
    Shape shard_shape;
    CoreRangeSet grid;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    ShardDistributionStrategy shard_distribution_strategy = ShardDistributionStrategy::ROUND_ROBIN_1D;

    uint32_t num_cores() const { return grid.num_cores(); }
    bool operator==(const NdShardSpec&) const = default;
    std::string to_string() const;  // JSON text
};

// Dimension `index` from the end of `shape` brought to `rank` dimensions: leading ones added or leading dimensions
// folded into one. A shard shape of lower rank than its tensor cuts the folded shape.
uint64_t folded_dim(const Shape& shape, size_t rank, size_t index);

class MemoryConfig {
public:
    // Interleaved in DRAM.
    MemoryConfig() = default;
    explicit MemoryConfig(TensorMemoryLayout memory_layout, BufferType buffer_type = BufferType::DRAM,
                          std::optional<ShardSpec> shard_spec = std::nullopt);
    MemoryConfig(BufferType buffer_type, NdShardSpec nd_shard_spec);

    TensorMemoryLayout memory_layout() const { return memory_layout_; }
    BufferType buffer_type() const { return buffer_type_; }
    const std::optional<ShardSpec>& shard_spec() const { return shard_spec_; }
    const std::optional<NdShardSpec>& nd_shard_spec() const { return nd_shard_spec_; }
    bool created_with_nd_shard_spec() const { return created_with_nd_shard_spec_; }
    bool is_sharded() const { return memory_layout_ != TensorMemoryLayout::INTERLEAVED; }
    bool interleaved() const { return !is_sharded(); }
    bool is_l1() const { return buffer_type_ == BufferType::L1 || buffer_type_ == BufferType::L1_SMALL; }
    bool is_dram() const { return buffer_type_ == BufferType::DRAM; }

    MemoryConfig with_shard_spec(std::optional<ShardSpec> spec) const;
    // The config of a tensor that moves to a device: its N-D shards may have any size, for they take whole pages there.
    // Where nobody says so they must consist of whole tiles. Specs that take their config from such a tensor keep it.
    MemoryConfig with_shards_of_any_size() const;
    bool shards_of_any_size() const { return shards_of_any_size_; }
    // This config as a tensor of the given padded shape reports it (TensorSpec calls it for sharded configs): a 2-D
    // spec gets its N-D equivalent; an N-D spec gets its 2-D one and that one's layout where it can be expressed.
    MemoryConfig with_equivalent_specs(const Shape& padded_shape) const;

    // Compares what the user gave: buffer type, layout and 2-D shard spec, or buffer type and N-D shard spec. What
    // with_equivalent_specs derived is left out, so a tensor's config equals the one the tensor was made with.
    bool operator==(const MemoryConfig& other) const;
    std::string to_string() const;
    std::string to_json() const;  // enums as numbers, only the spec that the user gave
    // Enums as numbers or names. Throws an Error that names the field.
    static MemoryConfig from_json(std::string_view text);
    uint64_t hash() const;  // stable across runs; equal configs have equal hashes

private:
    TensorMemoryLayout memory_layout_ = TensorMemoryLayout::INTERLEAVED;
    BufferType buffer_type_ = BufferType::DRAM;
    bool created_with_nd_shard_spec_ = false;
    bool shards_of_any_size_ = false;  // no part of what the user gave: neither compared nor written
    std::optional<ShardSpec> shard_spec_;
    std::optional<NdShardSpec> nd_shard_spec_;
};

// The named constants; functions, because an initialised global would run before main.
const MemoryConfig& dram_memory_config();
const MemoryConfig& l1_memory_config();

enum class ShardStrategy : uint8_t { HEIGHT = 1, WIDTH = 2, BLOCK = 3 };
template <>
struct EnumInfo<ShardStrategy> {
    static constexpr std::string_view type = "ShardStrategy";
    static constexpr EnumMember<ShardStrategy> members[] = {
        {ShardStrategy::HEIGHT, "HEIGHT"}, {ShardStrategy::WIDTH, "WIDTH"}, {ShardStrategy::BLOCK, "BLOCK"}};
};

TensorMemoryLayout memory_layout_of(ShardStrategy strategy);

// `shape` is cut evenly over the grid, without rounding, or is itself the shard; the shape
// must be the shard where the cores are a CoreRangeSet.
MemoryConfig create_sharded_memory_config(const Shape& shape, const CoreGrid& grid, ShardStrategy strategy,
                                          ShardOrientation orientation = ShardOrientation::ROW_MAJOR,
                                          bool use_height_and_width_as_shard_shape = false);
MemoryConfig create_sharded_memory_config(const Shape& shape, const CoreRangeSet& grid, ShardStrategy strategy,
                                          ShardOrientation orientation = ShardOrientation::ROW_MAJOR,
                                          bool use_height_and_width_as_shard_shape = false);
// The same with shards rounded up, over any set of cores.
MemoryConfig create_sharded_memory_config_(const Shape& shape, const CoreRangeSet& grid,
                                           TensorMemoryLayout memory_layout, ShardOrientation orientation,
                                           bool use_height_and_width_as_shard_shape = false, bool tile_layout = false);

}  // namespace ttnn

template <>
struct fmt::formatter<ttnn::MemoryConfig> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(const ttnn::MemoryConfig& config, Context& context) const {
        return fmt::formatter<std::string_view>::format(config.to_string(), context);
    }
};
