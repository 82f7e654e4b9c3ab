#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "tracelift/report/pictures.hpp"
#include "ttnn/graph/svg_text.hpp"

namespace tracelift::report {
namespace {

using ttnn::graph::svg::append_xml_line;

// Pixels.
constexpr int left = 90;
constexpr int plot_width = 1000;
constexpr int plot_height = 180;
constexpr int panel_pitch = 350;  // names of operations stand between the panels
constexpr int top = 60;
constexpr size_t most_labels = 24;  // of operations, below the panels

// What one column of the picture shows.
struct Moment {
    int64_t l1 = 0;  // at the moment where L1 buffers and circular buffers together are highest
    int64_t cb = 0;
    int64_t dram = 0;
    int64_t first_counter = 0;
    int64_t last_counter = 0;
};

struct Peak {
    int64_t bytes = 0;
    size_t column = 0;
    int64_t counter = 0;
};

struct Timeline {
    std::vector<Moment> columns;
    Peak l1, dram;
};

// Events side by side, several to a column where there are many: of each column the highest moment is shown.
Timeline read(Database& database, int64_t report_id) {
    Statement count(database, "SELECT COUNT(*) FROM memory_events WHERE report_id = ?");
    count.with(report_id).step();
    const auto events = static_cast<size_t>(count.integer(0));
    const size_t per_column = std::max<size_t>(1, (events + plot_width - 1) / plot_width);
    Timeline timeline;
    Statement rows(database,
                   "SELECT counter, l1_total, cb_total, dram_total FROM memory_events WHERE report_id = ? ORDER BY "
                   "rowid");
    rows.with(report_id);
    for (size_t i = 0; rows.step(); ++i) {
        const int64_t counter = rows.integer(0);
        const int64_t l1 = rows.integer(1);
        const int64_t cb = rows.integer(2);
        const int64_t dram = rows.integer(3);
        if (i % per_column == 0) {
            timeline.columns.push_back({l1, cb, dram, counter, counter});
        }
        Moment& column = timeline.columns.back();
        column.last_counter = counter;
        if (limited_sum(l1, cb) > limited_sum(column.l1, column.cb)) {
            column.l1 = l1;
            column.cb = cb;
        }
        column.dram = std::max(column.dram, dram);
        const size_t at = timeline.columns.size() - 1;
        if (limited_sum(l1, cb) > timeline.l1.bytes) {
            timeline.l1 = {limited_sum(l1, cb), at, counter};
        }
        if (dram > timeline.dram.bytes) {
            timeline.dram = {dram, at, counter};
        }
    }
    return timeline;
}

std::string bytes_text(int64_t bytes) {
    if (bytes >= int64_t{1} << 30) {
        return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
    }
    if (bytes >= 1 << 20) {
        return fmt::format("{:.2f} MiB", static_cast<double>(bytes) / (1 << 20));
    }
    return bytes >= 1024 ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024) : fmt::format("{} B", bytes);
}

class Picture {
public:
    Picture(const Timeline& timeline, std::string_view title) : timeline_(timeline) {
        print(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)",
              left + plot_width + 40, top + panel_pitch + plot_height + 30);
        out_ +=
            "\n<title>memory over time</title>\n<style>text{font-family:monospace;font-size:11px;fill:#000}"
            ".axis{stroke:#555;stroke-width:1}.l1{fill:#4a78c8}.cb{fill:#e0a030}.dram{fill:#5a9a5a}"
            ".peak{stroke:#c00000;stroke-width:1.5;fill:none}.operation{stroke:#bbb;stroke-width:.6}</style>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
        text(left, 20, title, 140);
        text(left, 36, "every step is an allocation or a free, from left to right in the order of the trace", 140);
    }

