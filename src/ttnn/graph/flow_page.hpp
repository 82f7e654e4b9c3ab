// The SVG document of a flow picture.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "ttnn/graph/flow_layout.hpp"

namespace ttnn::graph::svg {

class FlowPage {
public:
    static constexpr int head_height = 76;  // pixels above the columns

    // Calls are numbered from `first_number` on.
    FlowPage(const std::vector<FlowCall>& calls, const FlowLayout& layout, size_t first_number);

    // `notes`: lines below the title.
    void open(std::string_view title, const std::vector<std::string>& notes);
    void add_frames();
    void add_edges();
    void add_boxes();
    std::string close();

private:
    template <class... Args>
    void print(fmt::format_string<const Args&...> format, const Args&... args);
    void add_text(int x, int y, std::string_view text, int width);
    void add_edge(const FlowEdge& edge);
    void add_box(const FlowBox& box);
    int box_x(uint32_t column) const { return lefts_[column] + flow_column_inset; }

    const std::vector<FlowCall>& calls_;
    const FlowLayout& layout_;
    size_t first_number_;
    std::vector<int> lefts_;  // of columns, and one behind the last
    std::string out_;
};

}  // namespace ttnn::graph::svg
