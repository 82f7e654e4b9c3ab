// TensorSpec: everything about a tensor except its values, with the physical layout that follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ttnn/tensor/memory_config.hpp"
#include "ttnn/tensor/shape.hpp"
#include "ttnn/tensor/tile.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn {

// Multiples that the last dimensions are padded to, right-aligned with the shape.
using Alignment = Shape;

// The 2-D array of elements that is really stored: leading dimensions folded into the height.
struct PhysicalShape {
    uint64_t height = 0;
    uint64_t width = 0;
    bool operator==(const PhysicalShape&) const = default;
};

// Where nobody asks for another. `shard_width`: of a sharded tensor.
Alignment default_alignment(Layout layout, const Tile& tile, std::optional<uint32_t> shard_width);

class TensorSpec {
public:
    TensorSpec() = default;
    // Default alignment of the layout; the shard spec is validated.
    TensorSpec(const Shape& logical_shape, DataType dtype, Layout layout, MemoryConfig memory_config = {},
               const Tile& tile = {}, std::optional<Alignment> alignment = std::nullopt);
    // The second way to state an output: logical and padded shape give the alignment.
    static TensorSpec from_padded(const Shape& logical_shape, const Shape& padded_shape, DataType dtype, Layout layout,
                                  MemoryConfig memory_config = {}, const Tile& tile = {});

    const Shape& logical_shape() const { return logical_shape_; }
    const Shape& padded_shape() const { return padded_shape_; }
    DataType dtype() const { return dtype_; }
    Layout layout() const { return layout_; }
    const MemoryConfig& memory_config() const { return memory_config_; }
    const Tile& tile() const { return tile_; }
    const Alignment& alignment() const { return alignment_; }
    bool has_default_alignment() const { return alignment_ == default_alignment(); }
    PhysicalShape physical_shape() const { return physical_; }

    // Pages cut the physical shape into a grid of page_height x page_width blocks: a tile, or (part of) a row. With
    // an explicit alignment the last page of a width-sharded row may reach beyond the physical width.
    uint64_t page_height() const { return page_height_; }
    uint64_t page_width() const { return page_width_; }
    uint64_t page_rows() const { return page_rows_; }
    uint64_t page_columns() const { return page_columns_; }
    uint64_t num_pages() const { return page_rows() * page_columns(); }
    uint64_t page_size() const { return page_size_; }                  // unaligned bytes
    uint64_t buffer_size() const { return num_pages() * page_size_; }  // without alignment and shard padding

    // A default alignment becomes the default of the new config; any other is kept.
    TensorSpec with_memory_config(MemoryConfig memory_config) const;
    TensorSpec with_dtype(DataType dtype) const;

    bool operator==(const TensorSpec& other) const;
    std::string to_string() const;

private:
    Alignment default_alignment() const;
    void validate_alignment() const;
    void lay_out();                  // padded and physical shape
    void cut_pages();                // page geometry
    void validate_sharding() const;  // throws with the original's texts
    void validate_shard_spec(const ShardSpec& spec) const;
    void validate_nd_shard_spec(const NdShardSpec& spec) const;

    Shape logical_shape_;
    Shape padded_shape_;
    DataType dtype_ = DataType::INVALID;
    Layout layout_ = Layout::INVALID;
    Tile tile_;
    Alignment alignment_;
    MemoryConfig memory_config_;
    PhysicalShape physical_;
    uint64_t page_height_ = 0;
    uint64_t page_width_ = 0;
    uint64_t page_rows_ = 0;
    uint64_t page_columns_ = 0;
    uint64_t page_size_ = 0;
};

}  // namespace ttnn
