// Operations that pick, order and count elements, at every rank from 1 to 8 and where a dimension is 0. Expectations
// are plain loops over the lines of a tensor.
#include <algorithm>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/data_movement/repeat_interleave.hpp"
#include "ttnn/ops/data_movement/roll.hpp"
#include "ttnn/ops/data_movement/slice_write.hpp"
#include "ttnn/ops/eltwise/bcast.hpp"
#include "ttnn/ops/embedding/embedding.hpp"
#include "ttnn/ops/index/cumulative.hpp"
#include "ttnn/ops/index/gather.hpp"
#include "ttnn/ops/index/indexed_fill.hpp"
#include "ttnn/ops/index/plus_one.hpp"
#include "ttnn/ops/index/scatter.hpp"
#include "ttnn/ops/index/sort.hpp"
#include "ttnn/ops/index/topk.hpp"
#include "ttnn/ops/normalization/batch_norm.hpp"
#include "ttnn/ops/normalization/group_norm.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/reduction/argmax.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn {
namespace {

using test::values_of;
using Index = std::vector<uint32_t>;
using Numbers = std::vector<float>;

Shape shape_of(const Index& dims) { return Shape(std::span<const uint32_t>(dims)); }
size_t volume(const Index& dims) { return std::accumulate(dims.begin(), dims.end(), size_t{1}, std::multiplies<>()); }
Index with(Index dims, size_t dim, uint32_t size) {
    dims[dim] = size;
    return dims;
}

// A shape seen along one of its dimensions.
class Lines {
public:
    Lines(const Index& dims, size_t dim)
        : length_(dims[dim]),
          step_(volume(Index(dims.begin() + static_cast<std::ptrdiff_t>(dim) + 1, dims.end()))),
          count_(volume(with(dims, dim, 1))) {}
    size_t count() const { return count_; }
    size_t length() const { return length_; }
    size_t at(size_t line, size_t place) const { return (line / step_ * length_ + place) * step_ + line % step_; }

private:
    size_t length_;
    size_t step_;
    size_t count_;
};

// Where the element of a smaller shape stands in a larger one.
size_t position_in(const Index& larger, const Index& smaller, size_t element) {
    size_t position = 0;
    size_t step = 1;
    for (size_t i = larger.size(); i-- > 0;) {
        position += element % smaller[i] * step;
        element /= smaller[i];
        step *= larger[i];
    }
    return position;
}

std::string name_of(const Index& dims) {
    std::string name = "Of";
    for (const uint32_t dim : dims) {
        name += std::to_string(dim) + "x";
    }
    name.pop_back();
    return name;
}

class EdgeShapes : public ::testing::TestWithParam<Index> {
protected:
    Tensor made(const Index& dims, const Numbers& values, DataType dtype = DataType::BFLOAT16,
                Layout layout = Layout::TILE) const {
        return test::tensor(device_, TensorSpec(shape_of(dims), dtype, layout), values);
    }
    // Every number once, exact in BFLOAT16, in no order.
    Numbers distinct() const {
        Numbers values(volume(dims_));
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i * 37 % 251);
        }
        return values;
    }
    void expect(const Tensor& result, const Index& dims, const Numbers& values, size_t dim) const {
        EXPECT_EQ(result.logical_shape(), shape_of(dims)) << "along " << dim;
        EXPECT_EQ(values_of(result), values) << "along " << dim;
    }

    const Index dims_ = GetParam();
    const size_t rank_ = dims_.size();
    const Numbers values_ = distinct();
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

