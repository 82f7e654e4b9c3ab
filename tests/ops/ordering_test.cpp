// topk, sort, plus_one and the running sums against figures worked out by hand.
#include "ttnn/compute/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/index/cumulative.hpp"
#include "ttnn/ops/index/ema.hpp"
#include "ttnn/ops/index/plus_one.hpp"
#include "ttnn/ops/index/sort.hpp"
#include "ttnn/ops/index/topk.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;

class OrderingTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor made(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::BFLOAT16,
                Layout layout = Layout::TILE) const {
        return tensor(device, TensorSpec(shape, dtype, layout), values);
    }
    Tensor integers(const Shape& shape, const std::vector<uint32_t>& bits, DataType dtype,
                    Layout layout = Layout::ROW_MAJOR) const {
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, dtype, layout), device);
        write<uint32_t>(result, bits);
        return result;
    }
    static std::vector<uint32_t> bits_of(const Tensor& tensor) {
        const Dense<uint32_t> bits = read<uint32_t>(tensor);
        return {bits.begin(), bits.end()};
    }
};

TEST_F(OrderingTest, TopkTakesTheGreatestOfEveryRow) {
    const Tensor x = made({2, 5}, {3, -1, 7, 7, 0, -5, -2, -8, -2, -9});
    const auto best = topk(x, {.k = 3});
    ASSERT_EQ(best.size(), 2U);
    EXPECT_THAT(values_of(best[0]), ElementsAre(7, 7, 3, -2, -2, -5));
    EXPECT_THAT(values_of(best[1]), ElementsAre(2, 3, 0, 1, 3, 0));
    const auto least = topk(x, {.k = 2, .largest = false});
    EXPECT_THAT(values_of(least[0]), ElementsAre(-1, 0, -9, -8));
    EXPECT_THAT(values_of(least[1]), ElementsAre(1, 4, 4, 2));
    const auto columns = topk(x, {.k = 1, .dim = 0});
    EXPECT_EQ(columns[0].logical_shape(), Shape({1, 5}));
    EXPECT_THAT(values_of(columns[1]), ElementsAre(0, 0, 0, 0, 0));
}

// Infinities are elements like others: what the rows are padded with does not take their places.
TEST_F(OrderingTest, TopkOfInfinitiesNamesElements) {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto best = topk(made({1, 3}, {-infinity, -infinity, -infinity}), {.k = 3});
    EXPECT_THAT(values_of(best[0]), Each(-infinity));
    EXPECT_THAT(values_of(best[1]), ElementsAre(0, 1, 2));
    const auto first = topk(made({1, 3}, {1, std::nanf(""), infinity}), {.k = 2});
    EXPECT_THAT(values_of(first[1]), ElementsAre(1, 2));
}

// Results are whole tiles, which may be wider than the rows: nothing is read behind a row.
TEST_F(OrderingTest, RowsThatAreShorterThanTheResultEndInPadding) {
    const Tensor x = counting(device, {2, 70}, DataType::BFLOAT16, {}, 128);
    Tensor values = made({2, 96}, std::vector<float>(192, 9));
    Tensor places = integers({2, 96}, std::vector<uint32_t>(192, 9), DataType::UINT16, Layout::TILE);
    compute::order_rows(x, Tensor(), 70, true, values, places);
    const auto sorted = values_of(values);
    EXPECT_EQ(sorted[0], 69);
    EXPECT_EQ(sorted[69], 0);
    EXPECT_THAT(std::span(sorted).subspan(70, 26), Each(-std::numeric_limits<float>::infinity()));
    EXPECT_THAT(std::span(sorted).subspan(96 + 70), Each(-std::numeric_limits<float>::infinity()));
    EXPECT_EQ(sorted[96], 127);  // the second row holds 70 to 127 and 0 to 11

    const auto all = topk(x, {.k = 70});
    EXPECT_EQ(values_of(all[0])[69], 0);
    EXPECT_EQ(values_of(all[0])[70], 127);
}

