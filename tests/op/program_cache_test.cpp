// Which calls share a program, and what the cache of a device does with them.
#include "ttnn/device/program_cache.hpp"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/reduction/reduction.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {
namespace {

using testing::HasSubstr;
using enum DataType;

MemoryConfig height_sharded(uint32_t cores, std::array<uint32_t, 2> shape) {
    return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                        ShardSpec{CoreRangeSet(CoreRange({0, 0}, {cores - 1, 0})), shape});
}

// Whether somebody watches makes no difference, so each rule is tested both ways.
class ProgramCacheTest : public testing::TestWithParam<bool> {
protected:
    Tensor make(const Shape& shape, DataType dtype = BFLOAT16, Layout layout = Layout::TILE,
                const MemoryConfig& config = {}) const {
        return Tensor::allocate_on_device(TensorSpec(shape, dtype, layout, config), device_);
    }
    // How many programs a call adds.
    size_t added(const std::function<void()>& call) const {
        const size_t before = cache().size();
        if (GetParam()) {
            graph::ScopedGraphCapture capture;
            call();
        } else {
            call();
        }
        return cache().size() - before;
    }
    ProgramCache& cache() const { return device_->program_cache(); }

    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

INSTANTIATE_TEST_SUITE_P(Watched, ProgramCacheTest, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "captured" : "alone"; });

TEST_P(ProgramCacheTest, MovingTensorsNeedsNoProgram) {
    EXPECT_EQ(added([&] { copy_to_host(make({32, 32})); }), 0U);
    EXPECT_EQ(added([&] { copy_to_device(Tensor::allocate_on_host(make({32, 32}).spec()), device_); }), 0U);
}

TEST_P(ProgramCacheTest, BinaryProgramsTakeAnyShapeAndNumber) {
    EXPECT_EQ(added([&] { add(make({32, 32}), make({32, 32})); }), 1U);
    EXPECT_EQ(added([&] { add(make({32, 32}), make({32, 32})); }), 0U);
    EXPECT_EQ(added([&] { add(make({2, 64, 96}), make({2, 64, 96})); }), 0U);
    EXPECT_EQ(added([&] { add(make({32, 32}), 2.0); }), 1U);  // a number is not a tensor
    EXPECT_EQ(added([&] { add(make({64, 32}), 3.0); }), 0U);
}

TEST_P(ProgramCacheTest, WhatTellsBinaryProgramsApart) {
    const Tensor a = make({64, 64});
    const CoreRangeSet few(CoreRange({0, 0}, {3, 0}));
    EXPECT_EQ(added([&] { add(a, a); }), 1U);
    EXPECT_EQ(added([&] { subtract(a, a); }), 1U);
    EXPECT_EQ(added([&] { add(a, a, {.activations = {UnaryOpType::RELU}}); }), 1U);
    EXPECT_EQ(added([&] { add(a, a, {.input_tensor_a_activations = {UnaryOpType::RELU}}); }), 1U);
    EXPECT_EQ(added([&] { add(a, a, {.dtype = FLOAT32}); }), 1U);
    EXPECT_EQ(added([&] { add(a, make({64, 64}, BFLOAT8_B)); }), 1U);
    EXPECT_EQ(added([&] { add(a, a, {.memory_config = l1_memory_config()}); }), 1U);
    EXPECT_EQ(added([&] { add(make({64, 64}, BFLOAT16, Layout::TILE, l1_memory_config()), a); }), 1U);
    EXPECT_EQ(added([&] { add(a, a, {.sub_core_grids = few}); }), 1U);
    // The same config written out is the same.
    EXPECT_EQ(added([&] { add(a, a, {.dtype = BFLOAT16, .memory_config = MemoryConfig()}); }), 0U);
}

TEST_P(ProgramCacheTest, BinaryProgramsDifferByTheKindOfBroadcast) {
    const Tensor a = make({64, 96});
    EXPECT_EQ(added([&] { add(a, a); }), 1U);
    EXPECT_EQ(added([&] { add(a, make({1, 96})); }), 1U);  // row
    EXPECT_EQ(added([&] { add(a, make({64, 1})); }), 1U);  // column
    EXPECT_EQ(added([&] { add(a, make({1, 1})); }), 1U);   // one element
    // The smaller operand of a sum becomes the second; that of a difference cannot.
    EXPECT_EQ(added([&] { add(make({1, 96}), a); }), 0U);
    EXPECT_EQ(added([&] { subtract(a, make({1, 96})); }), 1U);
    EXPECT_EQ(added([&] { subtract(make({1, 96}), a); }), 1U);  // the first one's row
    EXPECT_EQ(added([&] { add(make({1, 96}), make({64, 1})); }), 1U);
    EXPECT_EQ(added([&] { add(make({32, 32}), make({1, 32})); }), 0U);
}

