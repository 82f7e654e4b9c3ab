#include "ttnn/tensor/memory_config.hpp"

#include <algorithm>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn {

namespace {

using nlohmann::json;

// --- text --------------------------------------------------------------------------------------------------------

std::string grid_text(const CoreRangeSet& grid, std::string_view range_end) {
    std::string text = "[";
    for (const CoreRange& range : grid.ranges()) {
        text += fmt::format(R"({}{{"start":{{"x":{},"y":{}}},"end":{{"x":{},"y":{}{})", text.size() > 1 ? ", " : "",
                            range.start.x, range.start.y, range.end.x, range.end.y, range_end);
    }
    return text + "]";
}

// --- JSON --------------------------------------------------------------------------------------------------------

json to_json_value(const CoreCoord& core) { return {{"x", core.x}, {"y", core.y}}; }

json to_json_value(const CoreRangeSet& grid) {
    json ranges = json::array();
    for (const CoreRange& range : grid.ranges()) {
        ranges.push_back({{"start", to_json_value(range.start)}, {"end", to_json_value(range.end)}});
    }
    return ranges;
}

const json& field(const json& object, const char* name) {
    if (!object.is_object() || !object.contains(name)) {
        fail("memory config JSON needs a field '{}' in {}", name, object.dump());
    }
    return object.at(name);
}

uint32_t to_uint(const json& value, std::string_view name) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > UINT32_MAX) {
        fail("memory config JSON field '{}' must be a whole number from 0 to 4294967295, got {}", name, value.dump());
    }
    return value.get<uint32_t>();
}

template <NamedEnum E>
E to_enum(const json& value, std::string_view name) {
    std::string allowed;
    for (const auto& member : EnumInfo<E>::members) {
        const int number = static_cast<int>(member.value);
        if ((value.is_number_integer() && value == number) || (value.is_string() && value == member.name)) {
            return member.value;
        }
        allowed += fmt::format("{}{} ({})", allowed.empty() ? "" : ", ", number, member.name);
    }
    fail("memory config JSON field '{}' must be one of {}, got {}", name, allowed, value.dump());
}

CoreCoord to_core(const json& value) { return {to_uint(field(value, "x"), "x"), to_uint(field(value, "y"), "y")}; }

CoreRangeSet to_grid(const json& value) {
    if (!value.is_array()) {
        fail("memory config JSON field 'grid' must be a list of core ranges, got {}", value.dump());
    }
    std::vector<CoreRange> ranges;
    for (const json& range : value) {
        ranges.emplace_back(to_core(field(range, "start")), to_core(field(range, "end")));
    }
    return CoreRangeSet(std::move(ranges));
}

Shape to_shape(const json& value, std::string_view name) {
    if (!value.is_array()) {
        fail("memory config JSON field '{}' must be a list of numbers, got {}", name, value.dump());
    }
    Shape shape;
    for (const json& dim : value) {
        shape.push_back(to_uint(dim, name));
    }
    return shape;
}

ShardSpec to_shard_spec(const json& value) {
    const Shape shape = to_shape(field(value, "shape"), "shape");
    require(shape.rank() == 2, "memory config JSON field 'shape' of a shard spec must have two numbers, got {}", shape);
    return {to_grid(field(value, "grid")),
            {shape[0], shape[1]},
            to_enum<ShardOrientation>(field(value, "orientation"), "orientation")};
}

NdShardSpec to_nd_shard_spec(const json& value) {
    return {
        to_shape(field(value, "shard_shape"), "shard_shape"), to_grid(field(value, "grid")),
        to_enum<ShardOrientation>(field(value, "orientation"), "orientation"),
        to_enum<ShardDistributionStrategy>(field(value, "shard_distribution_strategy"), "shard_distribution_strategy")};
}

// --- hash --------------------------------------------------------------------------------------------------------

