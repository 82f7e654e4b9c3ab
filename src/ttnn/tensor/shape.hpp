// Shape: unsigned dimensions, any number of them; usual ones are held in place.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ttnn {

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<uint32_t> dims) : Shape(std::span<const uint32_t>(dims.begin(), dims.size())) {}
    explicit Shape(std::span<const uint32_t> dims);
    // A shape of `rank` dimensions, all `value`.
    static Shape filled(size_t rank, uint32_t value);
    // Checks that every entry is non-negative and fits.
    static Shape from_ints(std::span<const int64_t> dims);

    size_t rank() const { return rank_; }
    size_t size() const { return rank_; }
    bool empty() const { return rank_ == 0; }
    uint64_t volume() const {
        uint64_t product = 1;
        for (uint32_t dim : *this) {
            product *= dim;
        }
        return product;
    }

    // Negative indices count from the end; out of range throws.
    uint32_t operator[](int64_t index) const { return begin()[checked(index)]; }
    uint32_t& operator[](int64_t index) { return begin()[checked(index)]; }
    // Dimension counted from the end (0 = last), 1 where the rank is smaller.
    uint32_t from_end(size_t index) const { return index < rank_ ? begin()[rank_ - 1 - index] : 1; }

    const uint32_t* begin() const { return rank_ <= held ? dims_.data() : more_.data(); }
    const uint32_t* end() const { return begin() + rank_; }
    uint32_t* begin() { return rank_ <= held ? dims_.data() : more_.data(); }
    uint32_t* end() { return begin() + rank_; }
    std::span<const uint32_t> view() const { return {begin(), rank_}; }

    // Pads or strips leading ones; throws when a stripped dimension is not 1.
    Shape to_rank(size_t rank) const;
    // Resolves a possibly negative dimension; throws an Error that names `what` when out of range.
    size_t normalize_dim(int64_t dim, std::string_view what) const;
    void push_back(uint32_t dim);

    bool operator==(const Shape& other) const;

    // "Shape([1, 1, 32, 64])"
    std::string to_string() const;

private:
    size_t checked(int64_t index) const {
        const int64_t at = index < 0 ? index + static_cast<int64_t>(rank_) : index;
        if (at < 0 || at >= static_cast<int64_t>(rank_)) [[unlikely]] {
            throw_out_of_range(index);
        }
        return static_cast<size_t>(at);
    }
    [[noreturn]] void throw_out_of_range(int64_t index) const;

    static constexpr size_t held = 8;  // in place; beyond it all of them are in `more_`

    std::array<uint32_t, held> dims_{};
    std::vector<uint32_t> more_;
    size_t rank_ = 0;
};

// NumPy-style broadcast of two shapes; throws an Error naming both when they do not fit.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace ttnn

template <>
struct fmt::formatter<ttnn::Shape> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(const ttnn::Shape& shape, Context& context) const {
        return fmt::formatter<std::string_view>::format(shape.to_string(), context);
    }
};