TEST_P(EdgeShapes, TopkAndSort) {
    const Tensor x = made(dims_, values_);
    for (size_t dim = 0; dim < rank_; ++dim) {
        const auto along = static_cast<int64_t>(dim);
        for (const bool down : {true, false}) {
            const uint32_t k = std::min(dims_[dim], 2U);
            const Lines from(dims_, dim);
            const Lines to(with(dims_, dim, k), dim);
            Numbers best(to.count() * k);
            Numbers best_places(best.size());
            Numbers sorted(values_.size());
            Numbers places(values_.size());
            for (size_t line = 0; line < from.count(); ++line) {
                std::vector<size_t> order(from.length());
                std::iota(order.begin(), order.end(), size_t{0});
                std::ranges::sort(order, [&](size_t a, size_t b) {
                    return down ? values_[from.at(line, a)] > values_[from.at(line, b)]
                                : values_[from.at(line, a)] < values_[from.at(line, b)];
                });
                for (size_t i = 0; i < order.size(); ++i) {
                    sorted[from.at(line, i)] = values_[from.at(line, order[i])];
                    places[from.at(line, i)] = static_cast<float>(order[i]);
                    if (i < k) {
                        best[to.at(line, i)] = values_[from.at(line, order[i])];
                        best_places[to.at(line, i)] = static_cast<float>(order[i]);
                    }
                }
            }
            const auto found = topk(x, {.k = k, .dim = along, .largest = down});
            expect(found[0], with(dims_, dim, k), best, dim);
            expect(found[1], with(dims_, dim, k), best_places, dim);
            EXPECT_EQ(found[1].dtype(), DataType::UINT16);
            const auto ordered = sort(x, {.dim = along, .descending = down});
            expect(ordered[0], dims_, sorted, dim);
            expect(ordered[1], dims_, places, dim);
            EXPECT_EQ(ordered[0].dtype(), DataType::BFLOAT16);
            EXPECT_EQ(ordered[1].dtype(), DataType::UINT16);
        }
    }
}

// With an index that is smaller than the input in every other dimension that allows it.
TEST_P(EdgeShapes, GatherAndScatter) {
    for (size_t dim = 0; dim < rank_; ++dim) {
        const auto along = static_cast<int64_t>(dim);
        Index part = dims_;
        for (size_t i = 0; i < rank_; ++i) {
            part[i] = i != dim && part[i] > 1 ? part[i] - 1 : part[i];
        }
        const Lines lines(part, dim);
        const Lines whole(dims_, dim);
        Numbers places(volume(part));
        Numbers picked(places.size());
        Numbers source(places.size());
        Numbers written = values_;
        Numbers added = values_;
        for (size_t i = 0; i < places.size(); ++i) {
            // The place along the dimension, turned round.
            const size_t at = i / volume(Index(part.begin() + along + 1, part.end())) % part[dim];
            places[i] = static_cast<float>(dims_[dim] - 1 - at);
            source[i] = static_cast<float>(i % 5 + 1);
            const size_t here = position_in(dims_, part, i);
            const size_t step = volume(Index(dims_.begin() + along + 1, dims_.end()));
            const size_t target = here - at * step + static_cast<size_t>(places[i]) * step;
            picked[i] = values_[target];
            written[target] = source[i];
            added[target] += source[i];
        }
        const Tensor x = made(dims_, values_, DataType::FLOAT32);
        expect(gather(x, along, made(part, places, DataType::UINT32)), part, picked, dim);
        const Tensor rows = made(dims_, values_, DataType::FLOAT32, Layout::ROW_MAJOR);
        const Tensor index = made(part, places, DataType::UINT32, Layout::ROW_MAJOR);
        const Tensor given = made(part, source, DataType::FLOAT32, Layout::ROW_MAJOR);
        expect(scatter(rows, along, index, given), dims_, written, dim);
        expect(scatter_add(rows, along, index, given), dims_, added, dim);
    }
}

TEST_P(EdgeShapes, RunningSumsAndProducts) {
    Numbers factors(values_.size());
    for (size_t i = 0; i < factors.size(); ++i) {
        factors[i] = i % 3 == 0 ? -2.0F : 0.5F;
    }
    for (size_t dim = 0; dim < rank_; ++dim) {
        const Lines lines(dims_, dim);
        Numbers sums = values_;
        Numbers products = factors;
        for (size_t line = 0; line < lines.count(); ++line) {
            for (size_t i = 1; i < lines.length(); ++i) {
                sums[lines.at(line, i)] += sums[lines.at(line, i - 1)];
                products[lines.at(line, i)] *= products[lines.at(line, i - 1)];
            }
        }
        const auto along = static_cast<int64_t>(dim);
        expect(cumsum(made(dims_, values_, DataType::FLOAT32), along), dims_, sums, dim);
        expect(cumprod(made(dims_, factors, DataType::FLOAT32), along), dims_, products, dim);
    }
}