TEST_P(ProgramCacheTest, UnaryProgramsInTilesAreMadeForAVolume) {
    EXPECT_EQ(added([&] { relu(make({64, 64})); }), 1U);
    EXPECT_EQ(added([&] { relu(make({32, 128})); }), 0U);
    EXPECT_EQ(added([&] { relu(make({4, 20, 20})); }), 0U);  // of the padded shape
    EXPECT_EQ(added([&] { relu(make({64, 96})); }), 1U);
    EXPECT_EQ(added([&] { exp(make({64, 64})); }), 1U);
    EXPECT_EQ(added([&] { relu(make({64, 64}, FLOAT32)); }), 1U);
    EXPECT_EQ(added([&] { relu(make({8, 32}, BFLOAT16, Layout::ROW_MAJOR)); }), 1U);
    EXPECT_EQ(added([&] { relu(make({4, 64}, BFLOAT16, Layout::ROW_MAJOR)); }), 1U);  // rows of another length
}

TEST_P(ProgramCacheTest, ReductionsAreMadeForAPaddedShape) {
    const auto call = [&](const Shape& shape, int64_t dim) {
        return added([&] { var(make(shape), {.dim = IntOrList(dim), .keepdim = true}); });
    };
    EXPECT_EQ(call({64, 64}, -1), 1U);
    EXPECT_EQ(call({60, 64}, -1), 0U);
    EXPECT_EQ(call({32, 128}, -1), 1U);
    EXPECT_EQ(added([&] { max(make({1, 1, 64, 64}), {.dim = IntOrList(-1), .keepdim = true}); }), 1U);
    EXPECT_EQ(added([&] { max(make({1, 1, 64, 64}), {.dim = IntOrList(-2), .keepdim = true}); }), 1U);
    EXPECT_EQ(added([&] { min(make({1, 1, 64, 64}), {.dim = IntOrList(-2), .keepdim = true}); }), 1U);
}

TEST_P(ProgramCacheTest, SoftmaxIsMadeForAShapeAndADimension) {
    EXPECT_EQ(added([&] { softmax(make({64, 64})); }), 1U);
    EXPECT_EQ(added([&] { softmax(make({64, 64}), {.dim = 1}); }), 0U);  // the last one
    EXPECT_EQ(added([&] { softmax(make({64, 64}), {.dim = 0}); }), 1U);
    EXPECT_EQ(added([&] { softmax(make({60, 64})); }), 1U);
    const Tensor x = make({1, 1, 64, 64});
    const auto masked = [&](const Tensor& mask) {
        return added([&] { scale_mask_softmax(x, {.mask = mask, .is_causal_mask = true}); });
    };
    EXPECT_EQ(masked(make({1, 1, 64, 64})), 1U);
    EXPECT_EQ(masked(make({1, 1, 64, 64})), 0U);
    EXPECT_EQ(masked(make({1, 1, 64, 64}, BFLOAT8_B)), 1U);
    EXPECT_EQ(masked(make({1, 1, 64, 64}, BFLOAT16, Layout::TILE, l1_memory_config())), 1U);
}

TEST_P(ProgramCacheTest, WhatACallConsistsOfCounts) {
    // As BFLOAT16, and back: typecast, pad, typecast.
    const auto widen = [&] { pad(make({1, 1, 32, 32}, BFLOAT8_B), {{0, 32}, {0, 0}}, 0.0); };
    EXPECT_EQ(added(widen), 3U);
    EXPECT_EQ(added(widen), 0U);
    EXPECT_EQ(added([&] { pad(make({1, 1, 32, 32}), {{0, 32}, {0, 32}}, 0.0); }), 1U);
    // To shards, sliced there, and back.
    const auto slice_shards = [&] {
        const Tensor rows = make({1, 1, 64, 32}, BFLOAT16, Layout::ROW_MAJOR, l1_memory_config());
        const Tensor shards = to_memory_config(rows, height_sharded(4, {16, 32}));
        const Tensor part = slice(shards, {0, 0, 0, 0}, {1, 1, 32, 32}, {.memory_config = height_sharded(4, {8, 32})});
        to_memory_config(part, l1_memory_config());
    };
    EXPECT_EQ(added(slice_shards), 3U);
    EXPECT_EQ(added(slice_shards), 0U);
}

TEST_P(ProgramCacheTest, AProductWithAProgramConfigIsOneProgram) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {4, 1};
    config.in0_block_w = 2;
    config.per_core_M = 2;
    config.per_core_N = 2;
    const Tensor a = make({64, 128});
    const Tensor b = make({128, 256});
    EXPECT_EQ(added([&] { matmul(a, b, {.program_config = config}); }), 1U);
    EXPECT_EQ(added([&] { matmul(a, b, {.program_config = config}); }), 0U);
    EXPECT_EQ(added([&] { linear(a, b, {.bias = make({1, 256}), .program_config = config}); }), 1U);
    config.in0_block_w = 1;
    EXPECT_EQ(added([&] { matmul(a, b, {.program_config = config}); }), 1U);
}

TEST_P(ProgramCacheTest, IsClearedAndSwitchedOff) {
    const Tensor a = make({32, 32});
    const auto call = [&] { add(a, a); };
    EXPECT_EQ(added(call), 1U);
    cache().clear();
    EXPECT_EQ(cache().size(), 0U);
    EXPECT_EQ(added(call), 1U);
    cache().disable_and_clear();
    EXPECT_EQ(cache().size(), 0U);
    EXPECT_EQ(added(call), 0U);
    cache().enable();
    EXPECT_EQ(added(call), 1U);
}