TEST_F(OrderingTest, TopkOutputs) {
    const Tensor x = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16, l1_memory_config());
    const auto best = topk(x, {.k = 4});
    EXPECT_EQ(best[0].spec(), TensorSpec({1, 1, 32, 4}, DataType::BFLOAT16, Layout::TILE, l1_memory_config()));
    EXPECT_EQ(best[1].spec(), TensorSpec({1, 1, 32, 4}, DataType::UINT16, Layout::TILE, l1_memory_config()));
    EXPECT_EQ(topk(x, {.k = 4, .memory_config = MemoryConfig()})[1].memory_config(), MemoryConfig());
    // A row that has room for 65536 elements needs numbers that 16 bits do not hold.
    EXPECT_EQ(topk(counting(device, {1, 65504}), {.k = 1})[1].dtype(), DataType::UINT16);
    EXPECT_EQ(topk(counting(device, {1, 65505}), {.k = 1})[1].dtype(), DataType::UINT32);
    // The padding refill of unaligned block floats of rank 4 leaves BFLOAT16.
    EXPECT_EQ(topk(counting(device, {1, 1, 8, 64}, DataType::BFLOAT8_B), {.k = 2})[0].dtype(), DataType::BFLOAT16);
    EXPECT_EQ(topk(counting(device, {32, 64}, DataType::BFLOAT8_B), {.k = 2})[0].dtype(), DataType::BFLOAT8_B);
}

TEST_F(OrderingTest, TopkGivesTheNumbersThatStandForIndices) {
    const Tensor x = made({1, 4}, {1, 4, 2, 3});
    const Tensor numbers = integers({1, 4}, {100, 200, 300, 400}, DataType::UINT16, Layout::TILE);
    EXPECT_THAT(values_of(topk(x, {.k = 2, .indices_tensor = numbers})[1]), ElementsAre(200, 400));
}

TEST_F(OrderingTest, TopkWritesIntoGivenTensors) {
    const Tensor x = counting(device, {1, 1, 32, 64});
    const std::vector<Tensor> outputs{
        counting(device, {1, 1, 32, 32}),
        integers({1, 1, 32, 32}, std::vector<uint32_t>(1024, 9), DataType::UINT16, Layout::TILE)};
    const auto best = topk(x, {.output_tensor = outputs});
    EXPECT_EQ(best[0].buffer_address(), outputs[0].buffer_address());
    EXPECT_EQ(best[1].buffer_address(), outputs[1].buffer_address());
    EXPECT_EQ(values_of(outputs[0])[0], 7);
    EXPECT_EQ(values_of(outputs[1])[1], 15);
    EXPECT_THAT(error_of([&] { topk(x, {.k = 8, .output_tensor = outputs}); }), HasSubstr("argument 'output_tensor'"));
}

// 32 rows are one core's work: 2 tiles of values and indices, 4 and 4, 2 and 2, 1 and 1, of 2048 bytes each.
TEST_F(OrderingTest, TopkStepsAndBuffers) {
    const Tensor x = counting(device, {1, 1, 32, 64});
    const test::Recording recording;
    topk(x, {.k = 8});
    EXPECT_THAT(
        recording->names,
        ElementsAre("ttnn::topk", "ttnn::unsqueeze_to_4D", "ttnn::fill_implicit_tile_padding", "ttnn::prim::topk",
                    "Device Operation", "create_device_tensor", "create_device_tensor", "ttnn::slice",
                    "ttnn::prim::slice", "Device Operation", "create_device_tensor", "ttnn::reshape", "ttnn::slice",
                    "ttnn::prim::slice", "Device Operation", "create_device_tensor", "ttnn::reshape"));
    ASSERT_FALSE(recording->circular_buffer_bytes.empty());
    EXPECT_EQ(recording->circular_buffer_bytes[0], 18U * 2048U);
}

TEST_F(OrderingTest, TopkErrors) {
    EXPECT_THAT(error_of([&] {
                    topk(counting(device, {32, 64}), {.k = 65});
                }),
                HasSubstr("K cannot be larger than the dimension size!"));
    EXPECT_THAT(error_of([&] { topk(counting(device, {32, 64}), {.dim = 2}); }), HasSubstr("argument 'dim'"));
    EXPECT_THAT(error_of([&] { topk(counting(device, {32, 64}, DataType::FLOAT32)); }), HasSubstr("BFLOAT16"));
    EXPECT_THAT(error_of([&] {
                    topk(made({1, 4}, {1, 2, 3, 4}, DataType::BFLOAT16, Layout::ROW_MAJOR), {.k = 1});
                }),
                HasSubstr("TILE"));
}