TEST_P(EdgeShapes, Argmax) {
    const Tensor x = made(dims_, values_, DataType::FLOAT32, Layout::ROW_MAJOR);
    if (dims_.back() != 0) {
        const Lines lines(dims_, rank_ - 1);
        Numbers best(lines.count());
        for (size_t line = 0; line < lines.count(); ++line) {
            for (size_t i = 1; i < lines.length(); ++i) {
                const auto held = static_cast<size_t>(best[line]);
                best[line] =
                    values_[lines.at(line, i)] > values_[lines.at(line, held)] ? static_cast<float>(i) : best[line];
            }
        }
        expect(argmax(x, {.dim = -1}), Index(dims_.begin(), dims_.end() - 1), best, rank_ - 1);
        expect(argmax(x, {.dim = -1, .keepdim = true}), with(dims_, rank_ - 1, 1), best, rank_ - 1);
    }
    if (!values_.empty()) {
        const auto best = std::ranges::max_element(values_) - values_.begin();
        expect(argmax(x), {}, {static_cast<float>(best)}, 0);
    }
}

TEST_P(EdgeShapes, RepeatInterleave) {
    for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
        const Tensor x = made(dims_, values_, DataType::BFLOAT16, layout);
        for (size_t dim = 0; dim < rank_; ++dim) {
            const Index longer = with(dims_, dim, dims_[dim] * 3);
            const Lines from(dims_, dim);
            const Lines to(longer, dim);
            Numbers expected(volume(longer));
            for (size_t line = 0; line < to.count(); ++line) {
                for (size_t i = 0; i < to.length(); ++i) {
                    expected[to.at(line, i)] = values_[from.at(line, i / 3)];
                }
            }
            expect(repeat_interleave(x, 3, static_cast<int64_t>(dim)), longer, expected, dim);
        }
    }
}

TEST_P(EdgeShapes, IndexFill) {
    const Tensor x = made(dims_, values_, DataType::BFLOAT16, Layout::ROW_MAJOR);
    for (size_t dim = 0; dim < rank_; ++dim) {
        if (dims_[dim] == 0) {
            continue;  // there is no slice to name
        }
        const Lines lines(dims_, dim);
        Numbers expected = values_;
        for (size_t line = 0; line < lines.count(); ++line) {
            expected[lines.at(line, dims_[dim] - 1)] = 0.5F;
        }
        const auto last = static_cast<float>(dims_[dim] - 1);
        const auto along = static_cast<int64_t>(dim);
        expect(index_fill(x, along, made({1}, {last}, DataType::UINT32, Layout::ROW_MAJOR), Scalar(0.5)), dims_,
               expected, dim);
        expect(index_fill(x, along, made({0}, {}, DataType::UINT32, Layout::ROW_MAJOR), Scalar(0.5)), dims_, values_,
               dim);
    }
}

TEST_P(EdgeShapes, PlusOne) {
    Numbers expected = values_;
    std::ranges::for_each(expected, [](float& value) { value += 1; });
    const Tensor x = made(dims_, values_, DataType::INT32, Layout::ROW_MAJOR);
    if (rank_ > 4) {
        EXPECT_NE(test::error_of([&] { plus_one(x); }), "");
        return;
    }
    expect(plus_one(x), dims_, expected, 0);
    expect(x, dims_, expected, 0);
}

