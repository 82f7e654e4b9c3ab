// What opcheck does not show of the binary operations: published values, output rules, errors, buffers and hierarchy.
#include "ttnn/ops/eltwise/binary.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/circular_buffer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary_compare.hpp"
#include "ttnn/ops/eltwise/binary_compare_in_place.hpp"
#include "ttnn/ops/eltwise/binary_extra.hpp"
#include "ttnn/ops/eltwise/binary_extreme.hpp"
#include "ttnn/ops/eltwise/binary_in_place.hpp"
#include "ttnn/ops/eltwise/binary_integer.hpp"
#include "ttnn/ops/eltwise/binary_math.hpp"
#include "ttnn/ops/eltwise/outer.hpp"
#include "ttnn/ops/eltwise/polyval.hpp"
#include "ttnn/ops/eltwise/pow.hpp"
#include "ttnn/ops/eltwise/prelu.hpp"

namespace ttnn {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class BinaryOps : public testing::Test {
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
    // A row of numbers as a tensor of shape [1, n].
    Tensor row(const std::vector<float>& values, DataType dtype = DataType::FLOAT32) {
        return tensor({1, static_cast<uint32_t>(values.size())}, values, dtype);
    }
    Tensor integers(const std::vector<int64_t>& values, DataType dtype = DataType::INT32) {
        Tensor result = zeros({1, static_cast<uint32_t>(values.size())}, dtype);
        std::vector<uint32_t> bits;
        for (const int64_t value : values) {
            bits.push_back(static_cast<uint32_t>(value));
        }
        write<uint32_t>(result, bits);
        return result;
    }
    uint64_t allocated(BufferType type) const { return device->allocated_blocks(type).size(); }

    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

MemoryConfig height_sharded(uint32_t cores, uint32_t height, uint32_t width) {
    return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                        ShardSpec{CoreRangeSet(CoreRange({0, 0}, {cores - 1, 0})), {height, width}});
}

std::vector<float> floats(const Tensor& tensor) {
    const Dense<float> values = read<float>(tensor);
    return {values.begin(), values.end()};
}
std::vector<int64_t> ints(const Tensor& tensor) {
    const Dense<double> values = read<double>(tensor);
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

// The begin events in order, and the circular buffers of every program.
struct Recorded {
    struct Buffer {
        uint64_t size;
        uint32_t cores;
        bool global;
        bool operator==(const Buffer&) const = default;
    };
    std::vector<std::string> begun;
    std::vector<std::vector<Buffer>> programs;
};

class Recorder : public Observer, public Recorded {
public:
    bool watches_steps() const override { return true; }
    void operation_begin(const OpInfo& op, const void*) override { begun.push_back(op.cpp_name()); }
    void function_begin(const FunctionCall& call) override { begun.emplace_back(call.name); }
    void circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer> placed, bool) override {
        programs.emplace_back();
        for (const PlacedCircularBuffer& cb : placed) {
            programs.back().push_back({cb.request->size, cb.request->cores.num_cores(), cb.request->global != nullptr});
        }
    }
};

template <class F>
Recorded record(F call) {
    const auto recorder = std::make_shared<Recorder>();
    attach(recorder);
    call();
    detach(recorder);
    return *recorder;
}

// --- values ------------------------------------------------------------------------------------------------------

TEST_F(BinaryOps, DivisionByZeroFollowsIeee) {
    const auto quotient = floats(div(row({1, -1, 0, 6}), row({0, 0, 0, 4})));
    EXPECT_EQ(quotient[0], inf);
    EXPECT_EQ(quotient[1], -inf);
    EXPECT_TRUE(std::isnan(quotient[2]));
    EXPECT_EQ(quotient[3], 1.5F);
    EXPECT_EQ(floats(div_no_nan(row({1, 0, 6}), row({0, 0, 4}))), (std::vector<float>{0, 0, 1.5F}));
}

TEST_F(BinaryOps, RoundingModesOfDiv) {
    const Tensor a = row({7, -7, 7.5F});
    EXPECT_EQ(floats(div(a, 2.0, {.rounding_mode = "floor"})), (std::vector<float>{3, -4, 3}));
    EXPECT_EQ(floats(div(a, 2.0, {.rounding_mode = "trunc"})), (std::vector<float>{3, -3, 3}));
    expect_error([&] { div(a, 2.0, {.rounding_mode = "round"}); },
                 "Incorrect rounding mode (expected None, 'trunc', or 'floor')");
}

TEST_F(BinaryOps, Int32QuotientIsFloatUnlessRounded) {
    const Tensor a = integers({7, -7});
    const Tensor b = integers({2, 2});
    const Tensor quotient = div(a, b);
    EXPECT_EQ(quotient.dtype(), DataType::FLOAT32);
    EXPECT_EQ(floats(quotient), (std::vector<float>{3.5F, -3.5F}));
    const Tensor floored = div(a, b, {.rounding_mode = "floor"});
    EXPECT_EQ(floored.dtype(), DataType::INT32);
    EXPECT_EQ(ints(floored), (std::vector<int64_t>{3, -4}));
    EXPECT_EQ(ints(div(a, b, {.rounding_mode = "trunc"})), (std::vector<int64_t>{3, -3}));
    expect_error([&] { div(a, b, {.dtype = DataType::INT32}); }, "has dtype FLOAT32, got INT32");
    expect_error([&] { divide_(a, b); }, "has dtype FLOAT32, got INT32");
}

TEST_F(BinaryOps, IntegersAreExactAndWrap) {
    EXPECT_EQ(ints(add(integers({2147483647, 16777217}), int64_t{1})), (std::vector<int64_t>{-2147483648LL, 16777218}));
    EXPECT_EQ(ints(subtract(integers({0, 5}, DataType::UINT16), integers({1, 2}, DataType::UINT16))),
              (std::vector<int64_t>{65535, 3}));
    EXPECT_EQ(ints(multiply(integers({65537}), integers({65537}))), (std::vector<int64_t>{131073}));
    const Tensor as_unsigned = add(integers({-1}), int64_t{0}, {.dtype = DataType::UINT32});
    EXPECT_EQ(as_unsigned.dtype(), DataType::UINT32);
    EXPECT_EQ(ints(as_unsigned), (std::vector<int64_t>{4294967295}));
    // Neighbours that are the same float are still told apart, also when the answer is a float.
    EXPECT_EQ(floats(gt(integers({16777217}), integers({16777216}), {.dtype = DataType::FLOAT32})),
              (std::vector<float>{1}));
}

TEST_F(BinaryOps, AFractionalNumberIsTruncatedForIntegers) {
    EXPECT_EQ(ints(add(integers({3}), 1.75)), (std::vector<int64_t>{4}));
    EXPECT_EQ(ints(multiply(integers({3}), 0.5)), (std::vector<int64_t>{0}));
}

TEST_F(BinaryOps, ShiftsAndBits) {
    EXPECT_EQ(ints(bitwise_right_shift(integers({-8, 8}), int64_t{1})), (std::vector<int64_t>{-4, 4}));
    EXPECT_EQ(ints(logical_right_shift(integers({-8, 8}), int64_t{1})), (std::vector<int64_t>{2147483644, 4}));
    EXPECT_EQ(ints(bitwise_left_shift(integers({3}), int64_t{31})), (std::vector<int64_t>{-2147483648LL}));
    EXPECT_EQ(ints(bitwise_and(integers({12}), integers({10}))), (std::vector<int64_t>{8}));
    EXPECT_EQ(ints(bitwise_or(integers({12}), integers({10}))), (std::vector<int64_t>{14}));
    EXPECT_EQ(ints(bitwise_xor(integers({12}), integers({10}))), (std::vector<int64_t>{6}));
    expect_error([&] { bitwise_left_shift(integers({3}), int64_t{32}); },
                 "ttnn.bitwise_left_shift: argument 'input_b' must be between 0 and 31, got 32");
    expect_error([&] { bitwise_and(integers({3}), 1.5); }, "argument 'input_b' must be a Tensor or an int");
}

TEST_F(BinaryOps, DivisorsOfIntegers) {
    EXPECT_EQ(ints(gcd(integers({12, -18, 0, 7}), integers({18, 12, 5, 0}))), (std::vector<int64_t>{6, 6, 5, 7}));
    EXPECT_EQ(ints(lcm(integers({4, -6, 0, 32767}), integers({6, 4, 5, 32766}))),
              (std::vector<int64_t>{12, 12, 0, 1073643522}));
}

TEST_F(BinaryOps, RemaindersTakeTheSignOfTheirOperand) {
    const Tensor a = row({7, -7, 7, -7});
    const Tensor b = row({3, 3, -3, -3});
    EXPECT_EQ(floats(fmod(a, b)), (std::vector<float>{1, -1, 1, -1}));
    EXPECT_EQ(floats(remainder(a, b)), (std::vector<float>{1, 2, -2, -1}));
    EXPECT_EQ(ints(remainder(integers({-7}), int64_t{3})), (std::vector<int64_t>{2}));
}

TEST_F(BinaryOps, AnglesAndPowers) {
    const auto angles = floats(atan2(row({0, 1, -1, 0, 1}), row({0, 0, 0, -1, 1})));
    EXPECT_EQ(angles[0], 0);
    EXPECT_FLOAT_EQ(angles[1], 1.5707964F);
    EXPECT_FLOAT_EQ(angles[2], -1.5707964F);
    EXPECT_FLOAT_EQ(angles[3], 3.1415927F);
    EXPECT_FLOAT_EQ(angles[4], 0.7853982F);
    EXPECT_EQ(floats(hypot(row({3}), row({4}))), (std::vector<float>{5}));
    EXPECT_EQ(floats(pow(row({-2, 3}), int64_t{3})), (std::vector<float>{-8, 27}));
    EXPECT_EQ(floats(pow(row({2, 9}), row({10, 0.5F}))), (std::vector<float>{1024, 3}));
    EXPECT_EQ(floats(pow(2.0, row({-1, 5}))), (std::vector<float>{0.5F, 32}));
    EXPECT_EQ(floats(polyval(row({2}), {3, 0, 1})), (std::vector<float>{13}));
}

TEST_F(BinaryOps, XlogyIsZeroAtZeroUnlessNaN) {
    const auto values = floats(xlogy(row({0, 0, 2}), row({0, nan, 1})));
    EXPECT_EQ(values[0], 0);
    EXPECT_TRUE(std::isnan(values[1]));
    EXPECT_EQ(values[2], 0);
}

TEST_F(BinaryOps, IscloseReplacesNaN) {
    EXPECT_EQ(floats(isclose(row({nan, nan, 1, 0}), row({nan, 1, nan, nan}))), (std::vector<float>{0, 1, 0, 1}));
    EXPECT_EQ(floats(isclose(row({nan, 1}), row({nan, 1}), {.equal_nan = true})), (std::vector<float>{1, 1}));
}

TEST_F(BinaryOps, NextafterStepsByTheDeviceEpsilon) {
    EXPECT_EQ(floats(nextafter(row({0.5F, 0.5F, 0.5F}), row({0, 1, 0.5F}))),
              (std::vector<float>{0.5F + 0x1p-23F, 0.5F - 0x1p-23F, 0.5F}));
}

TEST_F(BinaryOps, ActivationsApplyToOperandsAndResult) {
    const Tensor a = row({-2, 3});
    const Tensor b = row({5, -7});
    EXPECT_EQ(floats(add(a, b, {.activations = {UnaryOpType::RELU}})), (std::vector<float>{3, 0}));
    EXPECT_EQ(floats(multiply(a, b, {.input_tensor_a_activations = {UnaryOpType::RELU}})),
              (std::vector<float>{0, -21}));
    EXPECT_EQ(floats(subtract(a, b, {.input_tensor_b_activations = {UnaryOpType::NEG, UnaryOpType::RELU}})),
              (std::vector<float>{-2, -4}));
}

TEST_F(BinaryOps, PreluTakesAWeightPerChannel) {
    const Tensor x = tensor({1, 2, 1, 2}, {-1, 2, -3, 4});
    EXPECT_EQ(floats(prelu(x, tensor({2}, {0.5F, 0.25F}))), (std::vector<float>{-0.5F, 2, -0.75F, 4}));
    EXPECT_EQ(floats(prelu(x, 2.0)), (std::vector<float>{-2, 2, -6, 4}));
    expect_error([&] { prelu(x, zeros({3})); }, "argument 'weight' must have as many elements as dim 1");
}

TEST_F(BinaryOps, OuterMakesATableOfProducts) {
    const Tensor table = outer(tensor({1, 1, 2, 1}, {2, 3}), tensor({1, 1, 1, 3}, {1, 10, 100}));
    EXPECT_EQ(table.logical_shape(), Shape({1, 1, 2, 3}));
    EXPECT_EQ(floats(table), (std::vector<float>{2, 20, 200, 3, 30, 300}));
    expect_error(
        [&] {
            outer(zeros({2, 32}), zeros({1, 1, 1, 32}));
        },
        "argument 'input_tensor_a' must have rank 4 and at least three dims of 1");
    const Tensor host = Tensor::allocate_on_host(TensorSpec({1, 1, 1, 2}, DataType::FLOAT32, Layout::TILE));
    expect_error([&] { outer(host, host); }, "must be on a device");
}

// --- shapes ------------------------------------------------------------------------------------------------------

TEST_F(BinaryOps, BroadcastsColumnsRowsAndRanks) {
    const Tensor a = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(floats(add(a, tensor({2, 1}, {10, 20}))), (std::vector<float>{11, 12, 13, 24, 25, 26}));
    EXPECT_EQ(floats(multiply(a, tensor({1, 3}, {1, 10, 100}))), (std::vector<float>{1, 20, 300, 4, 50, 600}));
    EXPECT_EQ(floats(subtract(a, tensor({3}, {1, 1, 1}))), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    // The smaller operand comes first: a subtraction must not change sides.
    EXPECT_EQ(floats(subtract(tensor({1, 3}, {1, 1, 1}), a)), (std::vector<float>{0, -1, -2, -3, -4, -5}));
    EXPECT_EQ(add(zeros({1, 2, 33, 1}), zeros({2, 1, 1, 34})).logical_shape(), Shape({2, 2, 33, 34}));
    EXPECT_EQ(add(zeros({3, 1, 1, 1, 32}), zeros({1, 2, 1, 5, 1})).logical_shape(), Shape({3, 2, 1, 5, 32}));
}

TEST_F(BinaryOps, ShapesThatDoNotFitAreNamed) {
    expect_error(
        [&] {
            add(zeros({32, 32}), zeros({32, 31}));
        },
        "ttnn.add: shapes Shape([32, 32]) and Shape([32, 31]) cannot be broadcast: dimension -1 is 32 and 31");
    expect_error(
        [&] {
            add(zeros({2, 1, 1, 1, 1, 32}), zeros({1, 1, 1, 1, 1, 32}));
        },
        "only the last 5 dimensions are broadcast");
    EXPECT_EQ(add(zeros({2, 1, 1, 1, 3, 32}), zeros({2, 1, 1, 1, 1, 32})).logical_shape(), Shape({2, 1, 1, 1, 3, 32}));
}

// --- output rules --------------------------------------------------------------------------------------------------

TEST_F(BinaryOps, ResultHasTheDtypeOfTheFirstOperand) {
    const Tensor bf16 = zeros({32, 32});
    const Tensor f32 = zeros({32, 32}, DataType::FLOAT32);
    const Tensor bf8 = zeros({32, 32}, DataType::BFLOAT8_B);
    EXPECT_EQ(add(bf16, f32).dtype(), DataType::BFLOAT16);
    EXPECT_EQ(add(f32, bf16).dtype(), DataType::FLOAT32);
    EXPECT_EQ(subtract(bf8, bf16).dtype(), DataType::BFLOAT8_B);
    EXPECT_EQ(gt(bf8, 0.0).dtype(), DataType::BFLOAT8_B);
    EXPECT_EQ(add(bf16, f32, {.dtype = DataType::BFLOAT8_B}).dtype(), DataType::BFLOAT8_B);
}

TEST_F(BinaryOps, PreallocatedOutputDecidesAndIsReturned) {
    const Tensor a = row({-1, 2});
    const Tensor out = integers({9, 9});
    const Tensor result = gt(a, int64_t{0}, {.output_tensor = out});
    EXPECT_EQ(result.buffer_address(), out.buffer_address());
    EXPECT_EQ(ints(result), (std::vector<int64_t>{0, 1}));
    // Leading ones are ignored.
    const Tensor flat = zeros({32, 64});
    EXPECT_EQ(add(zeros({1, 1, 32, 64}), 1.0, {.output_tensor = flat}), flat);
    expect_error(
        [&] {
            add(a, a, {.dtype = DataType::BFLOAT16, .output_tensor = row({0, 0})});
        },
        "argument 'dtype' is DataType::BFLOAT16, but the preallocated output has DataType::FLOAT32");
    expect_error(
        [&] {
            add(a, a, {.output_tensor = zeros({1, 3})});
        },
        "argument 'output_tensor' has Shape([1, 3]), but the result has Shape([1, 2])");
}

TEST_F(BinaryOps, RowMajorComesBackOnlyWhenAllOperandsHaveIt) {
    const Tensor rm = tensor({2, 3}, {1, 2, 3, 4, 5, 6}, DataType::FLOAT32, Layout::ROW_MAJOR);
    const Tensor tile = tensor({2, 3}, {1, 1, 1, 1, 1, 1});
    EXPECT_EQ(add(rm, rm).layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(floats(add(rm, rm)), (std::vector<float>{2, 4, 6, 8, 10, 12}));
    EXPECT_EQ(add(rm, 1.0).layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(add(rm, tile).layout(), Layout::TILE);
    EXPECT_EQ(add(tile, rm).layout(), Layout::TILE);
    EXPECT_EQ(floats(subtract(tile, rm)), (std::vector<float>{0, -1, -2, -3, -4, -5}));
    expect_error(
        [&] {
            add(rm, rm, {.output_tensor = zeros({2, 3}, DataType::FLOAT32)});
        },
        "ttnn.add: a preallocated output is not supported when all tensor operands have Layout::ROW_MAJOR");
}

TEST_F(BinaryOps, OutputHasTheDefaultAlignment) {
    const TensorSpec padded = TensorSpec::from_padded({1, 1, 1, 96}, {1, 1, 32, 96}, DataType::BFLOAT16, Layout::TILE);
    const Tensor a = Tensor::allocate_on_device(padded, device);
    ASSERT_EQ(a.spec().alignment(), Shape({32, 96}));
    EXPECT_EQ(add(a, a).spec().alignment(), Shape({32, 32}));
}

TEST_F(BinaryOps, MemoryConfigFollowsTheOperands) {
    const MemoryConfig four = height_sharded(4, 32, 64);
    const MemoryConfig two = height_sharded(2, 64, 64);
    const Tensor dram = zeros({128, 64});
    const Tensor l1 = zeros({128, 64}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const Tensor on_four = zeros({128, 64}, DataType::BFLOAT16, Layout::TILE, four);
    const Tensor on_two = zeros({128, 64}, DataType::BFLOAT16, Layout::TILE, two);
    EXPECT_EQ(add(dram, l1).memory_config(), dram_memory_config());
    EXPECT_EQ(add(l1, dram).memory_config(), l1_memory_config());
    EXPECT_EQ(add(on_four, dram).memory_config(), four);
    EXPECT_EQ(add(dram, on_four).memory_config(), four);
    EXPECT_EQ(add(l1, on_four).memory_config(), l1_memory_config());
    EXPECT_EQ(add(on_two, on_four).memory_config(), four);
    EXPECT_EQ(add(on_four, on_two).memory_config(), four);
    EXPECT_EQ(add(on_four, 1.0).memory_config(), four);
    EXPECT_EQ(add(on_four, dram, {.memory_config = l1_memory_config()}).memory_config(), l1_memory_config());
}

TEST_F(BinaryOps, ShardsAreAdjustedToTheBroadcastShape) {
    const Tensor wide = zeros({1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE, height_sharded(1, 32, 64));
    EXPECT_EQ(multiply(wide, zeros({1, 4, 1, 64})).memory_config().shard_spec()->shape,
              (std::array<uint32_t, 2>{128, 64}));
    const Tensor column = zeros({1, 1, 128, 1}, DataType::BFLOAT16, Layout::TILE, height_sharded(4, 32, 32));
    EXPECT_EQ(multiply(column, zeros({1, 1, 1, 64})).memory_config().shard_spec()->shape,
              (std::array<uint32_t, 2>{32, 64}));
}

TEST_F(BinaryOps, AShardedConfigWithoutSpecIsCompleted) {
    const MemoryConfig height(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    const MemoryConfig block(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1);
    const Tensor a = zeros({128, 64}, DataType::BFLOAT16, Layout::TILE, height_sharded(4, 32, 64));
    EXPECT_EQ(add(a, 1.0, {.memory_config = height}).memory_config(), a.memory_config());
    const Tensor dram = zeros({4096, 512});  // n150: 8 x 8 cores
    const auto by_height = add(dram, 1.0, {.memory_config = height}).memory_config().shard_spec();
    EXPECT_EQ(by_height->shape, (std::array<uint32_t, 2>{64, 512}));
    EXPECT_EQ(by_height->num_cores(), 64U);
    const auto by_block = add(dram, 1.0, {.memory_config = block}).memory_config().shard_spec();
    EXPECT_EQ(by_block->shape, (std::array<uint32_t, 2>{512, 64}));
}

// --- in place ------------------------------------------------------------------------------------------------------

TEST_F(BinaryOps, InPlaceFormsReturnTheirFirstOperand) {
    Tensor a = row({1, 2, 3});
    const uint64_t address = a.buffer_address();
    const uint64_t before = allocated(BufferType::DRAM);
    EXPECT_EQ(add_(a, int64_t{1}), a);
    EXPECT_EQ(mul_(a, 2.0), a);
    EXPECT_EQ(rsub_(a, int64_t{10}), a);
    EXPECT_EQ(gt_(a, 3.0), a);
    EXPECT_EQ(a.buffer_address(), address);
    EXPECT_EQ(allocated(BufferType::DRAM), before);
    EXPECT_EQ(floats(a), (std::vector<float>{1, 1, 0}));
}

TEST_F(BinaryOps, InPlaceCannotGrowOrTakeRowMajor) {
    expect_error(
        [&] {
            add_(zeros({1, 32}), zeros({2, 32}));
        },
        "has Shape([1, 32]), but the result has Shape([2, 32])");
    expect_error(
        [&] {
            add_(zeros({2, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR), 1.0);
        },
        "a preallocated output is not supported when all tensor operands have Layout::ROW_MAJOR");
}

TEST_F(BinaryOps, ExtremesWithAnIntAreExactInThirtyTwoBits) {
    const Tensor x = integers({-2147483648LL, -16777217, 0, 16777217, 2147483647});
    EXPECT_EQ(ints(maximum(x, int64_t{16777216})),
              (std::vector<int64_t>{16777216, 16777216, 16777216, 16777217, 2147483647}));
    EXPECT_EQ(ints(minimum(x, int64_t{-16777218})),
              (std::vector<int64_t>{-2147483648LL, -16777218, -16777218, -16777218, -16777218}));
    EXPECT_EQ(ints(minimum(x, int64_t{2147483646})),
              (std::vector<int64_t>{-2147483648LL, -16777217, 0, 16777217, 2147483646}));
    const Tensor large = integers({0, 2147483648LL, 4294967295LL}, DataType::UINT32);
    EXPECT_EQ(ints(maximum(large, int64_t{4294967294LL})),
              (std::vector<int64_t>{4294967294LL, 4294967294LL, 4294967295LL}));
    EXPECT_EQ(ints(minimum(large, int64_t{2147483649LL})), (std::vector<int64_t>{0, 2147483648LL, 2147483649LL}));
}

TEST_F(BinaryOps, RightShiftKeepsTheHighestBitOfUint32Too) {
    const Tensor x = integers({4294967295LL, 2147483648LL, 8}, DataType::UINT32);
    EXPECT_EQ(ints(bitwise_right_shift(x, int64_t{1})), (std::vector<int64_t>{4294967295LL, 3221225472LL, 4}));
    EXPECT_EQ(ints(logical_right_shift(x, int64_t{1})), (std::vector<int64_t>{2147483647, 1073741824, 4}));
    EXPECT_EQ(ints(bitwise_right_shift(integers({65535, 8}, DataType::UINT16), int64_t{3})),
              (std::vector<int64_t>{8191, 1}));
}

TEST_F(BinaryOps, PowTakesBaseAndExponentOfDifferentFloatDtypes) {
    const Tensor result = pow(row({2, 4, 9}, DataType::BFLOAT16), row({3, 0.5F, 0}, DataType::FLOAT32));
    EXPECT_EQ(result.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(floats(result), (std::vector<float>{8, 2, 1}));
}

TEST_F(BinaryOps, WhatIsUndefinedInBfloat16IsInfinite) {
    const auto bfloat = [&](const std::vector<float>& values) { return row(values, DataType::BFLOAT16); };
    const std::vector<float> quotients = floats(div(bfloat({0, 3, -3, 6}), bfloat({0, 0, 0, 2})));
    EXPECT_EQ(quotients, (std::vector<float>{inf, inf, -inf, 3}));
    EXPECT_EQ(floats(remainder(bfloat({0, 5, -5}), bfloat({0, 0, 3}))), (std::vector<float>{inf, inf, 1}));
    EXPECT_EQ(floats(remainder(bfloat({7}), 0.0)), (std::vector<float>{inf}));
    EXPECT_TRUE(std::isnan(floats(div(bfloat({nan}), bfloat({0})))[0]));
    EXPECT_TRUE(std::isnan(floats(div(row({0}), row({0})))[0]));
    EXPECT_TRUE(std::isnan(floats(remainder(row({5}), row({0})))[0]));
}

// --- errors ---------------------------------------------------------------------------------------------------------

TEST_F(BinaryOps, RejectsDtypesByName) {
    expect_error(
        [&] {
            add(zeros({32, 32}, DataType::UINT8), 1.0);
        },
        "ttnn.add: argument 'input_tensor_a' must have one of the dtypes BFLOAT16, FLOAT32, UINT32, BFLOAT8_B, "
        "BFLOAT4_B, UINT16, INT32, got UINT8");
    expect_error([&] { gt(zeros({32, 32}, DataType::UINT32), 1.0); }, "got UINT32");
    expect_error([&] { gcd(zeros({32, 32}), zeros({32, 32})); }, "must have one of the dtypes INT32, got BFLOAT16");
    expect_error([&] { logaddexp(zeros({32, 32}), zeros({32, 32}, DataType::INT32)); }, "argument 'input_tensor_b'");
    expect_error([&] { pow(zeros({32, 32}), zeros({32, 32}, DataType::INT32)); }, "argument 'exponent'");
    expect_error([&] { maximum(zeros({32, 32}), int64_t{16777217}); }, "must be from -16777216 to 16777216");
    expect_error([&] { minimum(zeros({32, 32}, DataType::UINT32), int64_t{-1}); }, "must be from 0 to 4294967295");
    expect_error(
        [&] {
            minimum(zeros({32, 32}, DataType::INT32), int64_t{1} << 31);
        },
        "must be from -2147483648 to 2147483647");
    expect_error(
        [&] {
            addalpha(zeros({32, 32}, DataType::INT32), zeros({32, 32}, DataType::INT32), {.alpha = 0.5});
        },
        "argument 'alpha' must be a whole number");
}

TEST_F(BinaryOps, RejectsHostTensors) {
    const Tensor host = Tensor::allocate_on_host(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE));
    expect_error([&] { add(host, zeros({32, 32})); }, "argument 'input_tensor_a' must be on device");
    expect_error([&] { add(zeros({32, 32}), host); }, "argument 'input_tensor_b' must be on device");
}

TEST_F(BinaryOps, AFailingCallLeavesNothingAllocated) {
    const Tensor a = zeros({2, 2, 32, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor b = zeros({1, 2, 32, 32});
    const uint64_t before = allocated(BufferType::DRAM);
    expect_error([&] { add(a, b, {.output_tensor = b}); }, "but the result has");
    expect_error([&] { add(a, b, {.memory_config = height_sharded(1, 32, 32)}); }, "Number of shards along height");
    EXPECT_EQ(allocated(BufferType::DRAM), before);
    EXPECT_EQ(allocated(BufferType::L1), 0U);
}

// --- hierarchy and circular buffers
// -----------------------------------------------------------------------------------

// TT-NN publishes the call trace of this addition.
TEST_F(BinaryOps, BatchesAreBroadcastByRepeat) {
    const Tensor a = zeros({4, 3, 32, 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const Tensor b = zeros({1, 3, 32, 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const Recorded seen = record([&] { add(a, b); });
    EXPECT_EQ(seen.begun, (std::vector<std::string>{"ttnn::add", "ttnn::repeat", "ttnn::prim::repeat",
                                                    "Device Operation", "create_device_tensor", "ttnn::prim::binary",
                                                    "Device Operation", "create_device_tensor"}));
    ASSERT_EQ(seen.programs.size(), 2U);
    EXPECT_EQ(seen.programs[0], (std::vector<Recorded::Buffer>{{4096, 12, false}}));
    EXPECT_EQ(seen.programs[1],
              (std::vector<Recorded::Buffer>{{4096, 64, false}, {4096, 64, false}, {4096, 64, false}}));
}

TEST_F(BinaryOps, EachBatchDimensionIsRepeatedApart) {
    const Tensor a = zeros({1, 1, 32, 64});
    const Tensor b = zeros({4, 2, 32, 64});
    const Recorded seen = record([&] { subtract(a, b); });
    EXPECT_EQ(std::ranges::count(seen.begun, "ttnn::repeat"), 2);
    EXPECT_EQ(seen.begun[0], "ttnn::subtract");
}

TEST_F(BinaryOps, EqualShapesGoStraightToThePrimitive) {
    const Tensor a = zeros({32, 32});
    const std::vector<std::string> straight{"ttnn::add", "ttnn::prim::binary", "Device Operation",
                                            "create_device_tensor"};
    EXPECT_EQ(record([&] { add(a, a); }).begun, straight);
    const Tensor matrix = zeros({1, 1, 64, 32});
    const Tensor row = zeros({1, 1, 1, 32});
    EXPECT_EQ(record([&] { add(matrix, row); }).begun, straight);
    EXPECT_EQ(record([&] { add_(a, a); }).begun,
              (std::vector<std::string>{"ttnn::add_", "ttnn::prim::binary", "Device Operation"}));
}

TEST_F(BinaryOps, RanksAreMadeEqualByReshape) {
    const Tensor a = zeros({1, 1, 32, 32});
    const Tensor b = zeros({32, 32});
    const Recorded seen = record([&] { add(a, b); });
    ASSERT_GE(seen.begun.size(), 3U);
    EXPECT_EQ(seen.begun[1], "ttnn::reshape");
    EXPECT_EQ(std::ranges::count(seen.begun, "ttnn::prim::binary"), 1);
}

TEST_F(BinaryOps, CircularBuffersOfScalarsActivationsAndShards) {
    using Buffers = std::vector<Recorded::Buffer>;
    const Tensor f32 = zeros({32, 32}, DataType::FLOAT32);
    EXPECT_EQ(record([&] { add(f32, 1.0); }).programs[0],
              (Buffers{{8192, 64, false}, {4096, 64, false}, {8192, 64, false}}));
    const Tensor bf8 = zeros({32, 32}, DataType::BFLOAT8_B);
    EXPECT_EQ(record([&] { multiply(bf8, 2.0); }).programs[0],
              (Buffers{{2176, 64, false}, {2048, 64, false}, {2176, 64, false}}));
    const Tensor bf16 = zeros({32, 32});
    EXPECT_EQ(
        record([&] { multiply(bf16, bf16, {.input_tensor_a_activations = {UnaryOpType::SILU}}); }).programs[0].size(),
        4U);
    // 12 tiles per shard: both global, the interleaved operand in blocks of 6.
    const Tensor sharded = zeros({128, 384}, DataType::BFLOAT16, Layout::TILE, height_sharded(4, 32, 384));
    EXPECT_EQ(record([&] {
                  add(sharded, zeros({128, 384}));
              }).programs[0],
              (Buffers{{24576, 4, true}, {24576, 64, false}, {24576, 4, true}}));
}

}  // namespace
}  // namespace ttnn
