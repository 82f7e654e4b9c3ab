#include "ttnn/ops/reduction/reduction.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/reduction/argmax.hpp"
#include "ttnn/ops/reduction/prod.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsNan;

class ReductionTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor f32(const Shape& shape, const std::vector<float>& values, Layout layout = Layout::TILE) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, layout), values);
    }
    IntOrList dims(std::vector<int64_t> list) const { return IntOrList(std::move(list)); }
};

TEST_F(ReductionTest, ReducesByHand) {
    const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 9});
    EXPECT_THAT(values_of(sum(x, {.dim = IntOrList(1)})), ElementsAre(6, 18));
    EXPECT_THAT(values_of(mean(x, {.dim = IntOrList(1)})), ElementsAre(2, 6));
    EXPECT_THAT(values_of(max(x, {.dim = IntOrList(0)})), ElementsAre(4, 5, 9));
    EXPECT_THAT(values_of(min(x)), ElementsAre(1));
    EXPECT_THAT(values_of(var(x, {.dim = IntOrList(1)})), ElementsAre(FloatEq(1), FloatEq(7)));
    EXPECT_THAT(values_of(var(x, {.dim = IntOrList(1), .correction = false})),
                ElementsAre(FloatEq(2.0F / 3), FloatEq(14.0F / 3)));
    EXPECT_THAT(values_of(ttnn::std(x, {.dim = IntOrList(1)})), ElementsAre(FloatEq(1), FloatEq(std::sqrt(7.0F))));
    EXPECT_THAT(values_of(sum(x, {.dim = IntOrList(-1), .scalar = 0.5})), ElementsAre(3, 9));
}

TEST_F(ReductionTest, ShapesFollowKeepdim) {
    const Tensor x = counting(device, {2, 3, 32, 64});
    EXPECT_EQ(sum(x, {.dim = IntOrList(-1)}).logical_shape(), Shape({2, 3, 32}));
    EXPECT_EQ(sum(x, {.dim = IntOrList(-1), .keepdim = true}).logical_shape(), Shape({2, 3, 32, 1}));
    EXPECT_EQ(sum(x, {.dim = dims({0, 2})}).logical_shape(), Shape({3, 64}));
    EXPECT_EQ(sum(x).logical_shape(), Shape({}));
    EXPECT_EQ(sum(x, {.dim = dims({}), .keepdim = true}).logical_shape(), Shape({1, 1, 1, 1}));
    EXPECT_NE(error_of([&] { sum(x, {.dim = IntOrList(4)}); }), "");
}

TEST_F(ReductionTest, OutputIsTiledInTheInputsMemory) {
    const Tensor x = f32({32, 64}, std::vector<float>(32 * 64, 1), Layout::ROW_MAJOR);
    EXPECT_EQ(sum(x, {.dim = IntOrList(1)}).layout(), Layout::TILE);
    const Tensor l1 = counting(device, {64, 64}, DataType::BFLOAT16, l1_memory_config());
    EXPECT_EQ(mean(l1, {.dim = IntOrList(1)}).memory_config(), l1_memory_config());
    const Tensor shards =
        counting(device, {128, 64}, DataType::BFLOAT16, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {32, 64}));
    const Tensor result = max(shards, {.dim = IntOrList(1), .keepdim = true});
    EXPECT_EQ(result.memory_config().memory_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
    EXPECT_EQ(result.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{32, 32}));
    EXPECT_THAT(values_of(result), Each(7));
}

// The padding refill of unaligned block floats of rank 4 leaves BFLOAT16.
TEST_F(ReductionTest, UnalignedBlockFloatsOfRankFourBecomeBfloat16) {
    const auto result = [&](const Shape& shape) {
        return sum(counting(device, shape, DataType::BFLOAT8_B), {.dim = IntOrList(-1)}).dtype();
    };
    EXPECT_EQ(result({1, 1, 33, 64}), DataType::BFLOAT16);
    EXPECT_EQ(result({1, 1, 32, 64}), DataType::BFLOAT8_B);
    EXPECT_EQ(result({1, 33, 64}), DataType::BFLOAT8_B);
}

// 257 ones in each of three rows: 257 is not a bfloat16 number and becomes 256, so that two steps give 768 and one
// gives 772.
TEST_F(ReductionTest, SeparateDimensionsAreRoundedInBetween) {
    const auto ones = [&](const Shape& shape) {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, Layout::TILE),
                      std::vector<float>(shape.volume(), 1));
    };
    EXPECT_THAT(values_of(sum(ones({3, 32, 257}), {.dim = dims({0, 2})})), Each(768));
    EXPECT_THAT(values_of(sum(ones({1, 3, 257}), {.dim = dims({1, 2})})), Each(772));
}

TEST_F(ReductionTest, IntegersStayExact) {
    Tensor x = Tensor::allocate_on_device(TensorSpec({1, 3}, DataType::INT32, Layout::TILE), device);
    const std::vector<uint32_t> bits{16777217, 1, static_cast<uint32_t>(-5)};
    write<uint32_t>(x, bits);
    const auto only = [](const Tensor& result) { return static_cast<int32_t>(read<uint32_t>(result)[0]); };
    EXPECT_EQ(only(sum(x)), 16777213);
    EXPECT_EQ(only(max(x)), 16777217);
    EXPECT_EQ(only(min(x)), -5);
    EXPECT_THAT(error_of([&] { mean(x); }), HasSubstr("floating dtype"));
}

