// What opcheck does not show of the unary operations: published values, output rules, errors, buffers and hierarchy.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/circular_buffer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/clamp.hpp"
#include "ttnn/ops/eltwise/glu.hpp"
#include "ttnn/ops/eltwise/triangle.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_chain.hpp"
#include "ttnn/ops/eltwise/unary_fill.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/eltwise/unary_parameters.hpp"
#include "ttnn/ops/eltwise/unary_predicates.hpp"
#include "ttnn/ops/eltwise/unary_special.hpp"
#include "ttnn/ops/eltwise/unary_statistics.hpp"
#include "ttnn/ops/eltwise/unary_translated.hpp"

namespace ttnn {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class Unary : public testing::Test {
protected:
    // A row of numbers as a tensor of shape [1, n].
    Tensor row(const std::vector<float>& values, DataType dtype = DataType::FLOAT32, Layout layout = Layout::TILE) {
        return tensor({1, static_cast<uint32_t>(values.size())}, values, dtype, layout);
    }
    Tensor tensor(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::FLOAT32,
                  Layout layout = Layout::TILE) {
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, dtype, layout), device);
        write<float>(result, values);
        return result;
    }
    Tensor integers(const std::vector<uint32_t>& values, DataType dtype = DataType::INT32) {
        const Shape shape{1, static_cast<uint32_t>(values.size())};
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::TILE), device);
        write<uint32_t>(result, values);
        return result;
    }
    Tensor zeros(const Shape& shape, DataType dtype = DataType::BFLOAT16, Layout layout = Layout::TILE,
                 const MemoryConfig& config = {}) {
        return Tensor::allocate_on_device(TensorSpec(shape, dtype, layout, config), device);
    }
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
std::vector<int32_t> ints(const Tensor& tensor) {
    const Dense<uint32_t> bits = read<uint32_t>(tensor);
    return {bits.begin(), bits.end()};
}

void expect_near(const Tensor& actual, const std::vector<double>& expected) {
    const std::vector<float> got = floats(actual);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], expected[i], std::abs(expected[i]) * 3e-7) << "element " << i;
    }
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

// --- values ----------------------------------------------------------------------------------------------------------

TEST_F(Unary, ActivationsHaveTheirPublishedValues) {
    const Tensor x = row({-2.0F, -0.5F, 0.0F, 1.0F, 3.0F});
    expect_near(gelu(x), {-0.045500263896358, -0.154268769362993, 0.0, 0.841344746068543, 2.995950305905110});
    expect_near(silu(x), {-0.238405844044234, -0.188770334399073, 0.0, 0.731058578630005, 2.857722380467300});
    expect_near(mish(x), {-0.252501482695709, -0.220743774651730, 0.0, 0.865098388267310, 2.986535004967958});
    expect_near(softplus(x),
                {0.126928011042972, 0.474076984180107, 0.693147180559945, 1.313261687518223, 3.048587351573742});
    expect_near(hardswish(x), {-1.0 / 3, -0.208333333333333, 0.0, 2.0 / 3, 3.0});
    expect_near(celu(x, {.alpha = 2.0}), {-1.264241117657115, -0.442398433857190, 0.0, 1.0, 3.0});
    expect_near(selu(x), {-1.520162094388861, -0.691756197301531, 0.0, 1.0507, 3.1521});
}

