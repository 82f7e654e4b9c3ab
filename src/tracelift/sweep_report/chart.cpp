#include "tracelift/sweep_report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include "tracelift/sweep_report/escape.hpp"

namespace tracelift {
namespace {

double sum(const std::vector<BarPart>& parts) {
    double total = 0;
    for (const BarPart& part : parts) {
        total += part.value;
    }
    return total;
}

double longest(const std::vector<Bar>& bars) {
    double most = 0;
    for (const Bar& bar : bars) {
        most = std::max(most, sum(bar.parts));
    }
    return most == 0 ? 1 : most;
}

void put_part(std::string& svg, const BarPart& part, double x, double y, double width, double height) {
    fmt::format_to(std::back_inserter(svg),
                   R"(<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}</title></rect>)",
                   markup_text(part.style), x, y, width, height, markup_text(part.title));
}

}  // namespace

std::string horizontal_bars(const std::vector<Bar>& bars) {
    constexpr double width = 640, row = 26, thick = 14, label = 210, note = 84;
    const double most = longest(bars), space = width - label - note;
    std::string svg = fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img">)", width,
                                  row * static_cast<double>(bars.size()));
    double y = 0;
    for (const Bar& bar : bars) {
        const double middle = y + row / 2;
        svg += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="end">{}<title>{}</title></text>)",
                           label - 10, middle + 4, markup_text(one_line(bar.label, 30)), markup_text(bar.label));
        svg += fmt::format(R"(<rect class="track" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" rx="4"/>)", label,
                           middle - thick / 2, space, thick);
        double x = label;
        for (const BarPart& part : bar.parts) {
            const double length = std::max(part.value / most * space, part.value > 0 ? 1.5 : 0);
            put_part(svg, part, x, middle - thick / 2, length, thick);
            x += length;
        }
        svg += fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", width, middle + 4,
                           markup_text(bar.note));
        y += row;
    }
    return svg + "</svg>";
}

std::string captioned_bars(const std::vector<Bar>& bars) {
    constexpr double width = 640, row = 36, thick = 9, note = 44;
    const double most = longest(bars), space = width - note;
    std::string svg = fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img">)", width,
                                  row * static_cast<double>(bars.size()));
    double y = 0;
    for (const Bar& bar : bars) {
        svg += fmt::format(R"(<text class="label" x="0" y="{:.1f}">{}<title>{}</title></text>)", y + 13,
                           markup_text(one_line(bar.label, 88)), markup_text(bar.label));
        svg += fmt::format(R"(<rect class="track" x="0" y="{:.1f}" width="{:.1f}" height="{}" rx="3"/>)", y + 19, space,
                           thick);
        double x = 0;
        for (const BarPart& part : bar.parts) {
            const double length = std::max(part.value / most * space, part.value > 0 ? 1.5 : 0);
            put_part(svg, part, x, y + 19, length, thick);
            x += length;
        }
        svg += fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", width, y + 28,
                           markup_text(bar.note));
        y += row;
    }
    return svg + "</svg>";
}

std::string columns(const std::vector<Bar>& bars) {
    constexpr double width = 640, height = 230, base = 190, top = 22, room_for_label = 50;
    const double most = longest(bars), step = width / static_cast<double>(std::max<size_t>(bars.size(), 1));
    const double thick = std::min(step * 0.72, 64.0);
    std::string svg = fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img">)", width, height);
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
        const double y = base - (base - top) * part;
        svg += fmt::format(R"(<line class="grid" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", width, y, y);
    }
    double middle = step / 2;
    bool lower = false;  // labels that do not fit beside each other stand on two lines
    for (const Bar& bar : bars) {
        double y = base;
        for (const BarPart& part : bar.parts) {
            const double size = std::max(part.value / most * (base - top), part.value > 0 ? 2.0 : 0);
            y -= size;
            put_part(svg, part, middle - thick / 2, y, thick, size);
        }
        svg += fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", middle, y - 6,
                           markup_text(bar.note));
        svg += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", middle,
                           base + (lower ? 31 : 18), markup_text(bar.label));
        lower = step < room_for_label && !lower;
        middle += step;
    }
    svg += fmt::format(R"(<line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>)", width, base, base);
    return svg + "</svg>";
}

std::string ring(const std::vector<BarPart>& parts, const std::string& text, const std::string& below) {
    constexpr double radius = 52;
    const double around = 2 * std::numbers::pi * radius, total = std::max(sum(parts), 1e-9);
    std::string svg =
        R"(<svg class="ring" viewBox="0 0 140 140" role="img"><circle class="track" cx="70" cy="70" r="52"/>)";
    double done = 0;
    for (const BarPart& part : parts) {
        const double length = part.value / total * around;
        if (length > 0) {
            svg += fmt::format(
                R"svg(<circle class="{}" cx="70" cy="70" r="{}" stroke-dasharray="{:.3f} {:.3f}" )svg"
                R"svg(stroke-dashoffset="{:.3f}" transform="rotate(-90 70 70)"><title>{}</title></circle>)svg",
                markup_text(part.style), radius, length, around - length, -done, markup_text(part.title));
        }
        done += length;
    }
    svg += fmt::format(R"(<text class="big" x="70" y="72" text-anchor="middle">{}</text>)", markup_text(text));
    svg += fmt::format(R"(<text class="note" x="70" y="90" text-anchor="middle">{}</text></svg>)", markup_text(below));
    return svg;
}

}  // namespace tracelift