class Hasher {
public:
    void add(uint64_t value) {
        state_ ^= value + 0x9e3779b97f4a7c15;
        state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
        state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111eb;
        state_ ^= state_ >> 31;
    }
    void add(const CoreRangeSet& grid) {
        add(grid.size());
        for (const CoreRange& range : grid.ranges()) {
            add((static_cast<uint64_t>(range.start.x) << 32) | range.start.y);
            add((static_cast<uint64_t>(range.end.x) << 32) | range.end.y);
        }
    }
    uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0;
};

// --- 2-D form of an N-D spec ---------------------------------------------------------------------------------------

// Rows of the 2-D view that a shard covers, or nullopt when they do not follow each other or shards differ in height.
std::optional<uint64_t> contiguous_rows(const Shape& tensor, const Shape& shard) {
    const size_t rank = std::max<size_t>(shard.rank(), 2);
    uint64_t rows = 1;
    bool cut = false;  // a dimension further in is cut, so those further out must be cut into single entries
    for (size_t i = 1; i < rank; ++i) {
        const uint64_t dim = folded_dim(tensor, rank, i);
        const uint64_t shard_dim = shard.from_end(i);
        if (cut && shard_dim != 1) {
            return std::nullopt;
        }
        if (!cut && shard_dim != dim) {
            cut = true;
            uint64_t outer = 1;
            for (size_t j = i + 1; j < rank; ++j) {
                outer *= folded_dim(tensor, rank, j);
            }
            if (outer != 1 && dim % shard_dim != 0) {
                return std::nullopt;  // a ragged shard in the middle
            }
        }
        rows *= shard_dim;
    }
    return rows;
}

struct LegacyForm {
    TensorMemoryLayout memory_layout;
    ShardSpec spec;
};

std::optional<LegacyForm> to_2d(const NdShardSpec& nd, const Shape& padded_shape) {
    if (padded_shape.volume() == 0 || nd.shard_shape.volume() == 0) {
        return std::nullopt;
    }
    const auto rows = contiguous_rows(padded_shape, nd.shard_shape);
    if (!rows) {
        return std::nullopt;
    }
    const uint64_t width = padded_shape.from_end(0);
    const uint64_t height = padded_shape.volume() / width;
    const uint64_t shard_width = nd.shard_shape.from_end(0);
    const uint64_t shards_down = div_up(height, *rows);
    const uint64_t shards_across = div_up(width, shard_width);
    LegacyForm form{TensorMemoryLayout::BLOCK_SHARDED,
                    {nd.grid, {static_cast<uint32_t>(*rows), static_cast<uint32_t>(shard_width)}, nd.orientation}};
    if (nd.shard_distribution_strategy == ShardDistributionStrategy::GRID_2D) {
        return nd.grid.size() == 1 ? std::optional(form) : std::nullopt;
    }
    if (shards_down * shards_across > nd.num_cores()) {
        return std::nullopt;
    }
    if (shard_width == width) {
        form.memory_layout = TensorMemoryLayout::HEIGHT_SHARDED;
        return form;
    }
    if (*rows == height) {
        form.memory_layout = TensorMemoryLayout::WIDTH_SHARDED;
        return form;
    }
    return std::nullopt;
}

// --- create_sharded_memory_config ------------------------------------------------------------------------------------

struct MatrixView {
    uint64_t height = 1;
    uint64_t width = 1;
};

MatrixView view_2d(const Shape& shape) {
    require(shape.rank() >= 1, "Invalid input shape: a sharded memory config needs a shape of rank 1 or more, got {}",
            shape);
    const uint64_t width = shape.from_end(0);
    return {width == 0 ? 0 : shape.volume() / width, width};
}

MemoryConfig sharded_in_l1(TensorMemoryLayout layout, const CoreRangeSet& grid, uint64_t height, uint64_t width,
                           ShardOrientation orientation) {
    return MemoryConfig(layout, BufferType::L1,
                        ShardSpec{grid, {static_cast<uint32_t>(height), static_cast<uint32_t>(width)}, orientation});
}

