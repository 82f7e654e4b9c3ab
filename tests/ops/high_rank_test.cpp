// Ranks above eight, where shapes are no longer held in place. Expectations are worked out here, index by index, from
// elements that are their own position in row-major order.
#include <functional>

#include <gtest/gtest.h>

#include "movement_support.hpp"
#include "ttnn/ops/creation/constant.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_predicates.hpp"
#include "ttnn/ops/reduction/reduction.hpp"

namespace ttnn::testing {
namespace {

using Index = std::vector<uint32_t>;

// What `element` gives for every index of `shape`, in row-major order.
std::vector<float> made(const Index& shape, const std::function<float(const Index&)>& element) {
    std::vector<float> values;
    Index index(shape.size(), 0);
    for (size_t dim = 1; dim != 0;) {
        values.push_back(element(index));
        for (dim = shape.size(); dim > 0 && ++index[dim - 1] == shape[dim - 1]; --dim) {
            index[dim - 1] = 0;
        }
    }
    return values;
}

// The position of an index, where dimensions of 1 are spread.
float position(const Index& shape, const Index& index) {
    uint32_t result = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
        result = result * shape[i] + (shape[i] == 1 ? 0 : index[i]);
    }
    return static_cast<float>(result);
}

std::vector<int64_t> ints(const Index& dims) { return {dims.begin(), dims.end()}; }

class HighRank : public ::testing::TestWithParam<std::tuple<Index, Layout>> {
protected:
    Tensor positions(const Index& dims) const {
        const TensorSpec spec(Shape(std::span<const uint32_t>(dims)), DataType::FLOAT32, layout_);
        Tensor tensor = Tensor::allocate_on_device(spec, device_);
        write<float>(tensor, made(dims, [&](const Index& index) { return position(dims, index); }));
        return tensor;
    }
    static Index dims_of(const Tensor& tensor) {
        return {tensor.logical_shape().begin(), tensor.logical_shape().end()};
    }