TEST_F(OrderingTest, SortKeepsTheOrderOfEqualElements) {
    const Tensor x = made({2, 4}, {2, 1, 2, 0, 5, 5, -5, 6});
    const auto rising = sort(x);
    EXPECT_THAT(values_of(rising[0]), ElementsAre(0, 1, 2, 2, -5, 5, 5, 6));
    EXPECT_THAT(values_of(rising[1]), ElementsAre(3, 1, 0, 2, 2, 0, 1, 3));
    const auto falling = sort(x, {.descending = true});
    EXPECT_THAT(values_of(falling[1]), ElementsAre(0, 2, 1, 3, 3, 0, 1, 2));
    EXPECT_THAT(values_of(sort(x, {.dim = 0})[0]), ElementsAre(2, 1, -5, 0, 5, 5, 2, 6));
    EXPECT_EQ(rising[1].dtype(), DataType::UINT16);
    EXPECT_EQ(rising[1].layout(), Layout::TILE);
}

TEST_F(OrderingTest, SortOfUnsignedNumbersAndOneElement) {
    const Tensor x = integers({1, 3}, {65535, 0, 40000}, DataType::UINT16, Layout::TILE);
    EXPECT_THAT(values_of(sort(x)[0]), ElementsAre(0, 40000, 65535));
    EXPECT_THAT(values_of(sort(x, {.descending = true})[1]), ElementsAre(0, 2, 1));
    const auto one = sort(made({1}, {3}));
    EXPECT_THAT(values_of(one[0]), ElementsAre(3));
    EXPECT_THAT(values_of(one[1]), ElementsAre(0));
    EXPECT_THAT(error_of([&] { sort(made({1, 2}, {1, 2}, DataType::FLOAT32)); }), HasSubstr("BFLOAT16"));
}

// Rows of 96 are sorted as 128: 4 and 4 tiles, 4 and 4, 2 and 2 of 2048 bytes, and 1024 bytes to wait in.
TEST_F(OrderingTest, SortWorksOnPowersOfTwo) {
    const Tensor x = counting(device, {1, 1, 32, 96});
    const test::Recording recording;
    const auto sorted = sort(x);
    EXPECT_EQ(sorted[0].logical_shape(), Shape({1, 1, 32, 96}));
    const auto at = std::ranges::find(recording->names, "ttnn::prim::sort");
    ASSERT_NE(at, recording->names.end());
    EXPECT_NE(std::find(recording->names.begin(), at, "ttnn::pad"), at);
    EXPECT_THAT(recording->circular_buffer_bytes, ::testing::Contains(20U * 2048U + 1024U));
}

TEST_F(OrderingTest, PlusOneCountsUpInPlace) {
    const Tensor positions = integers({4}, {0, 5, 0xFFFFFFFF, 0x7FFFFFFF}, DataType::INT32);
    const Tensor result = plus_one(positions, {.skip_negative_entries = true});
    EXPECT_EQ(result.buffer_address(), positions.buffer_address());
    EXPECT_THAT(bits_of(positions), ElementsAre(1, 6, 0xFFFFFFFF, 0x7FFFFFFF));
    plus_one(positions);
    EXPECT_THAT(bits_of(positions), ElementsAre(2, 7, 0, 0x80000000));
    EXPECT_THAT(error_of([&] { plus_one(counting(device, {32, 32})); }), HasSubstr("INT32"));
    EXPECT_EQ(&experimental::plus_one, &plus_one);
}

TEST_F(OrderingTest, PlusOneTakesOneCoreAndNoNewBuffer) {
    const Tensor positions = integers({1, 9}, std::vector<uint32_t>(9, 3), DataType::UINT32);
    const test::Recording recording;
    plus_one(positions);
    EXPECT_THAT(recording->names, ElementsAre("ttnn::plus_one", "ttnn::prim::plus_one", "Device Operation"));
    EXPECT_THAT(recording->sizes, ElementsAre(64));  // 36 bytes, whole units of 32
}

