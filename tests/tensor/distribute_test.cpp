// Tensors cut for the chips of a mesh, carried there and back, and put together.
#include "ttnn/tensor/distribute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(auto call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

constexpr Placement copy{};
constexpr Placement cut(int32_t dim) { return {dim}; }

// 0, 1, 2, ... of the dtype's range.
Tensor counted(const Shape& shape, DataType dtype = DataType::FLOAT32, Layout layout = Layout::ROW_MAJOR) {
    Tensor tensor = Tensor::allocate_on_host(TensorSpec(shape, dtype, layout));
    std::vector<float> values(shape.volume());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 61);
    }
    write<float>(tensor, values);
    return tensor;
}

std::vector<float> values_of(const Tensor& tensor) {
    const Dense<float> values = read<float>(tensor);
    return {values.begin(), values.end()};
}

TEST(Distribute, CutsOneDimension) {
    const Tensor parts = distribute(counted({2, 4}), {{cut(1)}, {{2}}});
    ASSERT_EQ(parts.num_parts(), 2u);
    EXPECT_EQ(parts.logical_shape(), (Shape{2, 2}));
    EXPECT_THAT(values_of(parts.part(0)), ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(values_of(parts.part(1)), ElementsAre(2, 3, 6, 7));
    EXPECT_EQ(parts.topology(), (Topology{{cut(1)}, {{2}}}));
}

TEST(Distribute, CutsTwoDimensionsRowByRow) {
    const Tensor parts = distribute(counted({4, 4}), {{cut(0), cut(-1)}, {{2, 2}}});
    EXPECT_THAT(values_of(parts.part(1)), ElementsAre(2, 3, 6, 7));
    EXPECT_THAT(values_of(parts.part(2)), ElementsAre(8, 9, 12, 13));
}

TEST(Distribute, CopiesShareTheirBytes) {
    const Tensor parts = distribute(counted({4, 2}), {{copy, cut(0)}, {{3, 2}}});
    ASSERT_EQ(parts.num_parts(), 6u);
    EXPECT_EQ(parts.part_identity(0), parts.part_identity(2));
    EXPECT_EQ(parts.part_identity(1), parts.part_identity(5));
    EXPECT_NE(parts.part_identity(0), parts.part_identity(1));
    const Tensor whole = counted({3});
    const Tensor copies = distribute(whole, {{copy}, {{4}}});
    EXPECT_EQ(copies.part_identity(3), whole.part_identity(0));
}

TEST(Distribute, OverOneChipChangesNothing) {
    const Tensor whole = counted({3, 5});
    EXPECT_EQ(distribute(whole, {{cut(0), copy}, {{1, 1}}}), whole);
}

TEST(Distribute, RefusesWhatChipsCannotShare) {
    const Tensor whole = counted({6, 4});
    EXPECT_THAT(error_of([&] { distribute(whole, {{cut(0)}, {{4}}}); }), HasSubstr("the same shape"));
    EXPECT_THAT(error_of([&] { distribute(whole, {{cut(0), cut(-2)}, {{2, 3}}}); }), HasSubstr("dimension 0"));
    EXPECT_THAT(error_of([&] { distribute(whole, {{cut(0)}, {{2, 2}}}); }), HasSubstr("placement"));
    const Tensor parts = distribute(whole, {{cut(0)}, {{2}}});
    EXPECT_THAT(error_of([&] { distribute(parts, {{cut(0)}, {{2}}}); }), HasSubstr("2 parts"));
}

struct RoundTrip {
    DataType dtype;
    Layout layout;
    Shape shape;
};

class RoundTrips : public testing::TestWithParam<RoundTrip> {};

TEST_P(RoundTrips, ThroughAMeshGiveTheSameValues) {
    const auto& [dtype, layout, shape] = GetParam();
    const Tensor whole = counted(shape, dtype, layout);
    const auto mesh = Device::open({.board = "n150", .mesh = {{2, 4}}});
    const Tensor there = copy_to_device(distribute(whole, {{cut(-2), cut(-1)}, {{2, 4}}}), mesh);
    EXPECT_EQ(there.num_parts(), 8u);
    const Tensor back = compose(there, std::vector<int32_t>{-2, -1}, mesh->mesh());
    EXPECT_EQ(back.logical_shape(), shape);
    EXPECT_EQ(values_of(back), values_of(whole));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoundTrips,
                         testing::Values(RoundTrip{DataType::BFLOAT16, Layout::TILE, {1, 1, 64, 128}},
                                         RoundTrip{DataType::BFLOAT16, Layout::TILE, {2, 20, 40}},  // cuts tiles
                                         RoundTrip{DataType::BFLOAT8_B, Layout::TILE, {1, 64, 128}},
                                         RoundTrip{DataType::INT32, Layout::ROW_MAJOR, {3, 4, 8}},
                                         RoundTrip{DataType::UINT16, Layout::TILE, {64, 128}},
                                         RoundTrip{DataType::UINT8, Layout::ROW_MAJOR, {2, 4}}));

TEST(Compose, PutsCopiesSideBySide) {
    const Tensor parts = distribute(counted({2}), {{copy}, {{3}}});
    EXPECT_THAT(values_of(compose(parts, std::vector<int32_t>{0}, {{3}})), ElementsAre(0, 1, 0, 1, 0, 1));
    EXPECT_THAT(error_of([&] { compose(parts, std::vector<int32_t>{0}, {{4}}); }), HasSubstr("3 parts"));
    EXPECT_THAT(error_of([&] { compose(parts, std::vector<int32_t>{0, 1}, {{3}}); }), HasSubstr("got 2"));
}

TEST(Parts, LieOnTheChipsOfTheirDistribution) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{2, 4}}});
    const Tensor there = copy_to_device(distribute(counted({4}), {{cut(0), copy}, {{2, 2}}}), mesh);
    EXPECT_THAT(used_parts(there), ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(values_of(there.part(4)), ElementsAre(2, 3));
    EXPECT_THAT(values_of(there.part(2)), ElementsAre(0, 0)) << "not spread over this chip";
    const Tensor back = copy_to_host(there);
    EXPECT_EQ(back.num_parts(), 4u);
    EXPECT_EQ(back.topology(), there.topology());
}