TEST_F(Unary, ParametersArriveInTheirPlaces) {
    const Tensor x = row({-3.0F, -1.0F, 0.0F, 1.0F, 3.0F});
    EXPECT_EQ(floats(threshold(x, 0.5, 9.0)), (std::vector<float>{9, 9, 9, 1, 3}));
    EXPECT_EQ(floats(hardtanh(x, {.min_val = -2.0, .max_val = 0.5})), (std::vector<float>{-2, -1, 0, 0.5, 0.5}));
    EXPECT_EQ(floats(heaviside(x, 0.25)), (std::vector<float>{0, 0, 0.25, 1, 1}));
    EXPECT_EQ(floats(relu_max(x, 2.0)), (std::vector<float>{0, 0, 0, 1, 2}));
    EXPECT_EQ(floats(relu_min(x, -2.0)), (std::vector<float>{-2, -1, 0, 1, 3}));
    EXPECT_EQ(floats(leaky_relu(x, 0.5)), (std::vector<float>{-1.5, -0.5, 0, 1, 3}));
    EXPECT_EQ(floats(hardshrink(x, {.lambd = 1.0})), (std::vector<float>{-3, 0, 0, 0, 3}));
    EXPECT_EQ(floats(softshrink(x, {.lambd = 1.0})), (std::vector<float>{-2, 0, 0, 0, 2}));
    EXPECT_EQ(floats(rpow(x, 2.0)), (std::vector<float>{0.125, 0.5, 1, 2, 8}));
    expect_near(softplus(x, {.beta = 2.0, .threshold = 1.0}),
                {0.001237842568865, 0.063464005521486, 0.346573590279973, 1.0, 3.0});
    expect_near(xielu(x, {.alpha_p = 2.0, .alpha_n = 0.5}),
                {-0.47510646581606, -0.31606027941428, -4.9999975e-07, 2.5, 19.5});
    expect_near(selu(x, {.scale = 2.0, .alpha = 0.5}), {-0.95021293163214, -0.63212055882856, 0.0, 2.0, 6.0});
}

TEST_F(Unary, RdivRoundsAsAsked) {
    const Tensor x = row({2.0F, -2.0F, 4.0F});
    EXPECT_EQ(floats(rdiv(x, 7.0)), (std::vector<float>{3.5, -3.5, 1.75}));
    EXPECT_EQ(floats(rdiv(x, 7.0, {.rounding_mode = "trunc"})), (std::vector<float>{3, -3, 1}));
    EXPECT_EQ(floats(rdiv(x, 7.0, {.rounding_mode = "floor"})), (std::vector<float>{3, -4, 1}));
    expect_error([&] { rdiv(x, 7.0, {.rounding_mode = "ceil"}); }, "expected None, 'trunc', or 'floor'");
}

TEST_F(Unary, RoundsHalfToEvenAtTheAskedDigit) {
    EXPECT_EQ(floats(round(row({0.5F, 1.5F, 2.5F, -0.5F}))), (std::vector<float>{0, 2, 2, -0.0F}));
    EXPECT_EQ(floats(round(row({0.25F, 0.75F, 1.26F}), {.decimals = 1})), (std::vector<float>{0.2F, 0.8F, 1.3F}));
    EXPECT_EQ(floats(round(row({25.0F, 35.0F, 44.0F}), {.decimals = -1})), (std::vector<float>{20, 40, 40}));
    expect_error([&] { round(row({1.0F}), {.decimals = 8}); }, "'decimals' must be from -6 to 7, got 8");
}

TEST_F(Unary, SpecialFunctionsHaveTheirPublishedValues) {
    expect_near(lgamma(row({0.5F, 1.0F, 10.0F})), {0.572364942924700, 0.0, 12.801827480081469});
    expect_near(digamma(row({1.0F, 0.5F, 10.0F})), {-0.577215664901533, -1.963510026021423, 2.251752589066721});
    expect_near(polygamma(row({1.0F, 0.5F}), 1), {1.644934066848226, 4.934802200544679});
    expect_near(polygamma(row({1.0F}), 2), {-2.404113806319188});
    expect_near(multigammaln(row({4.0F})),
                {3.4341896575482 + 1.791759469228055 + 1.200973602347074 + 0.693147180559945 + 0.284682870472919});
    expect_near(erfinv(row({0.5F, -0.5F, 0.75F})), {0.476936276204470, -0.476936276204470, 0.813419847597618});
    expect_near(i0(row({0.0F, 1.0F, 10.0F})), {1.0, 1.266065877752008, 2815.716628466254});
    expect_near(i1(row({1.0F, -10.0F})), {0.565159103992485, -2670.988303701255});
    expect_near(deg2rad(row({180.0F, -90.0F})), {3.141592653589793, -1.570796326794897});
    expect_near(rad2deg(row({1.0F})), {57.295779513082323});
}

