#include "ttnn/graph/flow_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "ttnn/graph/svg_lanes.hpp"

namespace ttnn::graph::svg {
namespace {

constexpr size_t most_boxes = 3000;
constexpr int gap = 16;         // below a box
constexpr int frame_head = 20;  // for a frame's label
constexpr int frame_foot = 10;
constexpr int lowest_column = 700;
constexpr size_t most_tensors = 2;  // told in a box, of those taken and of those given
constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

void add_list(std::vector<std::string>& lines, std::string_view word, const std::vector<std::string>& texts) {
    for (size_t i = 0; i < std::min(texts.size(), most_tensors); ++i) {
        lines.push_back(fmt::format("{} {}", word, texts[i]));
    }
    if (texts.size() > most_tensors) {
        lines.back() += fmt::format(" and {} more", texts.size() - most_tensors);
    }
}

// Puts boxes and frames into columns of a height that makes the picture about square.
class Columns {
public:
    Columns(const std::vector<FlowCall>& calls, FlowLayout& layout, int top, int tallest)
        : calls_(calls), layout_(layout), top_(top), y_(top), limit_(tallest) {}

    void run(const std::vector<FoldedCalls>& items) {
        const double total = height_of(items);
        const double square = std::sqrt(total * (flow_box_width + 2.0 * flow_column_inset));
        limit_ = std::min(limit_, top_ + std::max(lowest_column, static_cast<int>(square)));
        for (const FoldedCalls& item : items) {
            place(item, 0);
        }
        layout_.bottom = std::max(layout_.bottom, y_);
        layout_.columns = column_ + 1;
    }

    // The box of each call, also of those that are folded away; none where it is not drawn.
    std::vector<uint32_t> box_of;

private:
    int height_of_box(const FlowCall& call) const {
        const size_t lines = (call.steps.empty() ? 0 : 1) + std::min(call.gives.size(), most_tensors) +
                             std::min(call.outside.size(), most_tensors);
        return 8 + flow_line_height * static_cast<int>(1 + std::max<size_t>(lines, 1));
    }

    double height_of(const std::vector<FoldedCalls>& items) const {
        double sum = 0;
        for (const FoldedCalls& item : items) {
            sum += item.inside.empty() ? height_of_box(calls_[item.first]) + gap
                                       : height_of(item.inside) + frame_head + frame_foot;
        }
        return sum;
    }

    void place(const FoldedCalls& item, size_t depth) {
        if (box_of.empty()) {
            box_of.assign(calls_.size(), none);
        }
        if (item.inside.empty()) {
            place_box(item.first);
            return;
        }
        const double height = height_of(item.inside) + frame_head + frame_foot;
        if (y_ + height > limit_ && top_ + height <= limit_) {
            next_column();
        } else if (y_ + frame_head + height_of_box(calls_[item.first]) > limit_) {
            next_column();
        }
        open_.push_back({item.first, item.length, item.times, depth, column_, y_, y_, true, true});
        y_ += frame_head;
        for (const FoldedCalls& part : item.inside) {
            place(part, depth + 1);
        }
        open_.back().bottom = y_ - gap + frame_foot;
        if (box_of[item.first] != none) {
            layout_.frames.push_back(open_.back());
        }
        open_.pop_back();
        y_ += frame_foot;
        for (size_t i = item.length; i < item.length * item.times; ++i) {
            box_of[item.first + i] = box_of[item.first + i % item.length];
            layout_.folded += box_of[item.first + i] != none ? 1 : 0;
        }
    }

    void place_box(size_t call) {
        if (layout_.boxes.size() == most_boxes) {
            return;
        }
        const int height = height_of_box(calls_[call]);
        if (y_ + height > limit_ && y_ > top_ + frame_head * static_cast<int>(open_.size())) {
            next_column();
        }
        box_of[call] = static_cast<uint32_t>(layout_.boxes.size());
        layout_.boxes.push_back({call, {}, column_, y_, height});
        y_ += height + gap;
        layout_.bottom = std::max(layout_.bottom, y_);
    }

