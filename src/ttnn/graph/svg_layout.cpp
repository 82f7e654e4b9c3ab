#include "ttnn/graph/svg_layout.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "ttnn/graph/left_open.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph::svg {
namespace {

std::string_view name_of(const Node& node) { return node.find("name").value_or(""); }

// Pairs starts and ends. An exception ends the functions that it left open; what else did not end does so with whatever
// encloses it.
class Nesting {
public:
    Nesting(const Trace& trace, std::vector<Place>& places) : trace_(trace), places_(places) {}

    void find() {
        for (uint32_t i = 0; i < trace_.size(); ++i) {
            visit(i);
        }
        leave_open(0, static_cast<uint32_t>(trace_.size()));
    }

private:
    void visit(uint32_t i) {
        Place& place = places_[i];
        place.last = i;
        switch (trace_[i].type) {
            case NodeType::CAPTURE_START: place.last = static_cast<uint32_t>(trace_.size()) - 1; break;
            case NodeType::CAPTURE_END: leave_open(0, i); break;
            case NodeType::FUNCTION_START: open_.push_back(i); break;
            case NodeType::FUNCTION_END: end_function(i); return;
            case NodeType::ERROR: end_left_open(place, i); return;
            default: break;
        }
        place.level = static_cast<uint32_t>(open_.size());
    }

    // The error itself is inside what it ends.
    void end_left_open(Place& error, uint32_t i) {
        error.level = static_cast<uint32_t>(open_.size());
        size_t depth = open_.size();
        while (depth > 0 && !has_own_end(trace_, trace_[open_[depth - 1]])) {
            left_.insert(name_of(trace_[open_[--depth]]));
        }
        leave_open(depth, i + 1);
    }

    void end_function(uint32_t end) {
        const std::string_view name = name_of(trace_[end]);
        size_t depth = open_.size();
        while (depth > 0 && name_of(trace_[open_[depth - 1]]) != name) {
            --depth;
        }
        if (depth == 0 && left_.contains(name)) {  // an end that is not linked, of what an error ended already
            places_[end].level = static_cast<uint32_t>(open_.size());
            return;
        }
        if (depth == 0) {
            fail_at(trace_[end], "ends function \"{}\", which is not open", shortened(name));
        }
        leave_open(depth, end);
        places_[end].level = static_cast<uint32_t>(depth);
        places_[open_.back()].last = end;
        open_.pop_back();
    }

    // The functions above `depth` did not end before node `next`.
    void leave_open(size_t depth, uint32_t next) {
        for (; open_.size() > depth; open_.pop_back()) {
            places_[open_.back()].last = next - 1;
            places_[open_.back()].ended = false;
        }
    }

    const Trace& trace_;
    std::vector<Place>& places_;
    std::vector<uint32_t> open_;
    std::set<std::string_view> left_;  // names of functions that errors ended
};

// A tensor is shown where a shown function takes or gives it: data flow stays visible when its origin is not.
void show_tensors_of_shown_functions(const Trace& trace, std::vector<Place>& places) {
    for (size_t i = 0; i < trace.size(); ++i) {
        for (const uint32_t to : trace[i].connections) {
            if (trace[i].type == NodeType::FUNCTION_END && trace[to].type == NodeType::TENSOR) {
                places[to].shown |= places[i].shown;
            } else if (trace[i].type == NodeType::TENSOR && trace[to].type == NodeType::FUNCTION_START) {
                places[i].shown |= places[to].shown;
            }
        }
    }
}

void choose_shown(const Trace& trace, const Wanted& wanted, std::vector<Place>& places) {
    for (size_t i = 0; i < trace.size(); ++i) {
        const bool in_range = i >= wanted.first && i <= wanted.last;
        places[i].shown = in_range && (places[i].level <= wanted.max_level || trace[i].type == NodeType::ERROR);
    }
    show_tensors_of_shown_functions(trace, places);
    for (Place& place : places) {
        place.level = std::min(place.level, wanted.max_level);
    }
}

// Puts row under row; boxes open and close on the way.
class Stacking {
public:
    Stacking(const Trace& trace, Layout& layout, const Wanted& wanted)
        : trace_(trace), layout_(layout), tallest_(wanted.tallest), y_(wanted.top) {}

    void run() {
        for (uint32_t i = 0; i < trace_.size(); ++i) {
            close_before(i);
            if (layout_.places[i].shown && y_ + label_height + row_height > tallest_) {
                layout_.places[i].shown = false;
                ++layout_.cut;
            }
            if (layout_.places[i].shown) {
                add_row(i);
            } else if (!open_.empty()) {
                ++layout_.places[open_.back()].hidden;
            }
        }
        close_before(static_cast<uint32_t>(trace_.size()));
        layout_.bottom = y_;
    }

private:
    void add_row(uint32_t i) {
        if (trace_[i].type == NodeType::FUNCTION_START) {
            open_.push_back(i);
            y_ += label_height;
        }
        layout_.deepest = std::max(layout_.deepest, layout_.places[i].level);
        layout_.places[i].top = y_;
        y_ += row_height + row_gap;
    }

    void close_before(uint32_t next) {
        for (; !open_.empty() && layout_.places[open_.back()].last < next; open_.pop_back()) {
            layout_.places[open_.back()].box_bottom = y_;
            y_ = std::min(y_ + row_gap, tallest_);
        }
    }

    const Trace& trace_;
    Layout& layout_;
    int tallest_;
    int y_;
    std::vector<uint32_t> open_;
};

}  // namespace

std::vector<Place> check(const Trace& trace) {
    for (size_t i = 0; i < trace.size(); ++i) {
        if (trace[i].counter != i) {
            fail_at(trace[i], "is at position {} of the trace; its counter should be that position", i);
        }
        for (const uint32_t to : trace[i].connections) {
            connected(trace, trace[i], to);
        }
    }
    std::vector<Place> places(trace.size());
    Nesting(trace, places).find();
    return places;
}

Layout lay_out(const Trace& trace, const Wanted& wanted) {
    Layout layout{check(trace)};
    choose_shown(trace, wanted, layout.places);
    Stacking(trace, layout, wanted).run();
    return layout;
}

}  // namespace ttnn::graph::svg