TEST_F(Unary, TanhshrinkKeepsItsDigitsNearZero) {
    expect_near(tanhshrink(row({1e-3F, 1e-5F, 0.125F})),
                {3.333332474974219e-10, 3.333333080578758e-16, 6.469982284038056e-4});
}

TEST_F(Unary, OutsideTheDomainIsNanAndForAtanhInfinityInBfloat16) {
    for (const auto* op : {"acos", "asin", "acosh"}) {
        const std::string name = op;
        const auto call = [&](const Tensor& x) {
            return name == "acos" ? acos(x) : name == "asin" ? asin(x) : acosh(x);
        };
        EXPECT_TRUE(std::isnan(floats(call(row({-2.0F})))[0])) << name;
        EXPECT_TRUE(std::isnan(floats(call(row({-2.0F}, DataType::BFLOAT16)))[0])) << name;
    }
    EXPECT_TRUE(std::isnan(floats(atanh(row({-2.0F})))[0]));
    EXPECT_EQ(floats(atanh(row({-2.0F}, DataType::BFLOAT16)))[0], inf);
    EXPECT_EQ(floats(atanh(row({-1.0F, 1.0F}))), (std::vector<float>{-inf, inf}));
    EXPECT_EQ(floats(atanh(row({-1.0F, 1.0F}, DataType::BFLOAT16))), (std::vector<float>{inf, inf}));
}

TEST_F(Unary, HardmishTruncatesToBfloat16) {
    // 1.0078125 * 3.8078125 / 5 = 0.767512...; the bfloat16 numbers around it are 0.765625 and 0.76953125.
    EXPECT_EQ(floats(hardmish(row({1.0078125F}, DataType::BFLOAT16)))[0], 0.765625F);
    expect_near(hardmish(row({1.0078125F})), {1.0078125 * 3.8078125 / 5});
}

TEST_F(Unary, TestsClassifyInfinitiesAndNan) {
    const Tensor x = row({inf, -inf, nan, 0.0F, -1.5F});
    EXPECT_EQ(floats(isinf(x)), (std::vector<float>{1, 1, 0, 0, 0}));
    EXPECT_EQ(floats(isposinf(x)), (std::vector<float>{1, 0, 0, 0, 0}));
    EXPECT_EQ(floats(isneginf(x)), (std::vector<float>{0, 1, 0, 0, 0}));
    EXPECT_EQ(floats(isnan(x)), (std::vector<float>{0, 0, 1, 0, 0}));
    EXPECT_EQ(floats(isfinite(x)), (std::vector<float>{0, 0, 0, 1, 1}));
    EXPECT_EQ(floats(signbit(row({-0.0F, 0.0F, -2.0F}))), (std::vector<float>{1, 0, 1}));
}

TEST_F(Unary, LogitClampsOnlyWhenAsked) {
    expect_near(logit(row({0.75F})), {1.098612288668110});
    expect_near(logit(row({2.0F, -1.0F}), {.eps = 0.25}), {1.098612288668110, -1.098612288668110});
    EXPECT_TRUE(std::isnan(floats(logit(row({2.0F})))[0]));
}

TEST_F(Unary, IntegersAreExact) {
    const Tensor x = integers({0x80000001U, 0, 7, 0xFFFFFFFFU});
    EXPECT_EQ(ints(abs(x)), (std::vector<int32_t>{0x7FFFFFFF, 0, 7, 1}));
    EXPECT_EQ(ints(bitwise_not(x)), (std::vector<int32_t>{0x7FFFFFFE, -1, -8, 0}));
    EXPECT_EQ(ints(ltz(x)), (std::vector<int32_t>{1, 0, 0, 1}));
    EXPECT_EQ(ints(gez(x)), (std::vector<int32_t>{0, 1, 1, 0}));
    EXPECT_EQ(ints(signbit(x)), (std::vector<int32_t>{1, 0, 0, 1}));
    EXPECT_EQ(ints(square(integers({300}, DataType::UINT16))), (std::vector<int32_t>{90000 % 65536}));
    EXPECT_EQ(ints(fill(x, int64_t{2147483647})), std::vector<int32_t>(4, 2147483647));
}