    const Index dims_ = std::get<0>(GetParam());
    const Layout layout_ = std::get<1>(GetParam());
    const size_t rank_ = dims_.size();
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

TEST_P(HighRank, TensorsAreMadeAndMoved) {
    const Shape shape{std::span<const uint32_t>(dims_)};
    const Tensor sevens = full(shape, 7.0, {.dtype = DataType::FLOAT32, .layout = layout_, .device = device_});
    EXPECT_EQ(dims_of(sevens), dims_);
    EXPECT_EQ(elements(sevens), std::vector<float>(shape.volume(), 7.0F));
    const Tensor input = positions(dims_);
    EXPECT_EQ(input.padded_shape().rank(), rank_);
    const Tensor moved = copy_to_device(copy_to_host(input), device_, l1_memory_config());
    EXPECT_EQ(dims_of(moved), dims_);
    EXPECT_EQ(elements(moved), elements(input));
    const Layout other = layout_ == Layout::TILE ? Layout::ROW_MAJOR : Layout::TILE;
    EXPECT_EQ(elements(to_layout(input, other)), elements(input));
    Shape longer = shape;
    longer.push_back(3);
    EXPECT_EQ(longer.rank(), rank_ + 1);
    EXPECT_EQ(longer[-1], 3U);
    EXPECT_EQ(longer[0], dims_[0]);
    EXPECT_EQ(unsqueeze(input, 1).logical_shape().rank(), rank_ + 1);
    EXPECT_EQ(elements(unsqueeze(input, 1)), elements(input));
}

TEST_P(HighRank, ReshapeKeepsTheOrder) {
    const Tensor input = positions(dims_);
    const Tensor flat = reshape(input, {-1, 4});
    EXPECT_EQ(elements(flat), elements(input));
    const Tensor back = reshape(flat, ints(dims_));
    EXPECT_EQ(dims_of(back), dims_);
    EXPECT_EQ(elements(back), elements(input));
    const Index turned(dims_.rbegin(), dims_.rend());
    const Tensor other = reshape(input, ints(turned));
    EXPECT_EQ(dims_of(other), turned);
    EXPECT_EQ(elements(other), elements(input));
}

TEST_P(HighRank, PermuteAndTransposeMoveDimensions) {
    const Tensor input = positions(dims_);
    std::vector<int64_t> order;
    for (size_t i = 0; i < rank_; ++i) {
        order.push_back(static_cast<int64_t>((i * 7 + 3) % rank_));  // 7 has no divisor in common with 9 or 10
    }
    Index target;
    for (const int64_t dim : order) {
        target.push_back(dims_[static_cast<size_t>(dim)]);
    }
    const Tensor permuted = permute(input, order);
    EXPECT_EQ(dims_of(permuted), target);
    EXPECT_EQ(elements(permuted), made(target, [&](const Index& index) {
                  Index source(rank_);
                  for (size_t i = 0; i < rank_; ++i) {
                      source[static_cast<size_t>(order[i])] = index[i];
                  }
                  return position(dims_, source);
              }));
    for (const auto& [a, b] : {std::pair<size_t, size_t>{0, rank_ - 1}, {rank_ - 2, rank_ - 1}, {2, 5}}) {
        Index exchanged = dims_;
        std::swap(exchanged[a], exchanged[b]);
        const Tensor result = transpose(input, static_cast<int64_t>(a), static_cast<int64_t>(b));
        EXPECT_EQ(dims_of(result), exchanged);
        EXPECT_EQ(elements(result), made(exchanged, [&](Index index) {
                      std::swap(index[a], index[b]);
                      return position(dims_, index);
                  }));
    }
}

TEST_P(HighRank, ElementwiseOperationsTakeAndSpreadThem) {
    const Tensor input = positions(dims_);
    std::vector<float> negative = elements(input);
    std::ranges::for_each(negative, [](float& value) { value = -value; });
    EXPECT_EQ(elements(neg(input)), negative);
    Index one_row(dims_);  // of the last five dimensions, which are those that are broadcast
    std::fill(one_row.end() - 5, one_row.end() - 1, 1);
    Index one_column(dims_);
    one_column.back() = 1;
    Index low(rank_, 1);  // with leading ones, so that the other may be a matrix
    std::copy(dims_.end() - 4, dims_.end(), low.end() - 4);
    const Index matrix(dims_.end() - 2, dims_.end());
    for (const auto& [shape, other] :
         {std::pair{dims_, dims_}, std::pair{dims_, one_row}, std::pair{dims_, one_column}, std::pair{low, matrix}}) {
        const Tensor result = add(positions(shape), positions(other));
        EXPECT_EQ(dims_of(result), shape);
        EXPECT_EQ(elements(result), made(shape, [&](const Index& index) {
                      return position(shape, index) +
                             position(other, Index(index.end() - std::ssize(other), index.end()));
                  }));
    }
}

TEST_P(HighRank, ReductionsTakeAnyDimension) {
    const Tensor input = positions(dims_);
    for (const std::vector<int64_t>& reduced :
         {std::vector<int64_t>{-1}, {0}, {-2}, {-2, -1}, {2, 4}, {0, static_cast<int64_t>(rank_) - 1}}) {
        Index kept = dims_;
        for (const int64_t dim : reduced) {
            kept[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank_) : dim)] = 1;
        }
        // Every element counts where its index goes when the reduced dimensions are left out.
        std::vector<float> sums(made(kept, [](const Index&) { return 0.0F; }));
        made(dims_, [&](const Index& index) {
            return sums[static_cast<size_t>(position(kept, index))] += position(dims_, index);
        });
        const Tensor result = sum(input, {.dim = IntOrList(reduced), .keepdim = true});
        EXPECT_EQ(dims_of(result), kept);
        EXPECT_EQ(elements(result), sums);
        EXPECT_EQ(sum(input, {.dim = IntOrList(reduced)}).logical_shape().rank(), rank_ - reduced.size());
        EXPECT_EQ(elements(max(input, {.dim = IntOrList(reduced)})).size(), sums.size());
    }
}

TEST_P(HighRank, ConcatAndSliceCutAnyDimension) {
    const Tensor input = positions(dims_);
    for (const size_t dim : {size_t{0}, size_t{3}, rank_ - 2, rank_ - 1}) {
        Index doubled = dims_;
        doubled[dim] *= 2;
        const Tensor joined = concat({input, input}, {.dim = static_cast<int64_t>(dim)});
        EXPECT_EQ(dims_of(joined), doubled);
        EXPECT_EQ(elements(joined), made(doubled, [&](Index index) {
                      index[dim] %= dims_[dim];
                      return position(dims_, index);
                  }));
        std::vector<int64_t> starts(rank_, 0);
        std::vector<int64_t> ends = ints(doubled);
        starts[dim] = 1;
        Index cut = doubled;
        --cut[dim];
        const Tensor part = slice(joined, starts, ends);
        EXPECT_EQ(dims_of(part), cut);
        EXPECT_EQ(elements(part), made(cut, [&](Index index) {
                      index[dim] = (index[dim] + 1) % dims_[dim];
                      return position(dims_, index);
                  }));
    }
}

INSTANTIATE_TEST_SUITE_P(AboveEight, HighRank,
                         ::testing::Combine(::testing::Values(Index{2, 1, 3, 1, 2, 1, 2, 5, 6},
                                                              Index{1, 2, 1, 3, 1, 2, 1, 2, 5, 6}),
                                            ::testing::Values(Layout::TILE, Layout::ROW_MAJOR)),
                         [](const auto& tested) {
                             return fmt::format("Rank{}{}", std::get<0>(tested.param).size(),
                                                std::get<1>(tested.param) == Layout::TILE ? "Tile" : "RowMajor");
                         });

}  // namespace
}  // namespace ttnn::testing
