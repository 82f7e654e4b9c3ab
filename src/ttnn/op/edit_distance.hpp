// How many letters two names are apart; also while compiling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ttnn {

// How many letters have to be added, dropped or changed to get from one name to the other; two swapped neighbours are
// one mistake.
constexpr size_t edit_distance(std::string_view a, std::string_view b) {
    const size_t width = b.size() + 1;
    auto* rows = new size_t[3 * width]{};  // a vector could not be used while compiling
    size_t *before = rows, *last = rows + width, *row = last + width;
    for (size_t j = 0; j < width; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t* const free = before;
        before = last;
        last = row;
        row = free;
        row[0] = i;
        for (size_t j = 1; j < width; ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    const size_t distance = row[b.size()];
    delete[] rows;
    return distance;
}

}  // namespace ttnn
