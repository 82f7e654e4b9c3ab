#include "ttnn/tensor/tensor_spec.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn {

namespace {

constexpr uint64_t empty_row_major_page = 4;  // bytes
// Elements; keeps every byte count of a tensor, aligned and sharded over all cores, far from overflow.
constexpr uint64_t largest_volume = uint64_t{1} << 48;

// Width in elements of the shards of a config with a shard spec, nullopt without one.
std::optional<uint32_t> shard_width(const MemoryConfig& config) {
    if (config.created_with_nd_shard_spec()) {
        return config.nd_shard_spec()->shard_shape.from_end(0);
    }
    if (config.is_sharded() && config.shard_spec()) {
        return config.shard_spec()->shape[1];
    }
    return std::nullopt;
}

bool is_sharded_with_spec(const MemoryConfig& config) { return shard_width(config).has_value(); }

uint64_t checked_product(uint64_t a, uint64_t b, const Shape& shape) {
    uint64_t product = 0;
    require(!__builtin_mul_overflow(a, b, &product) && product < largest_volume,
            "a tensor or shard of {} is too large to be laid out", shape);
    return product;
}

void check_padded(const Shape& logical, const Shape& padded) {
    bool fits = padded.rank() >= logical.rank();
    for (size_t i = 0; i < padded.rank(); ++i) {
        fits = fits && padded.from_end(i) >= logical.from_end(i);
    }
    require(fits || logical.volume() == 0, "padded shape {} must cover logical shape {} in every dimension", padded,
            logical);
}

}  // namespace

TensorSpec::TensorSpec(const Shape& logical_shape, DataType dtype, Layout layout, MemoryConfig memory_config,
                       const Tile& tile, std::optional<Alignment> alignment)
    : logical_shape_(logical_shape),
      dtype_(dtype),
      layout_(layout),
      tile_(tile),
      memory_config_(std::move(memory_config)) {
    require(dtype != DataType::INVALID, "dtype of a tensor must not be {}", dtype);
    require(layout == Layout::TILE || layout == Layout::ROW_MAJOR,
            "layout of a tensor must be TILE or ROW_MAJOR, got {}", layout);
    require(layout == Layout::TILE || !is_block_float(dtype), "{} needs TILE layout, got {}", dtype, layout);
    require(memory_config_.is_sharded() || !memory_config_.shard_spec(),
            "an interleaved memory config must not have a shard spec, got {}", memory_config_);
    alignment_ = alignment && !alignment->empty() ? *alignment : default_alignment();
    validate_alignment();
    lay_out();
    if (memory_config_.is_sharded()) {
        memory_config_ = memory_config_.with_equivalent_specs(padded_shape_);
        validate_sharding();
    }
    cut_pages();
}

TensorSpec TensorSpec::from_padded(const Shape& logical_shape, const Shape& padded_shape, DataType dtype, Layout layout,
                                   MemoryConfig memory_config, const Tile& tile) {
    TensorSpec plain;  // gives the default alignment without validating anything
    plain.layout_ = layout;
    plain.tile_ = tile;
    plain.memory_config_ = memory_config;
    const bool sharded = is_sharded_with_spec(memory_config);
    check_padded(logical_shape, padded_shape);
    if (logical_shape == padded_shape || (sharded && !memory_config.created_with_nd_shard_spec())) {
        return TensorSpec(logical_shape, dtype, layout, std::move(memory_config), tile, plain.default_alignment());
    }
    if (sharded) {  // N-D shards cut any padded shape; only an unusual one has to be asked for
        TensorSpec usual(logical_shape, dtype, layout, memory_config, tile, plain.default_alignment());
        const size_t rank = std::max(usual.padded_shape().rank(), padded_shape.rank());
        if (layout == Layout::ROW_MAJOR || usual.padded_shape().to_rank(rank) == padded_shape.to_rank(rank)) {
            return usual;
        }
    }
    const Alignment smallest = plain.default_alignment();
    bool leading_padded = false;
    for (size_t i = 2; i < padded_shape.rank(); ++i) {
        leading_padded = leading_padded || padded_shape.from_end(i) != logical_shape.from_end(i);
    }
    const size_t rank =
        std::max(leading_padded ? padded_shape.rank() : std::min<size_t>(padded_shape.rank(), 2), smallest.rank());
    Alignment alignment = Alignment::filled(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        const uint32_t dim = std::max(padded_shape.from_end(i), 1u);
        alignment[static_cast<int64_t>(rank - 1 - i)] = round_up(dim, smallest.from_end(i));
    }
    return TensorSpec(logical_shape, dtype, layout, std::move(memory_config), tile, alignment);
}

Alignment default_alignment(Layout layout, const Tile& tile, std::optional<uint32_t> shard_width) {
    if (layout == Layout::TILE) {
        return {tile.height(), tile.width()};
    }
    return {std::max(shard_width.value_or(1), 1u)};
}