TEST_P(ProgramCacheTest, AMissThatIsNotAllowedNamesThePrimitive) {
    const Tensor a = make({32, 32});
    add(a, a);
    cache().allow_misses(false);
    EXPECT_EQ(added([&] { add(a, a); }), 0U);
    const size_t buffers = device_->live_buffers().size();
    try {
        added([&] { subtract(a, a); });
        FAIL() << "a program was compiled";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("ttnn::prim::binary: program cache miss occurred"));
        EXPECT_THAT(error.what(), HasSubstr("not allowed"));
    }
    EXPECT_EQ(cache().size(), 1U);
    EXPECT_EQ(device_->live_buffers().size(), buffers);
    cache().allow_misses(true);
    EXPECT_EQ(added([&] { subtract(a, a); }), 1U);
}

TEST_P(ProgramCacheTest, DevicesHaveTheirOwn) {
    const auto other = Device::open({.board = "n150"});
    add(make({32, 32}), 1.0);
    EXPECT_EQ(cache().size(), 1U);
    EXPECT_EQ(other->program_cache().size(), 0U);
}

// --- in captures -----------------------------------------------------------------------------------------------------

using Nodes = std::vector<graph::NodeType>;

Nodes captured_nodes(graph::RunMode mode, const std::function<void()>& call) {
    graph::ScopedGraphCapture capture(mode);
    call();
    Nodes types;
    for (const graph::Node& node : capture.end()) {
        types.push_back(node.type);
    }
    return types;
}

ptrdiff_t count(const Nodes& nodes, graph::NodeType type) { return std::ranges::count(nodes, type); }

class CapturedPrograms : public testing::Test {
protected:
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
    Tensor a_ = Tensor::allocate_on_device(TensorSpec({64, 64}, BFLOAT16, Layout::TILE), device_);
};

TEST_F(CapturedPrograms, NothingThatIsNotDispatchedIsKept) {
    captured_nodes(graph::RunMode::NO_DISPATCH, [&] { add(a_, a_); });
    EXPECT_EQ(device_->program_cache().size(), 0U);
    device_->program_cache().allow_misses(false);
    EXPECT_NO_THROW(captured_nodes(graph::RunMode::NO_DISPATCH, [&] { add(a_, a_); }));
}

TEST_F(CapturedPrograms, AfterAWarmUpOnlyTheCircularBuffersAreMissing) {
    const auto call = [&] { softmax(add(a_, 1.0)); };
    const Nodes cold = captured_nodes(graph::RunMode::NORMAL, call);
    device_->program_cache().clear();
    call();  // nobody watches
    Nodes warm = captured_nodes(graph::RunMode::NORMAL, call);
    EXPECT_GT(count(cold, graph::NodeType::CIRCULAR_BUFFER_ALLOCATE), 0);
    EXPECT_EQ(count(warm, graph::NodeType::CIRCULAR_BUFFER_ALLOCATE), 0);
    Nodes rest = cold;
    std::erase(rest, graph::NodeType::CIRCULAR_BUFFER_ALLOCATE);
    EXPECT_EQ(warm, rest);
}

TEST_F(CapturedPrograms, WithoutACacheEveryCallCompiles) {
    device_->program_cache().disable_and_clear();
    const auto call = [&] { add(a_, 1.0); };
    const Nodes first = captured_nodes(graph::RunMode::NORMAL, call);
    EXPECT_EQ(captured_nodes(graph::RunMode::NORMAL, call), first);
    EXPECT_GT(count(first, graph::NodeType::CIRCULAR_BUFFER_ALLOCATE), 0);
}

// What one call compiles it compiles for itself, however often it uses it.
TEST_F(CapturedPrograms, AProgramThatOneCallUsesTwice) {
    const auto program = [](Program& p, std::span<const Tensor>) { p.circular_buffer(p.full_grid(), 64); };
    const auto kernel = [](std::span<const Tensor>, std::span<Tensor>) {};
    const auto twice = [&] {
        const CallScope scope;
        for (int i = 0; i < 2; ++i) {
            launch({"ttnn::prim::test", {&a_, 1}, program, kernel}, a_.spec());
        }
    };
    const auto apart = [&] {
        launch({"ttnn::prim::other", {&a_, 1}, program, kernel}, a_.spec());
        launch({"ttnn::prim::other", {&a_, 1}, program, kernel}, a_.spec());
    };
    using enum graph::NodeType;
    EXPECT_EQ(count(captured_nodes(graph::RunMode::NORMAL, twice), CIRCULAR_BUFFER_ALLOCATE), 2);
    EXPECT_EQ(count(captured_nodes(graph::RunMode::NORMAL, twice), CIRCULAR_BUFFER_ALLOCATE), 0);
    EXPECT_EQ(count(captured_nodes(graph::RunMode::NORMAL, apart), CIRCULAR_BUFFER_ALLOCATE), 1);
}

}  // namespace
}  // namespace ttnn
