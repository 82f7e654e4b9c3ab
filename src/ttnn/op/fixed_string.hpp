// FixedString: text as a template argument, for families of operations that differ by their name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ttnn {

template <size_t N>
struct FixedString {
    char text[N]{};

    consteval FixedString(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor): Family<"ttnn.x">
        std::copy_n(literal, N, text);
    }
    constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace ttnn