Alignment TensorSpec::default_alignment() const {
    return ttnn::default_alignment(layout_, tile_, shard_width(memory_config_));
}

void TensorSpec::validate_alignment() const {
    require(std::ranges::find(alignment_, 0u) == alignment_.end(), "alignment {} of a tensor must not contain 0",
            alignment_);
    require(alignment_.rank() <= 2 || !memory_config_.is_sharded() || memory_config_.created_with_nd_shard_spec(),
            "Alignment {} of rank greater than 2 cannot be combined with 2-D sharding", alignment_);
    if (layout_ != Layout::TILE) {
        return;
    }
    require(alignment_.from_end(0) % tile_.width() == 0,
            "Wrong custom Tensor Layout alignment {}. For Tile layout innermost dimension should be multiple of tile "
            "width {}.",
            alignment_, tile_.width());
    require(alignment_.from_end(1) % tile_.height() == 0,
            "Wrong custom Tensor Layout alignment {}. For Tile layout second innermost dimension should be multiple of "
            "tile height {}.",
            alignment_, tile_.height());
}

void TensorSpec::lay_out() {
    padded_shape_ =
        logical_shape_.rank() < alignment_.rank() ? logical_shape_.to_rank(alignment_.rank()) : logical_shape_;
    physical_ = {1, 1};
    for (size_t i = 0; i < padded_shape_.rank(); ++i) {
        const uint64_t dim = round_up<uint64_t>(padded_shape_.from_end(i), alignment_.from_end(i));
        require(dim <= UINT32_MAX, "dimension -{} of {} exceeds 4294967295 when padded to a multiple of {}", i + 1,
                logical_shape_, alignment_.from_end(i));
        padded_shape_[static_cast<int64_t>(padded_shape_.rank() - 1 - i)] = static_cast<uint32_t>(dim);
        if (i == 0) {
            physical_.width = dim;
        } else {
            physical_.height = checked_product(physical_.height, dim, logical_shape_);
        }
    }
    checked_product(physical_.height, physical_.width, logical_shape_);
}

void TensorSpec::cut_pages() {
    if (layout_ == Layout::TILE) {
        page_height_ = tile_.height();
        page_width_ = tile_.width();
        page_size_ = tile_.bytes(dtype_);
    } else if (physical_.height == 0 || physical_.width == 0) {
        page_height_ = 1;
        page_width_ = empty_row_major_page / element_size(dtype_);
        page_size_ = empty_row_major_page;
    } else {
        const bool full_rows = memory_config_.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED;
        page_height_ = 1;
        page_width_ = full_rows ? physical_.width : shard_width(memory_config_).value_or(physical_.width);
        page_size_ = page_width_ * element_size(dtype_);
    }
    page_rows_ = physical_.height / page_height_;
    page_columns_ = div_up(physical_.width, page_width_);
}

void TensorSpec::validate_sharding() const {
    if (memory_config_.created_with_nd_shard_spec()) {
        validate_nd_shard_spec(*memory_config_.nd_shard_spec());
    } else if (memory_config_.shard_spec()) {
        validate_shard_spec(*memory_config_.shard_spec());
    }
}

void TensorSpec::validate_shard_spec(const ShardSpec& spec) const {
    const uint64_t h = spec.shape[0];
    const uint64_t w = spec.shape[1];
    const uint64_t cores = spec.num_cores();
    require(h > 0 && w > 0, "shape of a shard spec must not be empty, got [{}, {}]", h, w);
    require(cores > 0, "grid of a shard spec must have at least one core");
    checked_product(h, w, {spec.shape[0], spec.shape[1]});
    const bool height_sharded = memory_config_.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED;
    if (layout_ == Layout::TILE) {
        require(h % tile_.height() == 0 && w % tile_.width() == 0,
                "Physical shard shape ({}, {}) must be tile ({}, {}) sized!", h, w, tile_.height(), tile_.width());
    } else if (!height_sharded) {
        require(w % alignment_.from_end(0) == 0, "Shard width {} must be a multiple of the width alignment {} in {}", w,
                alignment_.from_end(0), layout_);
    }
    if (physical_.height == 0 || physical_.width == 0) {
        return;
    }
    const uint64_t shards_down = div_up(physical_.height, h);
    const uint64_t shards_across = div_up(physical_.width, w);
    if (height_sharded) {
        require(w == physical_.width, "Shard width {} must match physical width {} for height sharded", w,
                physical_.width);
        require(shards_down <= cores, "Number of shards along height {} must not exceed number of cores {}",
                shards_down, cores);
        return;
    }
    if (memory_config_.memory_layout() == TensorMemoryLayout::WIDTH_SHARDED) {
        require(h == physical_.height, "Shard height {} must match physical height {} for width sharded", h,
                physical_.height);
        require(shards_across <= cores, "Number of shards along width {} must not exceed number of cores {}",
                shards_across, cores);
        return;
    }
    require(spec.grid.size() == 1, "Shard grid must be one full rectangular grid for block sharded, got {}", spec.grid);
    const CoreCoord grid = spec.grid.ranges().front().grid_size();
    const bool row_major = spec.orientation == ShardOrientation::ROW_MAJOR;
    require(shards_down <= (row_major ? grid.y : grid.x),
            "Number of shards along height {} must not exceed number of {} {} for {} orientation", shards_down,
            row_major ? "rows" : "columns", row_major ? grid.y : grid.x, spec.orientation);
    require(shards_across <= (row_major ? grid.x : grid.y),
            "Number of shards along width {} must not exceed number of {} {} for {} orientation", shards_across,
            row_major ? "columns" : "rows", row_major ? grid.x : grid.y, spec.orientation);
}

