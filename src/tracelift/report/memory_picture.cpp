#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
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
constexpr int plot_height = 200;
constexpr int top = 76;
constexpr int legend_line = 15;
constexpr size_t most_peaks = 6;  // told per panel
constexpr int panel_pitch = plot_height + 46 + legend_line * static_cast<int>(most_peaks + 1);
constexpr int peak_distance = 24;  // columns between two that are labelled
constexpr double zoom = 8;         // a limit this much higher than everything is not drawn to scale

constexpr int64_t before_all = -1;

// What one column of the picture shows: its highest moment.
struct Moment {
    int64_t buffers = 0;  // bytes in the fullest bank
    int64_t circular = 0;
    int64_t counter = 0;    // before_all: of no node, but when the capture began
    int64_t operation = 0;  // 0: none was open
    int64_t total() const { return limited_sum(buffers, circular); }
};

struct Timeline {
    std::vector<Moment> l1, dram;  // by column
    size_t events = 0;
    size_t per_column = 1;
};

void show(std::vector<Moment>& columns, bool new_column, const Moment& moment) {
    if (new_column) {
        columns.push_back(moment);
    } else if (moment.total() > columns.back().total()) {
        columns.back() = moment;
    }
}

// Events side by side, several to a column where there are many.
Timeline read(Database& database, int64_t report_id, const std::optional<AtStart>& start) {
    Statement count(database, "SELECT COUNT(*) FROM memory_events WHERE report_id = ?");
    count.with(report_id).step();
    Timeline timeline;
    timeline.events = static_cast<size_t>(count.integer(0));
    timeline.per_column = std::max<size_t>(1, (timeline.events + plot_width - 1) / plot_width);
    Statement rows(database,
                   "SELECT counter, kind, per_bank, buffer_type, cb_total, operation_id FROM memory_events WHERE "
                   "report_id = ? ORDER BY rowid");
    rows.with(report_id);
    int64_t l1 = start ? start->l1 : 0;
    int64_t dram = start ? start->dram : 0;
    if (start) {
        timeline.l1.push_back({l1, 0, before_all});
        timeline.dram.push_back({dram, 0, before_all});
    }
    for (size_t i = 0; rows.step(); ++i) {
        const std::string_view kind = rows.text(1);
        // An input is a buffer from before the capture: at the start it was counted with all of them.
        if ((kind == "input" && !start) || kind == "allocate" || kind == "free") {
            int64_t& sum = is_in_dram(rows.integer(3)) ? dram : l1;
            sum = limited_sum(sum, kind == "free" ? -rows.integer(2) : rows.integer(2));
        }
        const bool new_column = i % timeline.per_column == 0;
        // What was freed without having been seen was there before: it does not count below nothing.
        show(timeline.l1, new_column, {std::max<int64_t>(l1, 0), rows.integer(4), rows.integer(0), rows.integer(5)});
        show(timeline.dram, new_column, {std::max<int64_t>(dram, 0), 0, rows.integer(0), rows.integer(5)});
    }
    return timeline;
}

// The columns that are highest, far enough apart to be told apart.
std::vector<size_t> peaks_of(const std::vector<Moment>& columns) {
    std::vector<size_t> order;
    for (size_t i = 0; i < columns.size(); ++i) {
        const bool rises = i == 0 || columns[i].total() > columns[i - 1].total();
        const bool falls = i + 1 == columns.size() || columns[i].total() >= columns[i + 1].total();
        if (columns[i].total() > 0 && rises && falls) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return columns[i].total(); });
    const size_t distance = std::min<size_t>(peak_distance, columns.size() / 40 + 1);
    std::vector<size_t> chosen;
    for (const size_t i : order) {
        const bool apart = std::ranges::all_of(chosen, [&](size_t other) {
            return columns[i].operation != columns[other].operation && (i > other ? i - other : other - i) >= distance;
        });
        if (apart && chosen.size() < most_peaks) {
            chosen.push_back(i);
        }
    }
    return chosen;
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

struct Panel {
    std::string title;
    std::string_view per;  // "core" or "bank"
    std::string_view colour;
    const std::vector<Moment>& columns;
    int64_t limit = 0;  // bytes; 0: not known
};

class Picture {
public:
    Picture(Database& database, const Timeline& timeline, std::string_view title)
        : name_(database, "SELECT name FROM operations WHERE operation_id = ?"), timeline_(timeline) {
        print(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)",
              left + plot_width + 40, top + 2 * panel_pitch);
        out_ +=
            "\n<title>memory over time</title>\n<style>text{font-family:monospace;font-size:11px;fill:#222}"
            ".title{font-size:13px;font-weight:bold}.axis{stroke:#555;stroke-width:1;fill:none}"
            ".grid{stroke:#ddd;stroke-width:.7;fill:none}.l1{fill:#4a78c8}.cb{fill:#e0a030}.dram{fill:#5a9a5a}"
            ".limit{stroke:#c00000;stroke-width:1.5;stroke-dasharray:8 "
            "4;fill:none}.limit_text{fill:#c00000;text-anchor:end}"
            ".peak circle{fill:#fff;stroke:#222;stroke-width:1}.peak text{text-anchor:middle;font-size:10px}"
            "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
        text(left, 20, title, 140, "title");
        text(left, 37,
             fmt::format("{} allocations and frees, from left to right in the order of the trace{}", timeline.events,
                         timeline.per_column > 1
                             ? fmt::format("; each column shows the highest of {} of them", timeline.per_column)
                             : ""),
             150);
    }

    void add_panel(int index, const Panel& panel) {
        const int y = top + index * panel_pitch;
        int64_t highest = 1;
        for (const Moment& column : panel.columns) {
            highest = std::max(highest, column.total());
        }
        const bool to_scale =
            panel.limit > 0 && (highest == 1 || static_cast<double>(panel.limit) < zoom * static_cast<double>(highest));
        const auto full = static_cast<double>(std::max(highest, to_scale ? panel.limit : 0)) * 1.06;
        const auto y_of = [&](int64_t bytes) {
            return y + plot_height -
                   static_cast<int>(std::lround(plot_height * std::min(1.0, static_cast<double>(bytes) / full)));
        };
        text(left, y - 6, panel.title, 150);
        for (int i = 1; i <= 4; ++i) {
            const auto bytes = static_cast<int64_t>(full * i / 4);
            print(R"(<path class="grid" d="M{} {}h{}"/>)", left, y_of(bytes), plot_width);
            text(8, y_of(bytes) + 4, bytes_text(bytes), 12);
        }
        text(8, y + plot_height + 4, "0 B", 12);
        add_area("cb", panel.columns, y + plot_height, y_of, [](const Moment& column) { return column.total(); });
        add_area(panel.colour, panel.columns, y + plot_height, y_of,
                 [](const Moment& column) { return column.buffers; });
        print(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)", left, y, y + plot_height, left + plot_width);
        add_limit(panel, y, to_scale ? y_of(panel.limit) : y, to_scale, highest);
        add_peaks(panel, y, y_of);
        out_ += '\n';
    }

    std::string finish() { return std::move(out_ += "</svg>\n"); }

