// Where the points of a grid lie in an image.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "ttnn/core/error.hpp"

namespace ttnn::pool {

// The four pixels around a point: the upper left one and the weights of all, row by row.
struct Corner {
    int64_t y = 0;
    int64_t x = 0;
    std::array<double, 4> weights{};
};

struct GridRules {
    int64_t height = 1;
    int64_t width = 1;
    bool nearest = false;
    bool align_corners = false;

    double place(double at, int64_t size) const {
        return align_corners ? (at + 1.0) * 0.5 * static_cast<double>(size - 1)
                             : ((at + 1.0) * static_cast<double>(size) - 1.0) * 0.5;
    }
    // Points this far out have no pixel around them, and their coordinates still fit 16 bits.
    static double near(double place, int64_t size) {
        return std::isnan(place) ? -2.0 : std::clamp(place, -2.0, static_cast<double>(size) + 1.0);
    }
    Corner corner(double x_at, double y_at) const {
        const double x = near(place(x_at, width), width);
        const double y = near(place(y_at, height), height);
        if (nearest) {
            return {static_cast<int64_t>(std::nearbyint(y)), static_cast<int64_t>(std::nearbyint(x)), {1, 0, 0, 0}};
        }
        const double row = std::floor(y);
        const double column = std::floor(x);
        const double down = y - row;
        const double right = x - column;
        return {static_cast<int64_t>(row),
                static_cast<int64_t>(column),
                {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right}};
    }
    // The same with the upper left pixel inside of the image, and no weights outside: nothing is negative, so that the
    // coordinates can stand in the bits of numbers.
    Corner corner_inside(double x_at, double y_at) const {
        Corner result = corner(x_at, y_at);
        auto& weights = result.weights;
        for (size_t i = 0; i < weights.size(); ++i) {
            const auto down = static_cast<int64_t>(i / 2);
            const auto right = static_cast<int64_t>(i % 2);
            weights.at(i) = inside(result.y + down, result.x + right) ? weights.at(i) : 0.0;
        }
        if (result.y < 0) {
            weights = {weights[2], weights[3], 0, 0};
        }
        if (result.x < 0) {
            weights = {weights[1], 0, weights[3], 0};
        }
        result.y = std::clamp<int64_t>(result.y, 0, height - 1);
        result.x = std::clamp<int64_t>(result.x, 0, width - 1);
        return result;
    }
    bool inside(int64_t y, int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }
};

inline GridRules rules_of(std::string_view mode, bool align_corners, int64_t height, int64_t width) {
    return {height, width, mode == "nearest", align_corners};
}

inline void check_modes(std::string_view op, std::string_view mode, std::string_view padding_mode) {
    require(mode == "bilinear" || mode == "nearest",
            "{}: argument 'mode' must be \"bilinear\" or \"nearest\", got \"{}\"", op, mode);
    require(padding_mode == "zeros", "{}: argument 'padding_mode' must be \"zeros\", got \"{}\"", op, padding_mode);
}

}  // namespace ttnn::pool