TEST_F(ReductionTest, EmptyTensors) {
    const Tensor x = f32({2, 0}, {});
    EXPECT_THAT(values_of(sum(x, {.dim = IntOrList(1)})), ElementsAre(0, 0));
    EXPECT_THAT(values_of(mean(x, {.dim = IntOrList(1)})), Each(IsNan()));
    EXPECT_THAT(values_of(var(x, {.dim = IntOrList(1)})), Each(IsNan()));
    EXPECT_THAT(error_of([&] { max(x, {.dim = IntOrList(1)}); }), HasSubstr("has no elements"));
    EXPECT_EQ(max(x, {.dim = IntOrList(0)}).logical_shape(), Shape({0}));
}

TEST_F(ReductionTest, OneLaunchPerDimension) {
    const Tensor x = counting(device, {2, 3, 32, 64});
    const auto launches = [&](std::vector<int64_t> list) {
        const test::Recording recording;
        sum(x, {.dim = dims(std::move(list)), .keepdim = true});
        EXPECT_THAT(recording->circular_buffer_bytes, Each(10240));
        return std::ranges::count(recording->names, "ttnn::prim::reduce");
    };
    EXPECT_EQ(launches({0, 3}), 2);
    EXPECT_EQ(launches({2, 3}), 1);
}

TEST_F(ReductionTest, StepsNestAsTracesShowThem) {
    const Tensor x = counting(device, {1, 1, 32, 64});
    const test::Recording recording;
    mean(x, {.dim = IntOrList(-1), .keepdim = true});
    EXPECT_THAT(recording->names, ElementsAre("ttnn::mean", "ttnn::fill_implicit_tile_padding", "ttnn::reshape",
                                              "ttnn::tilize_with_val_padding", "ttnn::prim::reduce", "Device Operation",
                                              "create_device_tensor", "ttnn::reshape"));
}

TEST_F(ReductionTest, ArgmaxGivesRowMajorUint32) {
    const Tensor x = f32({2, 4}, {1, 7, 7, 0, -3, -1, -2, -1}, Layout::ROW_MAJOR);
    const Tensor last = argmax(x, {.dim = -1});
    EXPECT_EQ(last.dtype(), DataType::UINT32);
    EXPECT_EQ(last.layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(values_of(last), ElementsAre(1, 1));
    EXPECT_THAT(values_of(argmax(x)), ElementsAre(1));
    EXPECT_EQ(argmax(x).logical_shape(), Shape({}));
    EXPECT_EQ(argmax(x, {.keepdim = true}).logical_shape(), Shape({1, 1}));
    EXPECT_THAT(error_of([&] { argmax(x, {.dim = 0}); }), HasSubstr("must be the last dimension"));
    EXPECT_THAT(error_of([&] { argmax(counting(device, {32, 32})); }), HasSubstr("needs argument 'dim'"));
}

TEST_F(ReductionTest, ArgmaxOfTilesNeedsNoWholeTiles) {
    // Every row counts 0 to 7, so the first 7 is the greatest; padding must not win over negative numbers.
    EXPECT_THAT(values_of(argmax(counting(device, {3, 40}), {.dim = 1})), ElementsAre(7, 7, 7));
    EXPECT_THAT(values_of(argmax(counting(device, {5}), {.dim = 0})), ElementsAre(4));
    const Tensor negative =
        tensor(device, TensorSpec({2, 3}, DataType::BFLOAT16, Layout::TILE), {-3, -1, -2, -1, -2, -3});
    EXPECT_THAT(values_of(argmax(negative, {.dim = -1})), ElementsAre(1, 0));
}

TEST_F(ReductionTest, ArgmaxOfNothingIsRefused) {
    const auto empty = [&](const Shape& shape) {
        return Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::ROW_MAJOR), device);
    };
    EXPECT_THAT(error_of([&] { argmax(empty({2, 0}), {.dim = 1}); }), HasSubstr("has size 0"));
    EXPECT_THAT(error_of([&] { argmax(empty({0, 3})); }), HasSubstr("has size 0"));
    EXPECT_EQ(argmax(empty({0, 3}), {.dim = 1}).logical_shape(), Shape({0}));
}

TEST_F(ReductionTest, ProdOfEverythingHasRankZero) {
    const Tensor x = tensor(device, TensorSpec({2, 3}, DataType::BFLOAT16, Layout::TILE), {1, 2, 3, 4, 0.5, 2});
    const Tensor all = prod(x);
    EXPECT_EQ(all.logical_shape(), Shape({}));
    EXPECT_THAT(values_of(all), ElementsAre(24));
    const Tensor line = tensor(device, TensorSpec({3}, DataType::BFLOAT16, Layout::TILE), {2, 3, 4});
    EXPECT_EQ(prod(line, {.dim = 0}).logical_shape(), Shape({}));
    EXPECT_THAT(values_of(prod(line, {.dim = 0})), ElementsAre(24));
    EXPECT_EQ(prod(line, {.dim = 0, .keepdim = true}).logical_shape(), Shape({1}));
    EXPECT_EQ(prod(x, {.keepdim = true}).logical_shape(), Shape({1, 1}));
    EXPECT_THAT(values_of(prod(x, {.dim = 0})), ElementsAre(4, 1, 6));
    EXPECT_THAT(error_of([&] { prod(f32({2}, {1, 2})); }), HasSubstr("BFLOAT16"));
}

TEST_F(ReductionTest, ProdWritesIntoAGivenTensor) {
    const Tensor x = counting(device, {2, 2, 32, 32}, DataType::BFLOAT16, {}, 4);
    const Tensor output = counting(device, {1, 2, 32, 32});
    const Tensor result = prod(x, output, ProdInto::Params{.dims = {0}});
    EXPECT_EQ(result.buffer_address(), output.buffer_address());
    EXPECT_EQ(values_of(output)[3], 9);
    EXPECT_THAT(error_of([&] { prod(x, output, ProdInto::Params{.dims = {2}}); }), HasSubstr("argument 'dims'"));
}

}  // namespace
}  // namespace ttnn