TEST_F(OrderingTest, RunningSumsAndProducts) {
    const Tensor x = made({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_THAT(values_of(cumsum(x, 1)), ElementsAre(1, 3, 6, 4, 9, 15));
    EXPECT_THAT(values_of(cumsum(x, 0)), ElementsAre(1, 2, 3, 5, 7, 9));
    EXPECT_THAT(values_of(cumsum(x, -1, {.reverse_order = true})), ElementsAre(6, 5, 3, 15, 11, 6));
    EXPECT_THAT(values_of(cumprod(x, 1)), ElementsAre(1, 2, 6, 4, 20, 120));
    EXPECT_THAT(values_of(cumprod(x, 0, {.reverse_order = true})), ElementsAre(4, 10, 18, 4, 5, 6));
}

// 256 + 1 is no BFLOAT16 number: sums in the input's dtype are rounded, those in FLOAT32 are not.
TEST_F(OrderingTest, TheDtypeIsTakenBeforeTheSum) {
    const Tensor x = made({1, 2}, {256, 1});
    EXPECT_THAT(values_of(cumsum(x, 1)), ElementsAre(256, 256));
    const Tensor wide = cumsum(x, 1, {.dtype = DataType::FLOAT32});
    EXPECT_EQ(wide.dtype(), DataType::FLOAT32);
    EXPECT_THAT(values_of(wide), ElementsAre(256, 257));
    // 2.5 is 2 before anything is added.
    EXPECT_THAT(values_of(cumsum(made({1, 2}, {2.5, 2.5}), 1, {.dtype = DataType::INT32})), ElementsAre(2, 4));
}

TEST_F(OrderingTest, RunningSumsOfIntegersWrap) {
    const Tensor x = integers({1, 2}, {0x7FFFFFFF, 1}, DataType::INT32, Layout::TILE);
    EXPECT_THAT(bits_of(cumsum(x, 1)), ElementsAre(0x7FFFFFFF, 0x80000000));
}

TEST_F(OrderingTest, RunningSumsWriteIntoAGivenTensor) {
    for (const Shape& shape : {Shape({2, 1, 2, 2}), Shape({2, 2})}) {
        const Tensor x = counting(device, shape);
        const Tensor out = counting(device, shape);
        const Tensor result = cumsum(x, 0, {.out = out});
        EXPECT_EQ(result.buffer_address(), out.buffer_address());
        EXPECT_EQ(values_of(out).back(), values_of(x).back() + values_of(x)[shape.volume() / 2 - 1]);
    }
    EXPECT_THAT(error_of([&] {
                    cumsum(counting(device, {2, 2}), 0, {.out = counting(device, {2, 3})});
                }),
                HasSubstr("argument 'out'"));
    EXPECT_THAT(error_of([&] {
                    cumsum(counting(device, {2, 2}), 0, {.dtype = DataType::FLOAT32, .out = counting(device, {2, 2})});
                }),
                HasSubstr("must agree"));
}

// Dimensions of tiles change places with the first of four; leading ones are added up where they are.
TEST_F(OrderingTest, RunningSumsGoAlongLeadingDimensions) {
    const auto steps = [&](const Shape& shape, int64_t dim) {
        const test::Recording recording;
        cumsum(counting(device, shape), dim);
        EXPECT_THAT(recording->circular_buffer_bytes, ::testing::Contains(16U * 2048U));
        return std::ranges::count(recording->names, "ttnn::permute");
    };
    EXPECT_EQ(steps({3, 2, 32, 32}, 0), 0);
    EXPECT_EQ(steps({3, 2, 32, 32}, 3), 2);
    EXPECT_EQ(steps({32, 32}, 0), 2);
    EXPECT_EQ(steps({2, 3, 2, 32, 32}, 1), 0);
}

TEST_F(OrderingTest, MovingAverage) {
    const Tensor x = made({1, 1, 2, 3}, {8, 0, 4, 1, 1, 1});
    EXPECT_THAT(values_of(ema(x, 0.5)), ElementsAre(8, 4, 4, 1, 1, 1));
    EXPECT_THAT(values_of(ema(x, 0.75)), ElementsAre(8, 6, FloatEq(5.5), 1, 1, 1));
    EXPECT_THAT(error_of([&] { ema(made({2, 3}, {1, 2, 3, 4, 5, 6}), 0.5); }), HasSubstr("[1, B, C, T]"));
}

}  // namespace
}  // namespace ttnn