MemoryConfig shape_as_shard(const Shape& shape, const CoreRangeSet& grid, TensorMemoryLayout layout,
                            ShardOrientation orientation) {
    require(shape.rank() >= 1, "Invalid input shape: a shard needs a shape of rank 1 or more, got {}", shape);
    uint64_t height = shape.from_end(1);
    uint64_t width = shape.from_end(0);
    if (orientation == ShardOrientation::COL_MAJOR) {
        std::swap(height, width);
    }
    return sharded_in_l1(layout, grid, height, width, orientation);
}

}  // namespace

std::string ShardSpec::to_string() const {
    return fmt::format("ShardSpec{{grid={}, shape=[{}, {}], orientation={}}}", grid_text(grid, "}"), shape[0], shape[1],
                       orientation);
}

std::string NdShardSpec::to_string() const {
    return fmt::format(R"({{"shard_shape":[{}],"grid":{},"orientation":"{}","shard_distribution_strategy":"{}"}})",
                       fmt::join(shard_shape.begin(), shard_shape.end(), ", "), grid_text(grid, "}}"), orientation,
                       shard_distribution_strategy);
}

uint64_t folded_dim(const Shape& shape, size_t rank, size_t index) {
    uint64_t dim = shape.from_end(index);
    if (index + 1 == rank) {
        for (size_t outer = index + 1; outer < shape.rank(); ++outer) {
            dim *= shape.from_end(outer);
        }
    }
    return dim;
}

MemoryConfig::MemoryConfig(TensorMemoryLayout memory_layout, BufferType buffer_type,
                           std::optional<ShardSpec> shard_spec)
    : memory_layout_(memory_layout), buffer_type_(buffer_type), shard_spec_(std::move(shard_spec)) {}

MemoryConfig::MemoryConfig(BufferType buffer_type, NdShardSpec nd_shard_spec)
    : memory_layout_(TensorMemoryLayout::BLOCK_SHARDED),
      buffer_type_(buffer_type),
      created_with_nd_shard_spec_(true),
      nd_shard_spec_(std::move(nd_shard_spec)) {}

MemoryConfig MemoryConfig::with_shard_spec(std::optional<ShardSpec> spec) const {
    return MemoryConfig(memory_layout_, buffer_type_, std::move(spec));
}

MemoryConfig MemoryConfig::with_shards_of_any_size() const {
    MemoryConfig result = *this;
    result.shards_of_any_size_ = true;
    return result;
}

MemoryConfig MemoryConfig::with_equivalent_specs(const Shape& padded_shape) const {
    MemoryConfig result = *this;
    if (created_with_nd_shard_spec_) {
        auto form = to_2d(*nd_shard_spec_, padded_shape);
        result.memory_layout_ = form ? form->memory_layout : TensorMemoryLayout::BLOCK_SHARDED;
        result.shard_spec_ = form ? std::optional(std::move(form->spec)) : std::nullopt;
        return result;
    }
    if (!is_sharded() || !shard_spec_) {
        result.nd_shard_spec_.reset();
        return result;
    }
    result.nd_shard_spec_ =
        NdShardSpec{{shard_spec_->shape[0], shard_spec_->shape[1]},
                    shard_spec_->grid,
                    shard_spec_->orientation,
                    memory_layout_ == TensorMemoryLayout::BLOCK_SHARDED ? ShardDistributionStrategy::GRID_2D
                                                                        : ShardDistributionStrategy::ROUND_ROBIN_1D};
    return result;
}

bool MemoryConfig::operator==(const MemoryConfig& other) const {
    if (buffer_type_ != other.buffer_type_ || created_with_nd_shard_spec_ != other.created_with_nd_shard_spec_) {
        return false;
    }
    if (created_with_nd_shard_spec_) {
        return nd_shard_spec_ == other.nd_shard_spec_;
    }
    return memory_layout_ == other.memory_layout_ && shard_spec_ == other.shard_spec_;
}