TEST_F(Unary, RotatesPairsAsComplexNumbers) {
    EXPECT_EQ(floats(alt_complex_rotate90(row({1, 2, 3, 4}))), (std::vector<float>{-2, 1, -4, 3}));
    expect_error([&] { alt_complex_rotate90(row({1, 2, 3})); }, "must be even");
}

TEST_F(Unary, TrianglesKeepTheirSideOfTheDiagonal) {
    const Tensor x = tensor({2, 3}, {1, 2, 3, 4, nan, 6});
    EXPECT_EQ(floats(triu(tensor({2, 3}, {1, 2, 3, 4, 5, 6}), {.diagonal = 1})),
              (std::vector<float>{0, 2, 3, 0, 0, 6}));
    EXPECT_EQ(floats(tril(tensor({2, 3}, {1, 2, 3, 4, 5, 6}))), (std::vector<float>{1, 0, 0, 4, 5, 0}));
    EXPECT_TRUE(std::isnan(floats(triu(x, {.diagonal = 1}))[4])) << "a mask of zeros keeps NaN";
}

TEST_F(Unary, GatedUnitsHalveTheLastDimension) {
    std::vector<float> values(64, 2.0F);
    std::fill(values.begin() + 32, values.end(), -1.0F);
    const Tensor x = tensor({1, 1, 1, 64}, values);
    EXPECT_EQ(glu(x).logical_shape(), (Shape{1, 1, 1, 32}));
    EXPECT_FLOAT_EQ(floats(glu(x))[0], 2.0F * 0.26894142F);
    EXPECT_FLOAT_EQ(floats(reglu(x))[0], 0.0F);
    EXPECT_FLOAT_EQ(floats(geglu(x))[0], 2.0F * -0.15865525F);
    EXPECT_FLOAT_EQ(floats(swiglu(x))[0], 2.0F * -0.26894142F);
    expect_error([&] { glu(x, {.dim = 2}); }, "ttnn.glu: argument 'dim' must be -1 or 3, got 2");
    expect_error([&] { glu(zeros({1, 1, 32, 96})); }, "multiple of 32");
    expect_error([&] { glu(zeros({32, 64})); }, "must have rank 4");
}

TEST_F(Unary, PlaneStatisticsDivideByThePaddedPlane) {
    Tensor x = zeros({1, 2, 32, 32}, DataType::FLOAT32);
    std::vector<float> values(2048);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = i % 2 == 0 ? 1.0F : 5.0F;
    }
    write<float>(x, values);
    EXPECT_EQ(var_hw(x).logical_shape(), (Shape{1, 2, 1, 1}));
    EXPECT_EQ(floats(var_hw(x)), (std::vector<float>{4, 4}));
    EXPECT_EQ(floats(std_hw(x)), (std::vector<float>{2, 2}));
    EXPECT_EQ(floats(normalize_hw(x))[1], 1.0F);
    EXPECT_EQ(floats(normalize_global(x))[0], -1.0F);
    // 32 x 16 elements in a plane padded to 32 x 32: half of the squares' divisor is padding.
    Tensor narrow = zeros({1, 1, 32, 16}, DataType::FLOAT32);
    write<float>(narrow, std::span<const float>(values.data(), 512));
    EXPECT_EQ(floats(var_hw(narrow)), (std::vector<float>{2}));
}

// --- clamp -----------------------------------------------------------------------------------------------------------