TEST(Parts, WhatHasOnePartReachesAllChips) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{1, 3}}});
    const Tensor there = copy_to_device(counted({3}), mesh);
    EXPECT_EQ(there.topology(), Topology::replicated(3));
    EXPECT_EQ(there.part_identity(0), there.part_identity(2));
    EXPECT_THAT(values_of(there.part(2)), ElementsAre(0, 1, 2));
}

TEST(Parts, DoNotFitASmallerMesh) {
    const Tensor parts = distribute(counted({4}), {{cut(0)}, {{4}}});
    const auto mesh = Device::open({.board = "n150", .mesh = {{1, 2}}});
    EXPECT_THAT(error_of([&] { copy_to_device(parts, mesh); }), HasSubstr("a tensor of 4 parts does not fit 2 chips"));
}

TEST(Parts, AreCopiedIntoTensorsThatAreThere) {
    const auto plain = [](const Tensor& from, Tensor& to) { copy_pages(from, to); };
    const auto mesh = Device::open({.board = "n150", .mesh = {{1, 2}}});
    Tensor there = Tensor::allocate_on_device(TensorSpec({2}, DataType::FLOAT32, Layout::ROW_MAJOR), mesh);
    const uint64_t address = there.buffer_address();
    copy_parts(distribute(counted({4}), {{cut(0)}, {{2}}}), there, plain);
    EXPECT_EQ(there.buffer_address(), address);
    EXPECT_THAT(values_of(there.part(1)), ElementsAre(2, 3));
    EXPECT_EQ(there.topology(), (Topology{{cut(0)}, {{2}}}));
    Tensor host = Tensor::allocate_on_host(there.spec());
    const Tensor alias = host;
    copy_parts(there, host, plain);
    ASSERT_EQ(alias.num_parts(), 2u);
    EXPECT_THAT(values_of(alias.part(1)), ElementsAre(2, 3));
}

TEST(Parts, GoBackToTheWhole) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{1, 2}}});
    const Tensor there = copy_to_device(counted({2}), mesh);
    const Tensor part = there.part(1);
    EXPECT_EQ(part.chip(), 1u);
    EXPECT_EQ(part.num_parts(), 1u);
    EXPECT_EQ(part.whole().num_parts(), 2u);
    EXPECT_EQ(part.whole().buffer(), there.buffer());
}

TEST(Parts, ConvertsEveryPart) {
    const Tensor parts = distribute(counted({4, 3}), {{cut(0)}, {{2}}});
    const Tensor tiles = with_spec(parts, TensorSpec({2, 3}, DataType::BFLOAT16, Layout::TILE), 0);
    ASSERT_EQ(tiles.num_parts(), 2u);
    EXPECT_EQ(tiles.topology(), parts.topology());
    EXPECT_THAT(values_of(tiles.part(1)), ElementsAre(6, 7, 8, 9, 10, 11));
}

TEST(Topology, OfAnOperationIsCutWhereverAnInputIs) {
    const Topology rows{{cut(2), copy}, {{2, 4}}};
    const Topology columns{{copy, cut(3)}, {{2, 4}}};
    const Topology all = Topology::replicated(8);
    const Topology* inputs[] = {&all, &rows, &columns};
    EXPECT_EQ(merged(inputs), (Topology{{cut(2), cut(3)}, {{2, 4}}}));
    const Topology turned{{cut(0), copy}, {{4, 2}}};
    const Topology* apart[] = {&columns, &turned};
    EXPECT_LE(merged(apart).distribution.num_chips(), 8u) << "grids that do not go together";
}

}  // namespace
}  // namespace ttnn
