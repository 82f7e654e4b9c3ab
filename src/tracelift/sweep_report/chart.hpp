// Charts as inline SVG. Colours are classes that the page's style sheet defines, so that they follow light and dark.
#pragma once

#include <string>
#include <vector>

namespace tracelift {

struct BarPart {
    double value = 0;
    std::string style;  // a class: "passed"
    std::string title;  // shown when pointed at
};
struct Bar {
    std::string label;
    std::string note;  // at its end
    std::vector<BarPart> parts;
};

// One row per bar, its parts one after the other; the longest takes the whole width.
std::string horizontal_bars(const std::vector<Bar>& bars);
// The same for long labels: each stands above its bar.
std::string captioned_bars(const std::vector<Bar>& bars);
// One column per bar, its label below and its note above.
std::string columns(const std::vector<Bar>& bars);
// A ring whose parts share it, with a text in the middle and a smaller one below.
std::string ring(const std::vector<BarPart>& parts, const std::string& text, const std::string& below);

}  // namespace tracelift