TEST_F(Unary, ClampKeepsIntegersWithWholeBoundsAndCastsWithFractions) {
    const Tensor x = integers({static_cast<uint32_t>(-50), 3, 20000000});
    const Tensor whole = clamp(x, {.min = int64_t{-7}});
    EXPECT_EQ(whole.dtype(), DataType::INT32);
    EXPECT_EQ(ints(whole), (std::vector<int32_t>{-7, 3, 16775716}));
    const Tensor fraction = clamp(x, {.max = 2.5});
    EXPECT_EQ(fraction.dtype(), DataType::FLOAT32);
    EXPECT_EQ(floats(fraction), (std::vector<float>{-50, 2.5, 2.5}));
    EXPECT_EQ(clip(x, {.max = int64_t{2}}).dtype(), DataType::FLOAT32);
}

TEST_F(Unary, ClampByTensorsBroadcasts) {
    const Tensor x = tensor({2, 2}, {-5, 5, -1, 1});
    EXPECT_EQ(floats(clamp(x, {.min = row({-2, 0}), .max = row({0, 3})})), (std::vector<float>{-2, 3, -1, 1}));
    expect_error([&] { clamp(x, {.min = row({-2, 0}), .max = 1.0}); }, "must both be tensors or both be numbers");
}

TEST_F(Unary, ClampWithoutBoundsIsAnError) {
    expect_error([&] { clamp(row({1.0F})); }, "ttnn.clamp: Only one of 'min' or 'max' can be None");
    expect_error([&] { clip(row({1.0F})); }, "ttnn.clip: Only one of 'min' or 'max' can be None");
}

TEST_F(Unary, ClampInPlaceOfBlockFloats) {
    Tensor x = zeros({32, 64}, DataType::BFLOAT8_B);
    write<float>(x, std::vector<float>(2048, 9.0F));
    const Tensor result = clamp(x, {.min = -7.0, .max = 7.0, .output_tensor = x});
    EXPECT_EQ(result, x);
    EXPECT_EQ(floats(x)[100], 7.0F);
}

// --- chains and casts ------------------------------------------------------------------------------------------------

TEST_F(Unary, ChainRoundsOnlyAtTheEnd) {
    // 1 + 2^-8 is not a bfloat16 number; squared and reduced by 1 in fp32 it is 2^-7 + 2^-16.
    const Tensor x = row({0.00390625F}, DataType::BFLOAT16);
    const Tensor y = unary_chain(
        x, {{UnaryOpType::ADD_UNARY_SFPU, {1.0F}}, UnaryOpType::SQUARE, {UnaryOpType::SUB_UNARY_SFPU, {1.0F}}});
    EXPECT_EQ(floats(y)[0], 0.0078125F);
    EXPECT_EQ(y.dtype(), DataType::BFLOAT16);
}

TEST_F(Unary, ChainEndsWithACastAtMost) {
    const Tensor x = row({-2.75F, 3.5F});
    const Tensor y = unary_chain(x, {UnaryOpType::NEG, {UnaryOpType::TYPECAST, {1.0F, 7.0F}}});
    EXPECT_EQ(y.dtype(), DataType::INT32);
    EXPECT_EQ(ints(y), (std::vector<int32_t>{2, -3}));
    expect_error([&] { unary_chain(x, {{UnaryOpType::TYPECAST, {7.0F}}, UnaryOpType::NEG}); }, "may only be the last");
    expect_error([&] { unary_chain(x, {}); }, "must not be empty");
    expect_error([&] { unary_chain(x, {UnaryOpType::LEAKY_RELU}); }, "UnaryOpType::LEAKY_RELU needs 1 parameter(s)");
}

TEST_F(Unary, BitcastKeepsEveryBit) {
    const Tensor x = row({1.0F, -2.0F});
    EXPECT_EQ(ints(bitcast(x, DataType::INT32)), (std::vector<int32_t>{0x3F800000, static_cast<int32_t>(0xC0000000U)}));
    const Tensor odd_nan = integers({0x7F81}, DataType::UINT16);
    EXPECT_EQ(ints(bitcast(bitcast(odd_nan, DataType::BFLOAT16), DataType::UINT16)), (std::vector<int32_t>{0x7F81}));
    expect_error([&] { bitcast(x, DataType::BFLOAT16); }, "elements as large as those of the input");
}

