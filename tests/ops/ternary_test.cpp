// What opcheck does not show of the ternary operations: published values, output rules and errors.
#include "ttnn/ops/eltwise/ternary.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/where.hpp"

namespace ttnn {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

class TernaryOps : public testing::Test {
protected:
    Tensor zeros(const Shape& shape, DataType dtype = DataType::BFLOAT16, Layout layout = Layout::TILE,
                 const MemoryConfig& config = {}) {
        return Tensor::allocate_on_device(TensorSpec(shape, dtype, layout, config), device);
    }
    Tensor tensor(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::FLOAT32,
                  Layout layout = Layout::TILE) {
        Tensor result = zeros(shape, dtype, layout);
        write<float>(result, values);
        return result;
    }
    Tensor row(const std::vector<float>& values, DataType dtype = DataType::FLOAT32) {
        return tensor({1, static_cast<uint32_t>(values.size())}, values, dtype);
    }
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

std::vector<float> floats(const Tensor& tensor) {
    const Dense<float> values = read<float>(tensor);
    return {values.begin(), values.end()};
}

template <class F>
void expect_error(F call, std::string_view part) {
    try {
        call();
        ADD_FAILURE() << "no error, expected: " << part;
    } catch (const Error& error) {
        EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
}

TEST_F(TernaryOps, SumsOfProductsAndQuotients) {
    const Tensor a = row({1, 2});
    const Tensor b = row({3, 4});
    const Tensor c = row({2, 8});
    EXPECT_EQ(floats(addcmul(a, b, c, {.value = 0.5})), (std::vector<float>{4, 18}));
    EXPECT_EQ(floats(addcdiv(a, b, c, {.value = 2.0})), (std::vector<float>{4, 3}));
    EXPECT_EQ(floats(mac(a, b, c)), (std::vector<float>{5, 16}));
    EXPECT_EQ(floats(mac(a, 3.0, -1.0)), (std::vector<float>{2, 5}));
    EXPECT_EQ(floats(lerp(a, b, 0.5)), (std::vector<float>{2, 3}));
    EXPECT_EQ(floats(lerp(a, b, row({0, 1}))), (std::vector<float>{1, 4}));
}

TEST_F(TernaryOps, AddcdivByZeroIsInfiniteWithTheSignOfTheDividend) {
    const std::vector<float> a{1, 1, 1};
    const std::vector<float> b{2, -2, 0};
    const std::vector<float> c{0, 0, 0};
    const auto narrow = DataType::BFLOAT16;
    EXPECT_EQ(floats(addcdiv(row(a, narrow), row(b, narrow), row(c, narrow))), (std::vector<float>{inf, -inf, inf}));
    EXPECT_EQ(floats(addcdiv(row(a, narrow), row(b, narrow), row(c, narrow), {.value = -1.0})),
              (std::vector<float>{-inf, inf, -inf}));
    EXPECT_TRUE(std::isnan(floats(addcdiv(row(a), row(b), row(c)))[2]));
}

TEST_F(TernaryOps, WhereTestsForNotZero) {
    const Tensor predicate = row({-1, 0, 2});
    EXPECT_EQ(floats(where(predicate, row({1, 2, 3}), row({4, 5, 6}))), (std::vector<float>{1, 5, 3}));
    EXPECT_EQ(floats(where(predicate, 7.0, int64_t{8})), (std::vector<float>{7, 8, 7}));
    EXPECT_EQ(floats(experimental::where(predicate, 7.0, row({4, 5, 6}))), (std::vector<float>{7, 5, 7}));
    // NaN as a number becomes +inf in BFLOAT16, and only there.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor chosen = where(row({1, 0}, DataType::BFLOAT16), nan, row({4, 5}, DataType::BFLOAT16));
    EXPECT_EQ(floats(chosen), (std::vector<float>{inf, 5}));
    EXPECT_EQ(floats(where(row({1, 0}, DataType::BFLOAT16), 2.0, nan)), (std::vector<float>{2, inf}));
    EXPECT_TRUE(std::isnan(floats(where(row({1, 0}), nan, row({4, 5})))[0]));
}

TEST_F(TernaryOps, WhereBroadcastsAndKeepsIntegersExact) {
    const Tensor column = tensor({2, 1}, {1, 0});
    EXPECT_EQ(floats(where(column, tensor({1, 2}, {1, 2}), 9.0)), (std::vector<float>{1, 2, 9, 9}));
    Tensor large = zeros({1, 2}, DataType::INT32);
    write<uint32_t>(large, std::vector<uint32_t>{16777217, 2147483647});
    const Tensor chosen = where(row({1, 1}, DataType::BFLOAT16), large, int64_t{0});
    EXPECT_EQ(chosen.dtype(), DataType::INT32);
    const Dense<uint32_t> bits = read<uint32_t>(chosen);
    EXPECT_EQ(bits[0], 16777217U);
    EXPECT_EQ(bits[1], 2147483647U);
}

TEST_F(TernaryOps, WhereTakesTheDtypeOfItsBranches) {
    const Tensor predicate = zeros({32, 32}, DataType::INT32);
    const Tensor bf16 = zeros({32, 32});
    const Tensor f32 = zeros({32, 32}, DataType::FLOAT32);
    EXPECT_EQ(where(predicate, bf16, f32).dtype(), DataType::BFLOAT16);
    EXPECT_EQ(where(predicate, 1.0, f32).dtype(), DataType::FLOAT32);
    EXPECT_EQ(where(predicate, 1.0, 0.0).dtype(), DataType::INT32);
    EXPECT_EQ(where(predicate, bf16, bf16, {.output_tensor = f32}), f32);
}

TEST_F(TernaryOps, LayoutsAndDtypesAreChecked) {
    const Tensor tile = zeros({32, 32});
    const Tensor rm = zeros({32, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor f32 = zeros({32, 32}, DataType::FLOAT32);
    const Tensor int32 = zeros({32, 32}, DataType::INT32);
    expect_error([&] { addcmul(tile, rm, tile); },
                 "ttnn.addcmul: argument 'input_b' must have Layout::TILE, got Layout::ROW_MAJOR");
    expect_error([&] { where(rm, tile, tile); }, "argument 'predicate' must have Layout::TILE");
    expect_error([&] { addcdiv(int32, int32, int32); }, "argument 'input_a' must have a floating dtype, got INT32");
    expect_error([&] { addcmul(int32, tile, tile); }, "argument 'input_b' must have dtype INT32 as the first one");
    expect_error([&] { lerp(tile, f32, 0.5); }, "argument 'end' must have the dtype of 'input', BFLOAT16, got FLOAT32");
    expect_error([&] { mac(tile, tile, 1.0); }, "must be two tensors or two numbers");
    EXPECT_EQ(mac(rm, rm, rm).layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(mac(rm, tile, rm).layout(), Layout::TILE);
}

TEST_F(TernaryOps, LerpMayWidenOrNarrowIntoItsOutput) {
    const Tensor bf16 = zeros({32, 32});
    const Tensor f32 = zeros({32, 32}, DataType::FLOAT32);
    const Tensor bf8 = zeros({32, 32}, DataType::BFLOAT8_B);
    EXPECT_EQ(lerp(bf16, bf16, 0.5, {.output_tensor = f32}), f32);
    EXPECT_EQ(lerp(f32, f32, 0.5, {.output_tensor = bf16}), bf16);
    expect_error([&] { lerp(bf16, bf16, 0.5, {.output_tensor = bf8}); },
                 "argument 'output_tensor' must have dtype FLOAT32 or BFLOAT16, got BFLOAT8_B");
}

}  // namespace
}  // namespace ttnn