TEST_P(EdgeShapes, Embedding) {
    const Tensor table = made({3, 2}, {0, 1, 10, 11, 20, 21}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    Numbers ids = values_;
    std::ranges::for_each(ids, [](float& id) { id = static_cast<float>(static_cast<int>(id) % 3); });
    Index expected_dims = dims_;
    expected_dims.push_back(2);
    const Tensor held = made(dims_, ids, DataType::UINT32, Layout::ROW_MAJOR);
    if (rank_ > 4 || (rank_ == 4 && (dims_[1] != 1 || dims_[2] != 1))) {
        EXPECT_THAT(test::error_of([&] { embedding(held, table); }), ::testing::HasSubstr("a rank of 1 to 3 or"));
        return;
    }
    if (rank_ == 4) {  // rows of ids come out with three dimensions
        expected_dims = {dims_[0], dims_[3], 2};
    }
    Numbers expected;
    for (const float id : ids) {
        expected.push_back(10 * id);
        expected.push_back(10 * id + 1);
    }
    expect(embedding(held, table), expected_dims, expected, 0);
}

TEST_P(EdgeShapes, Roll) {
    const Tensor x = made(dims_, values_);
    for (size_t dim = 0; dim < rank_; ++dim) {
        const Lines lines(dims_, dim);
        Numbers expected(values_.size());
        for (size_t line = 0; line < lines.count(); ++line) {
            for (size_t i = 0; i < lines.length(); ++i) {
                expected[lines.at(line, (i + 1) % lines.length())] = values_[lines.at(line, i)];
            }
        }
        const auto along = static_cast<int64_t>(dim);
        expect(roll(x, IntOrList(int64_t{1}), {.dim = IntOrList(along)}), dims_, expected, dim);
    }
    Numbers flat = values_;
    if (!flat.empty()) {
        std::ranges::rotate(flat, flat.end() - 1);
    }
    expect(roll(x, IntOrList(int64_t{1})), dims_, flat, 0);
}

TEST_P(EdgeShapes, Softmax) {
    const Tensor x = made(dims_, Numbers(values_.size(), 2.0F), DataType::FLOAT32);
    for (size_t dim = 0; dim < rank_; ++dim) {
        const Tensor result = softmax(x, {.dim = static_cast<int64_t>(dim)});
        EXPECT_EQ(result.logical_shape(), shape_of(dims_));
        const float part = 1.0F / static_cast<float>(std::max(dims_[dim], 1U));
        EXPECT_THAT(values_of(result), ::testing::Each(::testing::FloatNear(part, 1e-5F)));
    }
    if (rank_ > 4) {
        return;  // in place only up to four
    }
    const Tensor held = made(dims_, Numbers(values_.size(), 2.0F));
    EXPECT_EQ(softmax_in_place(held).buffer_address(), held.buffer_address());
}

TEST_P(EdgeShapes, Bcast) {
    if (rank_ < 2) {
        GTEST_SKIP() << "of matrices";
    }
    const Tensor x = made(dims_, values_, DataType::FLOAT32);
    const uint32_t width = dims_.back();
    Numbers row(width);
    std::iota(row.begin(), row.end(), 0.0F);
    Numbers expected = values_;
    for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] += row[i % width];
    }
    expect(bcast(x, made({1, width}, row, DataType::FLOAT32), BcastOpMath::ADD, BcastOpDim::H), dims_, expected, 0);
    expect(bcast(x, made({1, 1}, {0}, DataType::FLOAT32), BcastOpMath::ADD, BcastOpDim::HW), dims_, values_, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, EdgeShapes,
                         ::testing::Values(Index{1}, Index{7}, Index{3, 5}, Index{2, 3, 5}, Index{2, 1, 1, 6},
                                           Index{2, 3, 4, 5}, Index{2, 3, 2, 3, 5}, Index{3, 1, 2, 2, 3, 4},
                                           Index{2, 3, 1, 2, 1, 3, 4}, Index{2, 1, 2, 3, 2, 1, 2, 3}),
                         [](const auto& tested) { return name_of(tested.param); });
INSTANTIATE_TEST_SUITE_P(Empty, EdgeShapes,
                         ::testing::Values(Index{0}, Index{0, 4}, Index{3, 0}, Index{0, 3, 4}, Index{2, 0, 4},
                                           Index{2, 3, 0}, Index{0, 1, 1, 4}, Index{2, 1, 0, 4}, Index{2, 3, 4, 0},
                                           Index{0, 2, 3, 4, 5}, Index{2, 2, 0, 4, 5}, Index{2, 2, 3, 4, 0},
                                           Index{2, 1, 0, 2, 1, 3, 2, 2}),
                         [](const auto& tested) { return name_of(tested.param); });