    void next_column() {
        for (FlowFrame& frame : open_) {
            frame.bottom = y_ - gap + frame_foot;
            frame.ends = false;
            layout_.frames.push_back(frame);
        }
        ++column_;
        y_ = top_;
        for (FlowFrame& frame : open_) {
            frame.column = column_;
            frame.top = y_;
            frame.begins = false;
            frame.ends = true;
            y_ += frame_head;
        }
    }

    const std::vector<FlowCall>& calls_;
    FlowLayout& layout_;
    std::vector<FlowFrame> open_;
    uint32_t column_ = 0;
    int top_;
    int y_;
    int limit_;
};

// Which boxes are joined by a line; what lies further apart is named in the box instead.
void join(const std::vector<FlowCall>& calls, const std::vector<uint32_t>& box_of, size_t first_number,
          FlowLayout& layout) {
    std::vector<std::vector<std::string>> far(layout.boxes.size());
    std::set<std::tuple<uint32_t, uint32_t>> joined;
    for (size_t i = 0; i < calls.size(); ++i) {
        const uint32_t to = box_of[i];
        for (const uint32_t producer : calls[i].producers) {
            const uint32_t from = to == none ? none : box_of[producer];
            if (from == none || !joined.emplace(from, to).second) {
                continue;
            }
            const FlowBox& a = layout.boxes[from];
            const FlowBox& b = layout.boxes[to];
            const bool repeats = from >= to;
            const bool near = b.column == a.column || (b.column == a.column + 1 && !repeats);
            if (near) {
                layout.edges.push_back({from, to, repeats, 0, to == from + 1 && a.column == b.column});
            } else {
                far[to].push_back(
                    fmt::format("#{}{}", a.call + first_number, repeats ? " of the previous repetition" : ""));
            }
        }
    }
    for (size_t i = 0; i < layout.boxes.size(); ++i) {
        FlowBox& box = layout.boxes[i];
        const FlowCall& call = calls[box.call];
        if (!call.steps.empty()) {
            box.lines.push_back(call.steps);
        }
        add_list(box.lines, "takes", call.outside);
        add_list(box.lines, "returns", call.gives);
        if (box.lines.empty()) {
            box.lines.emplace_back();
        }
        if (!far[i].empty()) {
            box.lines.front() = fmt::format("from {}; {}", fmt::join(far[i], ", "), box.lines.front());
        }
    }
}

int middle(const FlowBox& box) { return box.top + box.height / 2; }

void choose_lanes(FlowLayout& layout) {
    std::vector<std::vector<Span>> spans(layout.columns);
    std::vector<std::vector<size_t>> edges(layout.columns);
    for (size_t i = 0; i < layout.edges.size(); ++i) {
        const FlowEdge& edge = layout.edges[i];
        if (!edge.straight) {
            const FlowBox& from = layout.boxes[edge.from];
            const auto [top, bottom] = std::minmax({middle(from), middle(layout.boxes[edge.to])});
            spans[from.column].push_back({top, bottom, 0});
            edges[from.column].push_back(i);
        }
    }
    for (size_t column = 0; column < spans.size(); ++column) {
        layout.lanes.push_back(choose_lanes(std::span<Span>(spans[column])));
        for (size_t i = 0; i < spans[column].size(); ++i) {
            layout.edges[edges[column][i]].lane = spans[column][i].lane;
        }
    }
}

}  // namespace

FlowLayout lay_out(const std::vector<FlowCall>& calls, size_t first_number, int top, int tallest) {
    FlowLayout layout;
    Columns columns(calls, layout, top, tallest);
    columns.run(fold(calls));
    layout.drawn = static_cast<size_t>(std::ranges::find(columns.box_of, none) - columns.box_of.begin());
    join(calls, columns.box_of, first_number, layout);
    choose_lanes(layout);
    return layout;
}

}  // namespace ttnn::graph::svg
