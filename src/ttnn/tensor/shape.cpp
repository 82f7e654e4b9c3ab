#include "ttnn/tensor/shape.hpp"

#include <algorithm>
#include <limits>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"

namespace ttnn {

Shape::Shape(std::span<const uint32_t> dims) : rank_(dims.size()) {
    if (rank_ > held) {
        more_.resize(rank_);
    }
    std::ranges::copy(dims, begin());
}

Shape Shape::filled(size_t rank, uint32_t value) {
    Shape shape;
    for (size_t i = 0; i < rank; ++i) {
        shape.push_back(value);
    }
    return shape;
}

Shape Shape::from_ints(std::span<const int64_t> dims) {
    Shape shape;
    for (int64_t dim : dims) {
        require(dim >= 0 && dim <= std::numeric_limits<uint32_t>::max(),
                "a dimension of a shape must be between 0 and 4294967295, got {}", dim);
        shape.push_back(static_cast<uint32_t>(dim));
    }
    return shape;
}

Shape Shape::to_rank(size_t rank) const {
    Shape result;
    if (rank >= rank_) {
        for (size_t i = rank_; i < rank; ++i) {
            result.push_back(1);
        }
        for (uint32_t dim : *this) {
            result.push_back(dim);
        }
        return result;
    }
    for (size_t i = 0; i < rank_; ++i) {
        if (i < rank_ - rank) {
            require(begin()[i] == 1, "cannot bring {} to rank {}: a leading dimension is {}, not 1", *this, rank,
                    begin()[i]);
        } else {
            result.push_back(begin()[i]);
        }
    }
    return result;
}

size_t Shape::normalize_dim(int64_t dim, std::string_view what) const {
    const auto rank = static_cast<int64_t>(rank_);
    require(dim >= -rank && dim < rank, "{} must be between {} and {} for {}, got {}", what, -rank, rank - 1, *this,
            dim);
    return static_cast<size_t>(dim < 0 ? dim + rank : dim);
}

void Shape::push_back(uint32_t dim) {
    if (rank_ == held) {
        more_.assign(dims_.begin(), dims_.end());
    }
    if (rank_ < held) {
        dims_[rank_] = dim;
    } else {
        more_.push_back(dim);
    }
    ++rank_;
}

bool Shape::operator==(const Shape& other) const { return std::ranges::equal(view(), other.view()); }

std::string Shape::to_string() const { return fmt::format("Shape([{}])", fmt::join(begin(), end(), ", ")); }

void Shape::throw_out_of_range(int64_t index) const {
    throw std::out_of_range(fmt::format("index {} is out of range for {}", index, to_string()));
}

Shape broadcast(const Shape& a, const Shape& b) {
    const size_t rank = std::max(a.rank(), b.rank());
    Shape result = Shape::filled(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        const uint32_t x = a.from_end(i);
        const uint32_t y = b.from_end(i);
        require(x == y || x == 1 || y == 1,
                "shapes {} and {} cannot be broadcast: dimension -{} is {} and {}, equal sizes or 1 are allowed", a, b,
                i + 1, x, y);
        result[static_cast<int64_t>(rank - 1 - i)] = x == 1 ? y : x;
    }
    return result;
}

}  // namespace ttnn
