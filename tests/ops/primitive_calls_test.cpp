// Device operations that users call by themselves, and what their results are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/eltwise/prim_binary.hpp"
#include "ttnn/ops/example/multiple_return.hpp"
#include "ttnn/ops/example/prim_example.hpp"
#include "ttnn/ops/prefetch/dram_prefetcher.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PrimitiveCallsTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_F(PrimitiveCallsTest, CopiesLieInDram) {
    const Tensor input = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16, l1_memory_config());
    const TensorSpec spec({1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE);
    const Tensor copy = prim::example(input);
    EXPECT_EQ(copy.spec(), spec);
    EXPECT_EQ(values_of(copy), values_of(input));
    const auto both = composite_example_multiple_return(input, true, true);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_NE(both[0].buffer_address(), both[1].buffer_address());
    EXPECT_EQ(both[1].spec(), spec);
    EXPECT_EQ(values_of(both[1]), values_of(input));
}

TEST_F(PrimitiveCallsTest, ResultsThatAreNotWantedLeaveTheirPlace) {
    const Tensor input = counting(device, {32, 32});
    const auto second = prim::example_multiple_return(input, false, true);
    ASSERT_EQ(second.size(), 2U);
    EXPECT_FALSE(second[0]);
    EXPECT_EQ(values_of(second[1]), values_of(input));
    EXPECT_THAT(error_of([&] { composite_example_multiple_return(input, false, false); }),
                HasSubstr("argument 'return_output1' or 'return_output2'"));
}

TEST_F(PrimitiveCallsTest, CompositeCallsItsPrimitive) {
    const Tensor input = counting(device, {32, 32});
    const test::Recording recording;
    composite_example_multiple_return(input, true, false);
    EXPECT_THAT(recording->names,
                ElementsAre("ttnn::composite_example_multiple_return", "ttnn::prim::example_multiple_return",
                            "Device Operation", "create_device_tensor"));
}

TEST_F(PrimitiveCallsTest, BinaryIsToldItsFunction) {
    const auto of = [&](float value) {
        return tensor(device, TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), std::vector<float>(1024, value));
    };
    EXPECT_THAT(values_of(prim::binary(of(5), of(2), BinaryOpType::SUB)), Each(3));
    EXPECT_THAT(values_of(prim::binary(of(5), of(2), BinaryOpType::RSUB)), Each(-3));
    EXPECT_THAT(values_of(prim::binary(of(-5), of(2), BinaryOpType::MUL,
                                       {.dtype = DataType::FLOAT32,
                                        .activations = {UnaryOpType::NEG},
                                        .input_tensor_a_activation = UnaryOpType::ABS})),
                Each(-10));
    EXPECT_THAT(error_of([&] { prim::binary(of(1), of(1), BinaryOpType::ISCLOSE); }),
                HasSubstr("argument 'binary_op_type'"));
}

TEST_F(PrimitiveCallsTest, PrefetcherGivesATileForWeightsAndTheirAddresses) {
    const MemoryConfig in_dram = sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {64, 32}, BufferType::DRAM);
    const Tensor weights = counting(device, {64, 128}, DataType::BFLOAT16, in_dram);
    const Tensor addresses = tensor(device,
                                    TensorSpec({4, 8}, DataType::UINT32, Layout::ROW_MAJOR,
                                               sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {1, 8})),
                                    std::vector<float>(32, 1));
    const Tensor result = dram_prefetcher({weights, weights, addresses}, 2);
    EXPECT_EQ(result.spec(), TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_EQ(values_of(weights), values_of(counting(device, {64, 128})));
    EXPECT_THAT(error_of([&] { dram_prefetcher({weights, addresses}, 0); }), HasSubstr("argument 'num_layers'"));
    EXPECT_THAT(error_of([&] { dram_prefetcher({weights, weights}, 1); }), HasSubstr("argument 'tensors'"));
}

}  // namespace
}  // namespace ttnn