std::string MemoryConfig::to_string() const {
    return fmt::format(
        "MemoryConfig(memory_layout={},buffer_type={},shard_spec={},nd_shard_spec={},created_with_nd_shard_spec={})",
        memory_layout_, buffer_type_, shard_spec_ ? shard_spec_->to_string() : "std::nullopt",
        nd_shard_spec_ ? nd_shard_spec_->to_string() : "std::nullopt", created_with_nd_shard_spec_ ? 1 : 0);
}

std::string MemoryConfig::to_json() const {
    json result = {{"memory_layout", static_cast<int>(memory_layout_)},
                   {"buffer_type", static_cast<int>(buffer_type_)},
                   {"created_with_nd_shard_spec", created_with_nd_shard_spec_}};
    if (created_with_nd_shard_spec_) {
        const NdShardSpec& nd = *nd_shard_spec_;
        result["nd_shard_spec"] = {{"shard_shape", std::vector<uint32_t>(nd.shard_shape.begin(), nd.shard_shape.end())},
                                   {"grid", to_json_value(nd.grid)},
                                   {"orientation", static_cast<int>(nd.orientation)},
                                   {"shard_distribution_strategy", static_cast<int>(nd.shard_distribution_strategy)}};
    } else if (shard_spec_) {
        result["shard_spec"] = {{"grid", to_json_value(shard_spec_->grid)},
                                {"shape", shard_spec_->shape},
                                {"orientation", static_cast<int>(shard_spec_->orientation)}};
    }
    return result.dump();
}

MemoryConfig MemoryConfig::from_json(std::string_view text) {
    const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    require(!value.is_discarded(), "memory config is not JSON: {}", text);
    const auto buffer_type = to_enum<BufferType>(field(value, "buffer_type"), "buffer_type");
    const auto layout = to_enum<TensorMemoryLayout>(field(value, "memory_layout"), "memory_layout");
    const auto given = [&](const char* name) { return value.contains(name) && !value.at(name).is_null(); };
    const bool nd = given("created_with_nd_shard_spec") ? value.at("created_with_nd_shard_spec") == true
                                                        : given("nd_shard_spec") && !given("shard_spec");
    if (nd) {
        return MemoryConfig(buffer_type, to_nd_shard_spec(field(value, "nd_shard_spec")));
    }
    if (!given("shard_spec")) {
        return MemoryConfig(layout, buffer_type);
    }
    return MemoryConfig(layout, buffer_type, to_shard_spec(value.at("shard_spec")));
}

uint64_t MemoryConfig::hash() const {
    Hasher hasher;
    hasher.add(static_cast<uint64_t>(buffer_type_));
    if (created_with_nd_shard_spec_) {
        hasher.add(nd_shard_spec_->shard_shape.rank() + 16);  // tells it from a memory layout
        for (uint32_t dim : nd_shard_spec_->shard_shape) {
            hasher.add(dim);
        }
        hasher.add(nd_shard_spec_->grid);
        hasher.add(static_cast<uint64_t>(nd_shard_spec_->orientation));
        hasher.add(static_cast<uint64_t>(nd_shard_spec_->shard_distribution_strategy));
        return hasher.value();
    }
    hasher.add(static_cast<uint64_t>(memory_layout_));
    if (shard_spec_) {
        hasher.add((static_cast<uint64_t>(shard_spec_->shape[0]) << 32) | shard_spec_->shape[1]);
        hasher.add(shard_spec_->grid);
        hasher.add(static_cast<uint64_t>(shard_spec_->orientation));
    }
    return hasher.value();
}

const MemoryConfig& dram_memory_config() {
    static const MemoryConfig config(TensorMemoryLayout::INTERLEAVED, BufferType::DRAM);
    return config;
}

const MemoryConfig& l1_memory_config() {
    static const MemoryConfig config(TensorMemoryLayout::INTERLEAVED, BufferType::L1);
    return config;
}

