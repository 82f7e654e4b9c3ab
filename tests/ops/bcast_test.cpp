// ttnn.bcast. Expectations are worked out by hand.
#include "ttnn/ops/eltwise/bcast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "movement_support.hpp"

namespace ttnn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum DataType;

class BcastOperation : public ::testing::Test {
protected:
    Tensor rows(const Shape& shape, const std::vector<float>& values) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, FLOAT32, Layout::ROW_MAJOR), device);
        write<float>(tensor, values);
        return tensor;
    }
    Tensor tiles(const Shape& shape) const { return counted(device, shape, BFLOAT16, Layout::TILE); }
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_F(BcastOperation, SpreadsTheFirstRowColumnOrNumber) {
    const Tensor a = rows({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor row = rows({1, 1, 1, 2}, {10, 20});
    const Tensor sum = bcast(a, row, BcastOpMath::ADD, BcastOpDim::H);
    EXPECT_EQ(sum.layout(), Layout::TILE);
    EXPECT_THAT(elements(sum), ElementsAre(11, 22, 13, 24, 15, 26, 17, 28));
    const Tensor column = rows({1, 2, 2, 1}, {1, 2, 3, 4});
    EXPECT_THAT(elements(bcast(a, column, BcastOpMath::MUL, BcastOpDim::W)), ElementsAre(1, 2, 6, 8, 15, 18, 28, 32));
    const Tensor high = rows({1, 1, 3, 2}, {10, 20, 99, 99, 99, 99});
    EXPECT_EQ(elements(bcast(a, high, BcastOpMath::ADD, BcastOpDim::H)), elements(sum));
    const Tensor number = rows({1, 2, 1, 1}, {1, 5});
    EXPECT_THAT(elements(bcast(a, number, BcastOpMath::SUB, BcastOpDim::HW)), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
    EXPECT_THAT(error_of([&] { bcast(a, column, BcastOpMath::ADD, BcastOpDim::H); }),
                HasSubstr("one tile along BcastOpDim::H"));
    EXPECT_THAT(error_of([&] {
                    bcast(tiles({3, 2, 32, 32}), tiles({1, 2, 1, 32}), BcastOpMath::ADD, BcastOpDim::H);
                }),
                HasSubstr("leading dimensions"));
}

TEST_F(BcastOperation, ResultsGoWhereTheyAreAskedFor) {
    const Tensor a = tiles({1, 1, 32, 64});
    const Tensor b = tiles({1, 1, 1, 64});
    const Tensor output = tiles({1, 1, 32, 64});
    // In the order of traces.
    EXPECT_EQ(bcast.with({a, b, BcastOpMath::MUL, BcastOpDim::H, l1_memory_config()}).memory_config(),
              l1_memory_config());
    EXPECT_EQ(bcast.with({a, b, BcastOpMath::MUL, BcastOpDim::H, std::nullopt, output}), output);
}

}  // namespace
}  // namespace ttnn::testing