// --- output rules ----------------------------------------------------------------------------------------------------

TEST_F(Unary, OutputHasTheInputsShapeDtypeLayoutAndMemory) {
    const Tensor x = zeros({3, 33, 50}, DataType::FLOAT32, Layout::ROW_MAJOR, l1_memory_config());
    EXPECT_EQ(relu(x).spec(), x.spec());
    const Tensor sharded = zeros({64, 64}, DataType::BFLOAT16, Layout::TILE, height_sharded(2, 32, 64));
    EXPECT_EQ(exp(sharded).memory_config(), sharded.memory_config());
    EXPECT_EQ(exp(zeros({1, 1, 1, 96}), {.memory_config = l1_memory_config()}).memory_config(), l1_memory_config());
}

TEST_F(Unary, OutputIsStatedByLogicalShapeSoItHasTheDefaultAlignment) {
    const TensorSpec padded = TensorSpec::from_padded({1, 1, 1, 96}, {1, 1, 32, 96}, DataType::BFLOAT16, Layout::TILE);
    const Tensor x = Tensor::allocate_on_device(padded, device);
    EXPECT_EQ(x.spec().alignment(), (Alignment{32, 96}));
    EXPECT_EQ(relu(x).spec().alignment(), (Alignment{32, 32}));
}

TEST_F(Unary, PreallocatedOutputIsReturnedAndDecidesTheDtype) {
    const Tensor x = row({-1.0F, 2.0F});
    const Tensor y = zeros({1, 2});
    const Tensor result = relu(x, {.output_tensor = y});
    EXPECT_EQ(result, y);
    EXPECT_EQ(result.buffer_address(), y.buffer_address());
    EXPECT_EQ(floats(y), (std::vector<float>{0, 2}));
    expect_error(
        [&] {
            relu(x, {.output_tensor = zeros({2, 2})});
        },
        "ttnn.relu: argument 'output_tensor' has Shape([2, 2]), but the result has Shape([1, 2])");
    expect_error(
        [&] {
            relu(x, {.output_tensor = zeros({1, 2}, DataType::BFLOAT16, Layout::ROW_MAJOR)});
        },
        "argument 'output_tensor' must have Layout::TILE like the input");
}

TEST_F(Unary, LogicalNotInPlaceWritesIntoItsInput) {
    Tensor x = row({0.0F, 3.0F});
    const uint64_t address = x.buffer_address();
    const Tensor result = logical_not_(x);
    EXPECT_EQ(result, x);
    EXPECT_EQ(result.buffer_address(), address);
    EXPECT_EQ(floats(x), (std::vector<float>{1, 0}));
}

TEST_F(Unary, CannotReshard) {
    const Tensor x = zeros({64, 64});
    expect_error([&] { relu(x, {.memory_config = height_sharded(2, 32, 64)}); },
                 "ttnn.relu: argument 'memory_config' has TensorMemoryLayout::HEIGHT_SHARDED, but the input has "
                 "TensorMemoryLayout::INTERLEAVED; a unary operation cannot reshard");
    const Tensor sharded = zeros({64, 64}, DataType::BFLOAT16, Layout::TILE, height_sharded(2, 32, 64));
    expect_error([&] { relu(sharded, {.output_tensor = x}); }, "cannot reshard");
    // The same memory layout with other shards is fine.
    EXPECT_EQ(relu(sharded, {.memory_config = height_sharded(1, 64, 64)}).memory_config().shard_spec()->num_cores(),
              1U);
}