    void add_operations(Database& database, int64_t report_id) {
        Statement operations(database,
                             "SELECT o.operation_id, o.name, d.start_counter FROM operation_details d JOIN operations "
                             "o ON o.operation_id = d.operation_id AND o.rank = d.rank WHERE d.report_id = ? ORDER BY "
                             "o.operation_id");
        operations.with(report_id);
        std::vector<std::pair<std::string, int64_t>> starts;
        while (operations.step() && starts.size() <= most_labels) {
            starts.emplace_back(operations.text(1), operations.integer(2));
        }
        if (starts.size() > most_labels) {
            return;
        }
        for (const auto& [name, counter] : starts) {
            const auto column = std::ranges::find_if(timeline_.columns,
                                                     [&](const Moment& each) { return each.last_counter >= counter; });
            const int x = column_x(static_cast<size_t>(column - timeline_.columns.begin()));
            print(R"(<path class="operation" d="M{} {}V{}"/>)", x, top, top + panel_pitch + plot_height);
            print(R"x(<text transform="translate({} {}) rotate(60)">)x", x + 2, top + plot_height + 8);
            append_xml_line(out_, name, 24);
            out_ += "</text>\n";
        }
    }

    void add_panel(int index, std::string_view name, const Peak& peak,
                   const std::vector<std::pair<std::string_view, int64_t (*)(const Moment&)>>& areas) {
        const int y = top + index * panel_pitch;
        int64_t highest = 1;
        for (const Moment& column : timeline_.columns) {
            highest = std::max(highest, areas.back().second(column));
        }
        // Later areas are the sums with the earlier ones: drawn first, they stay visible above them.
        for (auto area = areas.rbegin(); area != areas.rend(); ++area) {
            print(R"(<path class="{}" d="M{} {})", area->first, left, y + plot_height);
            for (size_t i = 0; i < timeline_.columns.size(); ++i) {
                const auto value = static_cast<double>(std::max<int64_t>(area->second(timeline_.columns[i]), 0));
                const auto height = static_cast<int>(std::lround(plot_height * value / static_cast<double>(highest)));
                print("V{}H{}", y + plot_height - height, column_x(i + 1));
            }
            print("V{}Z\"/>\n", y + plot_height);
        }
        print(R"(<path class="axis" fill="none" d="M{0} {1}V{2}H{3}"/>)", left, y, y + plot_height, left + plot_width);
        text(8, y + 10, bytes_text(highest), 12);
        text(8, y + plot_height, "0 B", 12);
        text(left + 6, y - 4,
             fmt::format("{}: peak {} B ({}) at node {}", name, peak.bytes, bytes_text(peak.bytes), peak.counter), 140);
        if (peak.bytes > 0) {
            const int x = (column_x(peak.column) + column_x(peak.column + 1)) / 2;
            print(R"(<path class="peak" d="M{} {}v{}"/>)", x, y, plot_height);
        }
        out_ += '\n';
    }

    std::string finish() { return std::move(out_ += "</svg>\n"); }

private:
    template <class... Args>
    void print(fmt::format_string<const Args&...> format, const Args&... args) {
        fmt::format_to(std::back_inserter(out_), format, args...);
    }
    void text(int x, int y, std::string_view words, size_t columns) {
        print(R"(<text x="{}" y="{}">)", x, y);
        append_xml_line(out_, words, columns);
        out_ += "</text>\n";
    }
    int column_x(size_t column) const {
        const size_t columns = std::max<size_t>(timeline_.columns.size(), 1);
        return left + static_cast<int>(column * plot_width / columns);
    }

    const Timeline& timeline_;
    std::string out_;
};

}  // namespace

std::string memory_svg(Database& database, int64_t report_id, std::string_view title) {
    const Timeline timeline = read(database, report_id);
    Picture picture(timeline, title);
    picture.add_operations(database, report_id);
    picture.add_panel(0, "L1 buffers (blue) and circular buffers of a core (yellow)", timeline.l1,
                      {{"l1", [](const Moment& column) { return column.l1; }},
                       {"cb", [](const Moment& column) { return limited_sum(column.l1, column.cb); }}});
    picture.add_panel(1, "DRAM buffers that the capture allocates", timeline.dram,
                      {{"dram", [](const Moment& column) { return column.dram; }}});
    return picture.finish();
}

}  // namespace tracelift::report
