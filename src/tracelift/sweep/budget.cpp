#include "tracelift/sweep/budget.hpp"

#include <algorithm>
#include <queue>
#include <unordered_set>

namespace tracelift {
namespace {

// A value of a dimension, or two of different dimensions, as one number each.
using Item = uint64_t;

uint64_t value_code(uint32_t group, size_t dimension, uint32_t value) {
    return (uint64_t{group} * 1'000'003 + dimension) * 1'000'003 + value + 1;
}

// Mixes two codes; a collision of 64 bits among some millions would only cost an item its own count.
uint64_t pair_code(uint64_t first, uint64_t second) {
    uint64_t mixed = first * 0x9E3779B97F4A7C15ULL ^ (second + 0x7F4A7C15F39CC060ULL) * 0xC2B2AE3D27D4EB4FULL;
    mixed ^= mixed >> 29;
    return mixed * 0x165667B19E3779F9ULL | (uint64_t{1} << 63);
}

struct Items {
    std::vector<Item> values{};
    std::vector<Item> pairs{};
};

Items items_of(const Point& point) {
    Items items;
    for (size_t i = 0; i < point.values.size(); ++i) {
        items.values.push_back(value_code(point.group, i, point.values[i]) & ~(uint64_t{1} << 63));
    }
    for (size_t i = 0; i < items.values.size(); ++i) {
        for (size_t j = i + 1; j < items.values.size(); ++j) {
            items.pairs.push_back(pair_code(items.values[i], items.values[j]));
        }
    }
    return items;
}

class Cover {
public:
    explicit Cover(std::span<const Point> points) : points_(points) {
        for (const Point& point : points) {
            const Items items = items_of(point);
            values_.insert(items.values.begin(), items.values.end());
            pairs_.insert(items.pairs.begin(), items.pairs.end());
        }
    }

    // A value weighs more than all the pairs of a point: values come first.
    uint64_t gain(size_t index) const {
        const Items items = items_of(points_[index]);
        const auto fresh = [](const auto& list, const auto& covered) {
            return static_cast<uint64_t>(
                std::ranges::count_if(list, [&](Item item) { return !covered.contains(item); }));
        };
        return fresh(items.values, covered_values_) * (items.pairs.size() + 1) + fresh(items.pairs, covered_pairs_);
    }
    void take(size_t index) {
        const Items items = items_of(points_[index]);
        covered_values_.insert(items.values.begin(), items.values.end());
        covered_pairs_.insert(items.pairs.begin(), items.pairs.end());
    }
    PairCoverage coverage() const {
        return {covered_values_.size(), values_.size(), covered_pairs_.size(), pairs_.size()};
    }

private:
    std::span<const Point> points_;
    std::unordered_set<Item> values_, pairs_, covered_values_, covered_pairs_;
};

}  // namespace

Budgeted within_budget(std::span<const Point> points, size_t budget) {
    Cover cover(points);
    // Gains only shrink. So the top of the queue is looked at anew, and where it still leads, nothing else can be
    // better.
    struct Candidate {
        uint64_t gain;
        int64_t executions;
        size_t index;
        bool operator<(const Candidate& other) const {
            return gain != other.gain               ? gain < other.gain
                   : executions != other.executions ? executions < other.executions
                                                    : index > other.index;
        }
    };
    std::priority_queue<Candidate> queue;
    for (size_t i = 0; i < points.size(); ++i) {
        queue.push({cover.gain(i), points[i].executions, i});
    }
    Budgeted budgeted;
    while (budgeted.chosen.size() < budget && !queue.empty()) {
        Candidate top = queue.top();
        queue.pop();
        const uint64_t gain = cover.gain(top.index);
        if (gain < top.gain) {
            top.gain = gain;
            queue.push(top);
            continue;
        }
        cover.take(top.index);
        budgeted.chosen.push_back(top.index);
    }
    std::ranges::sort(budgeted.chosen);
    budgeted.coverage = cover.coverage();
    return budgeted;
}

}  // namespace tracelift
