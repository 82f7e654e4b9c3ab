#include "ttnn/graph/svg_lanes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

namespace ttnn::graph::svg {
namespace {

constexpr int clearance = 4;  // pixels between two lines in a lane

struct LengthClass {
    int longest;  // pixels
    size_t most_lanes;
};
constexpr LengthClass length_classes[] = {{120, 6}, {1000, 8}, {std::numeric_limits<int>::max(), 12}};

// The lanes of one length class, filled from top to bottom.
class LaneGroup {
public:
    explicit LaneGroup(size_t most) : most_(most) {}

    uint32_t add(const Span& span) {
        auto lane = std::ranges::find_if(bottoms_, [&](int bottom) { return bottom + clearance <= span.top; });
        if (lane == bottoms_.end() && bottoms_.size() < most_) {
            lane = bottoms_.insert(lane, span.bottom);
        } else if (lane == bottoms_.end()) {
            lane = std::ranges::min_element(bottoms_);
        }
        *lane = std::max(*lane, span.bottom);
        return static_cast<uint32_t>(lane - bottoms_.begin());
    }

    uint32_t size() const { return static_cast<uint32_t>(bottoms_.size()); }

private:
    size_t most_;
    std::vector<int> bottoms_;  // of the last line in every lane
};

std::vector<size_t> order_by_top(std::span<const Span> spans) {
    std::vector<size_t> order(spans.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return std::tuple(spans[i].top, spans[i].bottom, i); });
    return order;
}

}  // namespace

uint32_t choose_lanes(std::span<Span> spans) {
    const std::vector<size_t> order = order_by_top(spans);
    uint32_t lanes = 0;
    int shortest = 0;
    for (const auto& [longest, most_lanes] : length_classes) {
        LaneGroup group(most_lanes);
        for (const size_t i : order) {
            const int length = spans[i].bottom - spans[i].top;
            if (length >= shortest && length < longest) {
                spans[i].lane = lanes + group.add(spans[i]);
            }
        }
        lanes += group.size();
        shortest = longest;
    }
    return lanes;
}

}  // namespace ttnn::graph::svg