TEST_F(Unary, DtypesThatAFunctionDoesNotKnowAreRejected) {
    expect_error([&] { exp(integers({1})); },
                 "ttnn.exp: argument 'input_tensor' must have dtype BFLOAT16, FLOAT32, BFLOAT8_B, BFLOAT4_B; got "
                 "DataType::INT32");
    expect_error([&] { bitwise_not(row({1.0F})); }, "must have dtype INT32; got DataType::FLOAT32");
    expect_error([&] { abs(integers({1}, DataType::UINT32)); }, "got DataType::UINT32");
    expect_error([&] { eqz(integers({1}, DataType::UINT8)); }, "got DataType::UINT8");
    EXPECT_EQ(ints(eqz(integers({0, 1}, DataType::UINT16))), (std::vector<int32_t>{1, 0}));
}

TEST_F(Unary, IntegersOfFunctionsThatKnowThem) {
    const auto bits = [](int64_t value) { return static_cast<uint32_t>(value); };
    const Tensor x = integers({bits(-7), bits(-2), 0, 3, 2147483647, bits(-2147483648LL)});
    EXPECT_EQ(ints(neg(x)), (std::vector<int32_t>{7, 2, 0, -3, -2147483647, INT32_MIN}));  // the lowest has no opposite
    EXPECT_EQ(ints(relu_min(x, -2.0)), (std::vector<int32_t>{-2, -2, 0, 3, 2147483647, -2}));
    EXPECT_EQ(ints(relu_max(x, 2.0)), (std::vector<int32_t>{0, 0, 0, 2, 2, 0}));
    EXPECT_EQ(ints(identity(x)), ints(x));
    const Tensor large = integers({4294967295U, 5}, DataType::UINT32);
    EXPECT_EQ(ints(identity(large)), ints(large));
    const Tensor small = integers({255, 5}, DataType::UINT8);
    EXPECT_EQ(ints(identity(small)), (std::vector<int32_t>{255, 5}));
    EXPECT_EQ(identity(small).dtype(), DataType::UINT8);
}

TEST_F(Unary, CeluLeavesPositivesWhateverAlphaIs) {
    for (const double alpha : {static_cast<double>(inf), static_cast<double>(nan)}) {
        EXPECT_EQ(floats(celu(row({2.0F, 0.5F}), {.alpha = alpha})), (std::vector<float>{2.0F, 0.5F}));
    }
}

TEST_F(Unary, ArgumentsOutOfRangeAreNamed) {
    const Tensor x = row({1.0F});
    expect_error([&] { hardshrink(x, {.lambd = -1.0}); }, "ttnn.hardshrink: argument 'lambd' must be at least 0");
    expect_error([&] { rpow(x, 0.0); }, "ttnn.rpow: argument 'exponent' must be greater than 0");
    expect_error([&] { polygamma(x, 11); }, "ttnn.polygamma: argument 'k' must be from 1 to 10, got 11");
    expect_error([&] { tril(tensor({2}, {1, 2})); }, "rank of 2 or more");
}

TEST_F(Unary, FailedCallsLeaveNoMemoryBehind) {
    const Tensor x = zeros({64, 64}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const size_t before = device->live_buffers().size();
    expect_error([&] { relu(x, {.memory_config = height_sharded(2, 32, 64)}); }, "cannot reshard");
    expect_error([&] { glu(x); }, "rank 4");
    EXPECT_EQ(device->live_buffers().size(), before);
}

// --- circular buffers ------------------------------------------------------------------------------------------------

class Recorder : public Observer {
public:
    bool watches_steps() const override { return true; }
    void operation_begin(const OpInfo& op, const void*) override { lines.push_back(op.cpp_name()); }
    void function_begin(const FunctionCall& call) override { lines.emplace_back(call.name); }
    void circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer> placed, bool) override {
        for (const auto& buffer : placed) {
            lines.push_back(fmt::format("cb {} on {}{}", buffer.request->size, buffer.request->cores.num_cores(),
                                        buffer.request->global != nullptr ? " global" : ""));
        }
    }
    std::vector<std::string> lines;
};

template <class F>
std::vector<std::string> recorded(F call) {
    const auto recorder = std::make_shared<Recorder>();
    attach(recorder);
    call();
    detach(recorder);
    return recorder->lines;
}