void TensorSpec::validate_nd_shard_spec(const NdShardSpec& spec) const {
    const Shape& shard = spec.shard_shape;
    require(!shard.empty() && std::ranges::find(shard, 0u) == shard.end(),
            "shard_shape of an N-D shard spec must have a rank of 1 or more and no 0, got {}", shard);
    uint64_t volume = 1;
    for (uint32_t dim : shard) {
        volume = checked_product(volume, dim, shard);
    }
    require(!spec.grid.empty(), "grid of an N-D shard spec must have at least one core");
    if (layout_ == Layout::TILE) {
        const bool tile_sized = shard.from_end(1) % tile_.height() == 0 && shard.from_end(0) % tile_.width() == 0;
        require(tile_sized || memory_config_.shards_of_any_size(),
                "Physical shard shape {} must be tile ({}, {}) sized!", shard, tile_.height(), tile_.width());
    } else {
        require(shard.from_end(0) % alignment_.from_end(0) == 0,
                "Shard width {} must be a multiple of the width alignment {} in {}", shard.from_end(0),
                alignment_.from_end(0), layout_);
    }
    if (spec.shard_distribution_strategy != ShardDistributionStrategy::GRID_2D) {
        return;
    }
    require(spec.grid.size() == 1, "Shard grid must be one full rectangular grid for {}, got {}",
            spec.shard_distribution_strategy, spec.grid);
    const size_t rank = std::max<size_t>(shard.rank(), 2);
    const auto shards_along = [&](size_t i) {
        const uint32_t page = layout_ == Layout::ROW_MAJOR || i > 1 ? 1 : i == 0 ? tile_.width() : tile_.height();
        return div_up<uint64_t>(folded_dim(padded_shape_, rank, i), round_up(shard.from_end(i), page));
    };
    uint64_t shards_down = 1;
    for (size_t i = 1; i < rank; ++i) {
        shards_down *= shards_along(i);
    }
    const uint64_t shards_across = shards_along(0);
    const CoreCoord grid = spec.grid.ranges().front().grid_size();
    const bool row_major = spec.orientation == ShardOrientation::ROW_MAJOR;
    require(shards_down <= (row_major ? grid.y : grid.x) && shards_across <= (row_major ? grid.x : grid.y),
            "Shards of {} form a {} x {} array, which must fit the core grid {} in {} orientation for {}", shard,
            shards_down, shards_across, grid, spec.orientation, spec.shard_distribution_strategy);
}

TensorSpec TensorSpec::with_memory_config(MemoryConfig memory_config) const {
    const bool by_default = has_default_alignment();
    return TensorSpec(logical_shape_, dtype_, layout_, std::move(memory_config), tile_,
                      by_default ? std::nullopt : std::optional(alignment_));
}

TensorSpec TensorSpec::with_dtype(DataType dtype) const {
    return TensorSpec(logical_shape_, dtype, layout_, memory_config_, tile_, alignment_);
}

bool TensorSpec::operator==(const TensorSpec& other) const {
    return logical_shape_ == other.logical_shape_ && dtype_ == other.dtype_ && layout_ == other.layout_ &&
           tile_ == other.tile_ && alignment_ == other.alignment_ && memory_config_ == other.memory_config_;
}

std::string TensorSpec::to_string() const {
    const auto face = tile_.face_shape();
    return fmt::format(
        "TensorSpec(logical_shape={},tensor_layout=TensorLayout(dtype={},page_config=PageConfig(config={}PageConfig("
        "tile=Tile(tile_shape={{{}, {}}},face_shape={{{}, {}}},num_faces={}))),memory_config={},"
        "alignment=Alignment([{}])))",
        logical_shape_, dtype_, layout_ == Layout::TILE ? "Tile" : "RowMajor", tile_.height(), tile_.width(), face[0],
        face[1], tile_.num_faces(), memory_config_, fmt::join(alignment_.begin(), alignment_.end(), ", "));
}

}  // namespace ttnn