class SmallestShapes : public ::testing::Test {
protected:
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});

    Tensor made(const Shape& shape, const Numbers& values, DataType dtype = DataType::BFLOAT16,
                Layout layout = Layout::TILE) const {
        return test::tensor(device_, TensorSpec(shape, dtype, layout), values);
    }
};

// Without dimensions there is one number.
TEST_F(SmallestShapes, RankZeroIsOneNumber) {
    const Tensor x = made(Shape{}, {3});
    const auto sorted = sort(x, {.memory_config = l1_memory_config()});
    EXPECT_THAT(values_of(sorted[0]), ::testing::ElementsAre(3));
    EXPECT_THAT(values_of(sorted[1]), ::testing::ElementsAre(0));
    EXPECT_EQ(sorted[1].dtype(), DataType::UINT16);
    EXPECT_NE(sorted[0].buffer_address(), x.buffer_address());
    EXPECT_EQ(sorted[0].memory_config(), l1_memory_config());
    const Tensor gathered = gather(x, 0, made(Shape{}, {0}, DataType::UINT16), {.memory_config = l1_memory_config()});
    EXPECT_THAT(values_of(gathered), ::testing::ElementsAre(3));
    EXPECT_EQ(gathered.memory_config(), l1_memory_config());
    EXPECT_THAT(values_of(cumsum(x, 0)), ::testing::ElementsAre(3));
    const Argmax::Params params{.input_tensor = made(Shape{}, {3}, DataType::FLOAT32, Layout::ROW_MAJOR), .dim = -1};
    EXPECT_THAT(values_of(argmax(params.input_tensor, {.dim = -1})), ::testing::ElementsAre(0));
    EXPECT_EQ(find_operation(Argmax::name)->reference(&params)[0].values[0], 0);
}

// Nothing to write: the result is a tensor of its own all the same.
TEST_F(SmallestShapes, ScatterOfNothingIsACopy) {
    const Tensor x = made({2, 3}, {1, 2, 3, 4, 5, 6}, DataType::FLOAT32, Layout::ROW_MAJOR);
    const Tensor none = made({2, 0}, {}, DataType::UINT32, Layout::ROW_MAJOR);
    const Tensor result = scatter(x, 1, none, made({2, 3}, Numbers(6, 9), DataType::FLOAT32, Layout::ROW_MAJOR),
                                  {.memory_config = l1_memory_config()});
    EXPECT_EQ(values_of(result), values_of(x));
    EXPECT_NE(result.buffer_address(), x.buffer_address());
    EXPECT_EQ(result.memory_config(), l1_memory_config());
}

TEST_F(SmallestShapes, EmptyBoxesLeaveTheTargetAlone) {
    const Tensor target = made({1, 3, 2, 4}, Numbers(24, 7), DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor part = made({1, 0, 2, 4}, {}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor result = experimental::slice_write(part, target, {0, 1, 0, 0}, {1, 1, 2, 4}, {1, 1, 1, 1});
    EXPECT_EQ(result.buffer_address(), target.buffer_address());
    EXPECT_THAT(values_of(target), ::testing::Each(7));
}

TEST_F(SmallestShapes, NormsOfNothingAreNothing) {
    for (const Shape& shape : {Shape{0, 1, 32, 32}, Shape{2, 1, 0, 32}}) {
        const Tensor grouped = group_norm(made(shape, {}), {.num_groups = 1, .inplace = false});
        EXPECT_EQ(grouped.logical_shape(), shape);
    }
    for (const Shape& shape : {Shape{0, 2, 32, 32}, Shape{2, 0, 32, 32}, Shape{2, 2, 32, 0}}) {
        EXPECT_EQ(batch_norm(made(shape, {}), {.training = true}).logical_shape(), shape);
    }
}

TEST_F(SmallestShapes, BcastHasSomethingToSpread) {
    EXPECT_THAT(test::error_of([&] {
                    bcast(made({2, 3}, Numbers(6, 1)), made({1, 0}, {}), BcastOpMath::ADD, BcastOpDim::HW);
                }),
                ::testing::HasSubstr("argument 'input_b'"));
}

}  // namespace
}  // namespace ttnn