private:
    template <class... Args>
    void print(fmt::format_string<const Args&...> format, const Args&... args) {
        fmt::format_to(std::back_inserter(out_), format, args...);
    }
    void text(int x, int y, std::string_view words, size_t columns, std::string_view style = "") {
        print(R"(<text{} x="{}" y="{}">)", style.empty() ? "" : fmt::format(R"( class="{}")", style), x, y);
        append_xml_line(out_, words, columns);
        out_ += "</text>\n";
    }
    int column_x(size_t column) const {
        const size_t columns = std::max<size_t>(timeline_.l1.size(), 1);
        return left + static_cast<int>(column * plot_width / columns);
    }

    template <class HeightAt, class Value>
    void add_area(std::string_view colour, const std::vector<Moment>& columns, int floor, HeightAt y_of, Value value) {
        print(R"(<path class="{}" d="M{} {})", colour, left, floor);
        for (size_t i = 0; i < columns.size(); ++i) {
            print("V{}H{}", y_of(value(columns[i])), column_x(i + 1));
        }
        print("V{}Z\"/>\n", floor);
    }

    void add_limit(const Panel& panel, int y, int line, bool to_scale, int64_t highest) {
        if (panel.limit <= 0) {
            text(left + plot_width, y - 6, "the limit is not known: the report does not describe its device", 100,
                 "limit_text");
            return;
        }
        print(R"(<path class="limit" d="M{} {}h{}"/>)", left, line, plot_width);
        text(left + plot_width, y - 6,
             fmt::format("limit of a {}: {} B ({}){}", panel.per, panel.limit, bytes_text(panel.limit),
                         to_scale ? ""
                                  : fmt::format(", {:.0f} times the peak: not to scale",
                                                static_cast<double>(panel.limit) / static_cast<double>(highest))),
             120, "limit_text");
    }

    std::string where(const Moment& moment) {
        if (moment.counter == before_all) {
            return " when the capture began";
        }
        if (moment.operation != 0 && name_.with(moment.operation).step()) {
            return fmt::format(" in operation {} {}, node {}", moment.operation, name_.text(0), moment.counter);
        }
        return fmt::format(" outside of operations, node {}", moment.counter);
    }

    // Numbers at the curve, and what they are below it.
    template <class HeightAt>
    void add_peaks(const Panel& panel, int y, HeightAt y_of) {
        int number = 0;
        for (const size_t column : peaks_of(panel.columns)) {
            const Moment& moment = panel.columns[column];
            const int x = (column_x(column) + column_x(column + 1)) / 2;
            ++number;
            print(R"(<g class="peak"><circle cx="{0}" cy="{1}" r="7"/><text x="{0}" y="{2}">{3}</text></g>)", x,
                  y_of(moment.total()), y_of(moment.total()) + 4, number);
            std::string line = fmt::format("{}  {} per {}", number, bytes_text(moment.total()), panel.per);
            if (moment.circular > 0) {
                line += fmt::format(" (buffers {}, circular buffers {})", bytes_text(moment.buffers),
                                    bytes_text(moment.circular));
            }
            if (panel.limit > 0) {
                line += fmt::format(", {:.1f} % of the limit",
                                    100.0 * static_cast<double>(moment.total()) / static_cast<double>(panel.limit));
            }
            line += where(moment) + (number == 1 ? ": the peak" : "");
            text(left, y + plot_height + 6 + legend_line * number, line, 160);
        }
        if (number == 0) {
            text(left, y + plot_height + 6 + legend_line, "nothing is allocated here", 80);
        }
    }

    Statement name_;
    const Timeline& timeline_;
    std::string out_;
};

}  // namespace

std::string memory_svg(const Context& context) {
    const Timeline timeline = read(context.database, context.report_id, context.at_start);
    const Devices::Banks banks = context.devices.first_banks();
    Picture picture(context.database, timeline, context.report.name());
    picture.add_panel(0, {"L1 of a core: buffers (blue) and circular buffers (yellow) on top of them", "core", "l1",
                          timeline.l1, banks.l1_bytes});
    const std::string which =
        context.at_start ? fmt::format("buffers, {} from before the capture", bytes_text(context.at_start->dram))
                         : "buffers that are allocated in the report";
    picture.add_panel(1, {"DRAM of a bank: " + which, "bank", "dram", timeline.dram, banks.dram_bytes});
    return picture.finish();
}

}  // namespace tracelift::report
