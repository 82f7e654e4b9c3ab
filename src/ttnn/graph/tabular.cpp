#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/memory_walk.hpp"

namespace ttnn::graph {

namespace {

constexpr std::string_view current_op_title = "current_op";
constexpr std::string_view event_title = "event";
constexpr std::string_view total_cb_title = "total_cb";
constexpr std::string_view total_buffer_title = "total_buffer";

class TableBuilder : public MemoryVisitor {
public:
    bool input(const Node& buffer) {
        add_bytes(total_buffer_, bytes(buffer, "size"), buffer);
        return true;
    }
    void begin(const Node& node) {
        stack_.push(node);
        shown_ = !is_machinery(node.text("name"));
    }
    void end() { stack_.pop(); }
    void allocate(const Node& node) { add_bytes(total_buffer_, bytes(node, "size"), node); }
    void deallocate(const Node& event, const Node& buffer) { add_bytes(total_buffer_, -bytes(buffer, "size"), event); }
    void circular_buffer(const Node& node) { add_bytes(total_cb_, bytes(node, "size"), node); }
    void release_circular_buffers() { total_cb_ = 0; }
    void after(const Node& node, size_t) {
        switch (node.type) {
            case NodeType::FUNCTION_START:
                if (shown_) {
                    add_row("begin_op");
                }
                break;
            case NodeType::BUFFER_ALLOCATE:
            case NodeType::BUFFER_DEALLOCATE:
            case NodeType::CIRCULAR_BUFFER_ALLOCATE:
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: add_row(member_name(node.type)); break;
            default: break;
        }
    }

    std::vector<MemoryRow> take() { return std::move(rows_); }

private:
    void add_row(std::string_view event) {
        rows_.push_back({rows_.size(), stack_.current(), std::string(event), total_cb_, total_buffer_});
    }

    OperationStack stack_;
    bool shown_ = false;  // the function that began last
    int64_t total_cb_ = 0;
    int64_t total_buffer_ = 0;
    std::vector<MemoryRow> rows_;
};

using Widths = std::array<size_t, 5>;

void append_right(std::string& text, std::string_view cell, size_t width) {
    text.append(2 + width - cell.size(), ' ');
    text += cell;
}

void append_line(std::string& text, std::string_view index, std::string_view current_op, std::string_view event,
                 std::string_view total_cb, std::string_view total_buffer, const Widths& widths) {
    text += index;
    text.append(widths[0] - index.size(), ' ');
    append_right(text, current_op, widths[1]);
    append_right(text, event, widths[2]);
    append_right(text, total_cb, widths[3]);
    append_right(text, total_buffer, widths[4]);
    text += '\n';
}

Widths widths_of(const std::vector<MemoryRow>& rows) {
    Widths widths{0, current_op_title.size(), event_title.size(), total_cb_title.size(), total_buffer_title.size()};
    const auto widen = [&](size_t column, size_t width) { widths[column] = std::max(widths[column], width); };
    for (const MemoryRow& row : rows) {
        widen(0, fmt::format_int(row.index).size());
        widen(1, row.current_op.size());
        widen(2, row.event.size());
        widen(3, fmt::format_int(row.total_cb).size());
        widen(4, fmt::format_int(row.total_buffer).size());
    }
    return widths;
}

}  // namespace

std::vector<MemoryRow> extract_memory_table(const Trace& trace) {
    TableBuilder builder;
    walk_memory(trace, builder);
    return builder.take();
}

std::string format_memory_table(const std::vector<MemoryRow>& rows) {
    const Widths widths = widths_of(rows);
    const auto digits = [](const fmt::format_int& number) { return std::string_view(number.data(), number.size()); };
    std::string text;
    append_line(text, "", current_op_title, event_title, total_cb_title, total_buffer_title, widths);
    text.reserve(text.size() * (rows.size() + 1));
    for (const MemoryRow& row : rows) {
        append_line(text, digits(fmt::format_int(row.index)), row.current_op, row.event,
                    digits(fmt::format_int(row.total_cb)), digits(fmt::format_int(row.total_buffer)), widths);
    }
    return text;
}

}  // namespace ttnn::graph
