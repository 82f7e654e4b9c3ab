#include "ttnn/tensor/core_coord.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ttnn/core/error.hpp"
#include "ttnn/tensor/work_split.hpp"

namespace ttnn {

namespace {

// Which cores of a bounding box are set; turned back into rectangles by a row-wise sweep.
class CoreMask {
public:
    explicit CoreMask(CoreRange box) : box_(box), set_(box.num_cores(), false) {}

    void fill(const CoreRangeSet& cores, bool value) {
        for (const CoreRange& range : cores.ranges()) {
            if (!range.intersects(box_)) {
                continue;
            }
            for (uint32_t y = std::max(range.start.y, box_.start.y); y <= std::min(range.end.y, box_.end.y); ++y) {
                for (uint32_t x = std::max(range.start.x, box_.start.x); x <= std::min(range.end.x, box_.end.x); ++x) {
                    set_[index(x, y)] = value;
                }
            }
        }
    }

    // Each run of a row grows downwards for as long as the rows below contain all of it. Clears the mask.
    std::vector<CoreRange> take_rectangles() {
        std::vector<CoreRange> result;
        for (uint32_t y = box_.start.y; y <= box_.end.y; ++y) {
            for (uint32_t x = box_.start.x; x <= box_.end.x; ++x) {
                if (set_[index(x, y)]) {
                    result.push_back(take_rectangle({x, y}));
                }
            }
        }
        return result;
    }

private:
    size_t index(uint32_t x, uint32_t y) const {
        return static_cast<size_t>(y - box_.start.y) * box_.width() + (x - box_.start.x);
    }

    bool row_is_set(uint32_t first, uint32_t last, uint32_t y) const {
        for (uint32_t x = first; x <= last; ++x) {
            if (!set_[index(x, y)]) {
                return false;
            }
        }
        return true;
    }

    CoreRange take_rectangle(CoreCoord start) {
        CoreCoord end = start;
        while (end.x < box_.end.x && set_[index(end.x + 1, start.y)]) {
            ++end.x;
        }
        while (end.y < box_.end.y && row_is_set(start.x, end.x, end.y + 1)) {
            ++end.y;
        }
        const CoreRange range(start, end);
        fill(CoreRangeSet(range), false);
        return range;
    }

