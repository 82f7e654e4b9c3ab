// Cores and sets of cores of a compute grid; x is the column, y the row.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ttnn {

struct CoreCoord {
    uint32_t x = 0;
    uint32_t y = 0;
    auto operator<=>(const CoreCoord&) const = default;
    std::string to_string() const;  // "(x=3,y=4)"
};

// Rectangle of cores, both corners inside. Throws when end lies left of or above start.
struct CoreRange {
    CoreCoord start{};
    CoreCoord end{};

    CoreRange() = default;
    CoreRange(CoreCoord start, CoreCoord end);
    explicit CoreRange(CoreCoord core) : CoreRange(core, core) {}

    uint32_t width() const { return end.x - start.x + 1; }
    uint32_t height() const { return end.y - start.y + 1; }
    uint32_t num_cores() const { return width() * height(); }
    CoreCoord grid_size() const { return {width(), height()}; }
    bool contains(const CoreCoord& core) const;
    bool contains(const CoreRange& other) const;
    bool intersects(const CoreRange& other) const;
    auto operator<=>(const CoreRange&) const = default;
    std::string to_string() const;  // "[(x=0,y=0) - (x=7,y=7)]"
};

// Ordered list of rectangles that do not overlap (checked).
class CoreRangeSet {
public:
    CoreRangeSet() = default;
    explicit CoreRangeSet(std::vector<CoreRange> ranges);
    explicit CoreRangeSet(CoreRange range) : ranges_{range} {}

    const std::vector<CoreRange>& ranges() const { return ranges_; }
    uint32_t num_cores() const;
    size_t size() const { return ranges_.size(); }
    bool empty() const { return ranges_.empty(); }
    CoreRange bounding_box() const;
    bool contains(const CoreCoord& core) const;
    bool contains(const CoreRange& range) const;
    bool contains(const CoreRangeSet& other) const;
    bool intersects(const CoreRangeSet& other) const;
    // Cores of this set that are not in `other`, as few rectangles as a row-wise sweep gives.
    CoreRangeSet subtract(const CoreRangeSet& other) const;
    // Union with `other`, adjacent rectangles joined.
    CoreRangeSet merge(const CoreRangeSet& other) const;
    // Cores range by range; inside a range x runs fastest when `row_wise`, else y.
    std::vector<CoreCoord> cores(bool row_wise) const;
    bool operator==(const CoreRangeSet&) const = default;
    std::string to_string() const;  // "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}"

private:
    std::vector<CoreRange> ranges_;
};

struct CoreGrid {
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t num_cores() const { return x * y; }
    CoreRange range() const;  // from (0,0); throws for an empty grid
    auto operator<=>(const CoreGrid&) const = default;
    std::string to_string() const;  // "ttnn.CoreGrid(x=8, y=8)"
};

// The first `count` cores of a grid, column by column (row by row if row_wise), in at most two rectangles.
CoreRangeSet num_cores_to_corerangeset(uint32_t count, CoreCoord grid, bool row_wise = false);

// Split of `units` of work over a grid.
struct WorkSplit {
    uint32_t num_cores = 0;
    CoreRangeSet all_cores;
    CoreRangeSet group_1;  // cores that get units_1
    CoreRangeSet group_2;  // cores that get units_2, may be empty
    uint32_t units_1 = 0;
    uint32_t units_2 = 0;
};
WorkSplit split_work_to_cores(CoreCoord grid, uint64_t units, bool row_wise = false);

}  // namespace ttnn

template <class T>
requires std::same_as<T, ttnn::CoreCoord> || std::same_as<T, ttnn::CoreRange> || std::same_as<T, ttnn::CoreRangeSet> ||
    std::same_as<T, ttnn::CoreGrid>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(const T& cores, Context& context) const {
        return fmt::formatter<std::string_view>::format(cores.to_string(), context);
    }
};
