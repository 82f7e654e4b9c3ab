// Lanes for vertical lines: lines in one lane do not touch as long as the lanes suffice.
#pragma once

#include <cstdint>
#include <span>

namespace ttnn::graph::svg {

struct Span {
    int top = 0;
    int bottom = 0;
    uint32_t lane = 0;
};

// Chooses every span's lane and returns the number of lanes, which is bounded: in a crowd, lines share lanes. Short
// lines get the inner lanes, where they cross few others.
uint32_t choose_lanes(std::span<Span> spans);

}  // namespace ttnn::graph::svg
