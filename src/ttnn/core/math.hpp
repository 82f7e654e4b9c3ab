// Integer helpers that shapes, pages and work splits share.
#pragma once

#include <cstdint>

namespace ttnn {

template <class T>
constexpr T div_up(T value, T divisor) {
    return (value + divisor - 1) / divisor;
}

template <class T>
constexpr T round_up(T value, T multiple) {
    return multiple == 0 ? value : div_up(value, multiple) * multiple;
}

}  // namespace ttnn