TensorMemoryLayout memory_layout_of(ShardStrategy strategy) {
    switch (strategy) {
        case ShardStrategy::HEIGHT: return TensorMemoryLayout::HEIGHT_SHARDED;
        case ShardStrategy::WIDTH: return TensorMemoryLayout::WIDTH_SHARDED;
        case ShardStrategy::BLOCK: return TensorMemoryLayout::BLOCK_SHARDED;
    }
    fail("Invalid sharding strategy {}: HEIGHT, WIDTH or BLOCK is allowed", static_cast<int>(strategy));
}

MemoryConfig create_sharded_memory_config(const Shape& shape, const CoreGrid& grid, ShardStrategy strategy,
                                          ShardOrientation orientation, bool use_height_and_width_as_shard_shape) {
    const CoreRangeSet cores(grid.range());
    const TensorMemoryLayout layout = memory_layout_of(strategy);
    if (use_height_and_width_as_shard_shape) {
        return shape_as_shard(shape, cores, layout, orientation);
    }
    const auto [height, width] = view_2d(shape);
    uint32_t pieces_down = strategy == ShardStrategy::HEIGHT ? grid.num_cores() : 1;
    uint32_t pieces_across = strategy == ShardStrategy::WIDTH ? grid.num_cores() : 1;
    if (strategy == ShardStrategy::BLOCK) {
        const bool row_major = orientation == ShardOrientation::ROW_MAJOR;
        pieces_down = row_major ? grid.y : grid.x;
        pieces_across = row_major ? grid.x : grid.y;
    }
    require(height % pieces_down == 0 && width % pieces_across == 0,
            "Invalid sharding core_grid: {} cuts {} (a {} x {} matrix) into {} x {} pieces, which must divide it "
            "evenly",
            grid, shape, height, width, pieces_down, pieces_across);
    return sharded_in_l1(layout, cores, height / pieces_down, width / pieces_across, orientation);
}

MemoryConfig create_sharded_memory_config(const Shape& shape, const CoreRangeSet& grid, ShardStrategy strategy,
                                          ShardOrientation orientation, bool use_height_and_width_as_shard_shape) {
    require(use_height_and_width_as_shard_shape, "height and width must be shard shape with CoreRangeSet");
    return shape_as_shard(shape, grid, memory_layout_of(strategy), orientation);
}

MemoryConfig create_sharded_memory_config_(const Shape& shape, const CoreRangeSet& grid,
                                           TensorMemoryLayout memory_layout, ShardOrientation orientation,
                                           bool use_height_and_width_as_shard_shape, bool tile_layout) {
    require(memory_layout != TensorMemoryLayout::INTERLEAVED,
            "Invalid sharding strategy: memory layout must be a sharded one, got {}", memory_layout);
    require(!grid.empty(), "Invalid sharding core_grid: it must have at least one core");
    if (use_height_and_width_as_shard_shape) {
        return shape_as_shard(shape, grid, memory_layout, orientation);
    }
    auto [height, width] = view_2d(shape);
    const uint64_t cores = grid.num_cores();
    if (memory_layout == TensorMemoryLayout::HEIGHT_SHARDED) {
        // Rounding to the cores, as tile_layout asks for, changes nothing: the quotient is rounded up anyway.
        return sharded_in_l1(memory_layout, grid, div_up(height, cores), width, orientation);
    }
    if (memory_layout == TensorMemoryLayout::WIDTH_SHARDED) {
        return sharded_in_l1(memory_layout, grid, height, div_up(width, cores), orientation);
    }
    const CoreCoord box = grid.bounding_box().grid_size();
    const bool row_major = orientation == ShardOrientation::ROW_MAJOR;
    const uint64_t pieces_down = row_major ? box.y : box.x;
    const uint64_t pieces_across = row_major ? box.x : box.y;
    if (tile_layout) {
        height = round_up(height, pieces_down * 32);
    }
    return sharded_in_l1(memory_layout, grid, div_up(height, pieces_down), div_up(width, pieces_across), orientation);
}

}  // namespace ttnn