    CoreRange box_;
    std::vector<bool> set_;
};

CoreRange enclosing(const CoreRange& a, const CoreRange& b) {
    return CoreRange({std::min(a.start.x, b.start.x), std::min(a.start.y, b.start.y)},
                     {std::max(a.end.x, b.end.x), std::max(a.end.y, b.end.y)});
}

// A range in (major, minor) coordinates: the minor axis is the one that is filled first.
CoreRange oriented(uint32_t major_1, uint32_t minor_1, uint32_t major_2, uint32_t minor_2, bool row_wise) {
    if (row_wise) {
        return CoreRange({minor_1, major_1}, {minor_2, major_2});
    }
    return CoreRange({major_1, minor_1}, {major_2, minor_2});
}

// Adds the cores number first .. last - 1 of a range as rectangles: a part of a line, whole lines, a part of a line.
void add_part(const CoreRange& range, uint32_t first, uint32_t last, bool row_wise, std::vector<CoreRange>& to) {
    const uint32_t minor = row_wise ? range.width() : range.height();
    const uint32_t major_start = row_wise ? range.start.y : range.start.x;
    const uint32_t minor_start = row_wise ? range.start.x : range.start.y;
    while (first < last) {
        const uint32_t line = first / minor;
        const uint32_t column = first % minor;
        const uint32_t lines = column == 0 ? (last - first) / minor : 0;
        const uint32_t columns = lines != 0 ? minor : std::min(minor - column, last - first);
        to.push_back(oriented(major_start + line, minor_start + column, major_start + line + std::max(lines, 1U) - 1,
                              minor_start + column + columns - 1, row_wise));
        first += std::max(lines, 1U) * columns;
    }
}

// The cores number first .. last - 1 of a set, which are counted range by range.
CoreRangeSet part_of(const CoreRangeSet& set, uint32_t first, uint32_t last, bool row_wise) {
    std::vector<CoreRange> ranges;
    uint32_t before = 0;
    for (const CoreRange& range : set.ranges()) {
        const uint32_t after = before + range.num_cores();
        if (first < after && last > before) {
            add_part(range, std::max(first, before) - before, std::min(last, after) - before, row_wise, ranges);
        }
        before = after;
    }
    return CoreRangeSet(std::move(ranges));
}

}  // namespace

std::string CoreCoord::to_string() const { return fmt::format("(x={},y={})", x, y); }

CoreRange::CoreRange(CoreCoord start_core, CoreCoord end_core) : start(start_core), end(end_core) {
    require(end.x >= start.x && end.y >= start.y,
            "end of a core range must not lie left of or above its start, got start {} and end {}", start, end);
}

bool CoreRange::contains(const CoreCoord& core) const {
    return core.x >= start.x && core.x <= end.x && core.y >= start.y && core.y <= end.y;
}

bool CoreRange::contains(const CoreRange& other) const { return contains(other.start) && contains(other.end); }

bool CoreRange::intersects(const CoreRange& other) const {
    return start.x <= other.end.x && other.start.x <= end.x && start.y <= other.end.y && other.start.y <= end.y;
}

std::string CoreRange::to_string() const { return fmt::format("[{} - {}]", start, end); }

CoreRangeSet::CoreRangeSet(std::vector<CoreRange> ranges) : ranges_(std::move(ranges)) {
    for (size_t i = 0; i < ranges_.size(); ++i) {
        for (size_t j = i + 1; j < ranges_.size(); ++j) {
            require(!ranges_[i].intersects(ranges_[j]), "core ranges of a set must not overlap, but {} and {} do",
                    ranges_[i], ranges_[j]);
        }
    }
}

uint32_t CoreRangeSet::num_cores() const {
    uint32_t count = 0;
    for (const CoreRange& range : ranges_) {
        count += range.num_cores();
    }
    return count;
}

CoreRange CoreRangeSet::bounding_box() const {
    require(!ranges_.empty(), "an empty core range set has no bounding box");
    CoreRange box = ranges_.front();
    for (const CoreRange& range : ranges_) {
        box = enclosing(box, range);
    }
    return box;
}

bool CoreRangeSet::contains(const CoreCoord& core) const {
    return std::ranges::any_of(ranges_, [&](const CoreRange& range) { return range.contains(core); });
}

bool CoreRangeSet::contains(const CoreRange& range) const {
    for (uint32_t y = range.start.y; y <= range.end.y; ++y) {
        for (uint32_t x = range.start.x; x <= range.end.x; ++x) {
            if (!contains(CoreCoord{x, y})) {
                return false;
            }
        }
    }
    return true;
}

bool CoreRangeSet::contains(const CoreRangeSet& other) const {
    return std::ranges::all_of(other.ranges_, [&](const CoreRange& range) { return contains(range); });
}

bool CoreRangeSet::intersects(const CoreRangeSet& other) const {
    return std::ranges::any_of(ranges_, [&](const CoreRange& mine) {
        return std::ranges::any_of(other.ranges_, [&](const CoreRange& range) { return mine.intersects(range); });
    });
}

CoreRangeSet CoreRangeSet::subtract(const CoreRangeSet& other) const {
    if (empty() || !intersects(other)) {
        return *this;
    }
    CoreMask mask(bounding_box());
    mask.fill(*this, true);
    mask.fill(other, false);
    return CoreRangeSet(mask.take_rectangles());
}

CoreRangeSet CoreRangeSet::merge(const CoreRangeSet& other) const {
    if (other.empty() && size() <= 1) {
        return *this;
    }
    if (empty()) {
        return other.merge(*this);
    }
    CoreMask mask(other.empty() ? bounding_box() : enclosing(bounding_box(), other.bounding_box()));
    mask.fill(*this, true);
    mask.fill(other, true);
    return CoreRangeSet(mask.take_rectangles());
}

std::vector<CoreCoord> CoreRangeSet::cores(bool row_wise) const {
    std::vector<CoreCoord> result;
    result.reserve(num_cores());
    for (const CoreRange& range : ranges_) {
        const uint32_t minor = row_wise ? range.width() : range.height();
        for (uint32_t i = 0; i < range.num_cores(); ++i) {
            const uint32_t x = row_wise ? i % minor : i / minor;
            const uint32_t y = row_wise ? i / minor : i % minor;
            result.push_back({range.start.x + x, range.start.y + y});
        }
    }
    return result;
}

std::string CoreRangeSet::to_string() const {
    std::string text = "{";
    for (const CoreRange& range : ranges_) {
        text += (text.size() > 1 ? ", " : "") + range.to_string();
    }
    return text + "}";
}

CoreRange CoreGrid::range() const {
    require(x > 0 && y > 0, "a core grid must have at least one column and one row, got {}", *this);
    return CoreRange({0, 0}, {x - 1, y - 1});
}

std::string CoreGrid::to_string() const { return fmt::format("ttnn.CoreGrid(x={}, y={})", x, y); }

CoreRangeSet num_cores_to_corerangeset(uint32_t count, CoreCoord grid, bool row_wise) {
    require(count <= static_cast<uint64_t>(grid.x) * grid.y,
            "target number of cores must be at most the {} cores of the grid {}, got {}",
            static_cast<uint64_t>(grid.x) * grid.y, grid, count);
    if (count == 0) {
        return {};
    }
    return part_of(CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1})), 0, count, row_wise);
}

WorkSplit split_work_to_cores(CoreCoord grid, uint64_t units, bool row_wise) {
    require(grid.x > 0 && grid.y > 0, "the grid to split work over must have at least one core, got {}", grid);
    return split_work_to_cores(CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1})), units, row_wise);
}

WorkSplit split_work_to_cores(const CoreRangeSet& grid, uint64_t units, bool row_wise) {
    const uint32_t grid_cores = grid.num_cores();
    require(grid_cores > 0, "the cores to split work over must be at least one, got {}", grid);
    WorkSplit split;
    if (units == 0) {
        return split;
    }
    split.num_cores = static_cast<uint32_t>(std::min<uint64_t>(units, grid_cores));
    split.all_cores = part_of(grid, 0, split.num_cores, row_wise);
    const auto share = static_cast<uint32_t>(units / split.num_cores);
    const auto rest = static_cast<uint32_t>(units % split.num_cores);
    if (rest == 0) {
        split.group_1 = split.all_cores;
        split.units_1 = share;
        return split;
    }
    // A remainder is possible only when the whole grid is in use.
    split.group_1 = part_of(grid, 0, rest, row_wise);
    split.group_2 = part_of(grid, rest, split.num_cores, row_wise);
    split.units_1 = share + 1;
    split.units_2 = share;
    return split;
}

}  // namespace ttnn