TEST_F(Unary, InterleavedTilesUseTwoBuffersOfTwoTilesOnTheSplitCores) {
    const Tensor x = zeros({1, 3, 32, 64});
    EXPECT_EQ(recorded([&] { relu(x); }),
              (std::vector<std::string>{"ttnn::relu", "ttnn::prim::unary", "Device Operation", "create_device_tensor",
                                        "cb 4096 on 6", "cb 4096 on 6"}));
}

TEST_F(Unary, HardshrinkAndLogitHaveAThirdBuffer) {
    const Tensor x = zeros({32, 32});
    const std::vector<std::string> three{"cb 4096 on 1", "cb 4096 on 1", "cb 4096 on 1"};
    for (const auto& lines : {recorded([&] { hardshrink(x); }), recorded([&] { logit(x); })}) {
        ASSERT_EQ(lines.size(), 7U);
        EXPECT_EQ(std::vector<std::string>(lines.begin() + 4, lines.end()), three);
    }
}

TEST_F(Unary, ShardedTensorsHoldTheirBuffers) {
    const Tensor x = zeros({64, 96}, DataType::BFLOAT16, Layout::TILE, height_sharded(2, 32, 96));
    const auto lines = recorded([&] { sqrt(x); });
    EXPECT_EQ(std::vector<std::string>(lines.begin() + 4, lines.end()),
              (std::vector<std::string>{"cb 6144 on 2 global", "cb 6144 on 2 global"}));
}

TEST_F(Unary, RowMajorBuffersHoldTwoRows) {
    const Tensor x = zeros({5, 96}, DataType::FLOAT32, Layout::ROW_MAJOR);
    const auto lines = recorded([&] { neg(x); });
    EXPECT_EQ(std::vector<std::string>(lines.begin() + 4, lines.end()),
              (std::vector<std::string>{"cb 768 on 5", "cb 768 on 5"}));
}

TEST_F(Unary, SubCoreGridsReceiveTheBuffers) {
    const Tensor x = zeros({1, 3, 32, 64});
    const CoreRangeSet two(CoreRange({2, 2}, {3, 2}));
    const auto lines = recorded([&] { floor(x, {.sub_core_grids = two}); });
    EXPECT_EQ(lines.back(), "cb 4096 on 2");
}

// --- activation names ------------------------------------------------------------------------------------------------

TEST(UnaryWithParam, HasTheTextOfTheOriginal) {
    EXPECT_EQ(UnaryWithParam(UnaryOpType::RELU).to_string(), "UnaryWithParam(op_type=UnaryOpType::RELU)");
    EXPECT_EQ(UnaryWithParam(UnaryOpType::SOFTPLUS, {1.5F, 20.0F}).to_string(),
              "UnaryWithParam(op_type=UnaryOpType::SOFTPLUS, params=[1.5, 20])");
}

TEST(UnaryWithParam, ActivationsAreKnownByName) {
    EXPECT_EQ(activation_from_name("relu"), UnaryWithParam(UnaryOpType::RELU));
    EXPECT_EQ(activation_from_name("gelu_approx"), UnaryWithParam(UnaryOpType::GELU, {1.0F}));
    EXPECT_EQ(activation_from_name("recip").op_type, UnaryOpType::RECIP);
    expect_error([] { activation_from_name("swoosh"); }, "unknown activation 'swoosh'; expected one of relu");
}

TEST(UnaryOperations, FieldsKeepTheirNamesInTemplates) {
    EXPECT_EQ(tril.info().signature(),
              "(input_tensor: Tensor, *, diagonal: int = 0, memory_config: MemoryConfig | None = None) -> Tensor");
    EXPECT_EQ(
        sigmoid.info().signature(),
        "(input_tensor: Tensor, *, vector_mode: int = 4, mode: SigmoidMode = SigmoidMode.Accurate, memory_config: "
        "MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor");
}

}  // namespace
}  // namespace ttnn
