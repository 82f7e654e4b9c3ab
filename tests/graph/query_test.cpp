// query_op_constraints: the published figures on an n300 (56 L1 banks), and refusals.
#include "ttnn/graph/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/ops/conv/conv2d.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/binary_extreme.hpp"
#include "ttnn/ops/eltwise/clamp.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/eltwise/unary_predicates.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace ttnn::graph {
namespace {

using testing::HasSubstr;

class QueryTest : public testing::Test {
protected:
    static TensorSpec l1(const Shape& shape) { return {shape, DataType::BFLOAT16, Layout::TILE, l1_memory_config()}; }
    static void expect_figures(const ConstraintQueryResponse& response, uint64_t cb, uint64_t buffers,
                               uint64_t output) {
        ASSERT_EQ(response.status, QueryStatus::SUCCESS) << response.error_message;
        EXPECT_EQ(response.resource_usage.cb_peak_size_per_core, cb);
        EXPECT_EQ(response.resource_usage.l1_buffers_peak_per_core, buffers);
        EXPECT_EQ(response.resource_usage.l1_output_buffer_per_core, output);
    }
    std::shared_ptr<Device> device_ = Device::open({.board = "n300:worker"});
    const TensorSpec input_ = l1({4, 2, 160, 224});
};

TEST_F(QueryTest, Relu) {
    const auto call = [](const std::vector<Tensor>& in) { return std::vector{relu(in[0])}; };
    const auto response = query_op_constraints(call, device_, {input_});
    expect_figures(response, 8192, 10240, 10240);
    EXPECT_EQ(response.output_tensor_specs.at(0), input_);
    expect_figures(query_op_constraints(call, device_, {input_}, {.count_inputs = true}), 8192, 20480, 10240);
}

TEST_F(QueryTest, Softmax) {
    const auto call = [](const std::vector<Tensor>& in) {
        return std::vector{softmax(in[0], {.dim = -1, .numeric_stable = false})};
    };
    expect_figures(query_op_constraints(call, device_, {input_}), 28672, 10240, 10240);
}

TEST_F(QueryTest, AddWithAndWithoutRepeats) {
    const auto call = [](const std::vector<Tensor>& in) { return std::vector{add(in[0], in[1])}; };
    expect_figures(query_op_constraints(call, device_, {input_, input_}), 12288, 10240, 10240);
    expect_figures(query_op_constraints(call, device_, {input_, input_}, {.count_inputs = true}), 12288, 30720, 10240);
    expect_figures(query_op_constraints(call, device_, {input_, l1({1, 1, 160, 224})}), 12288, 20480, 10240);
}

TEST_F(QueryTest, MatmulOfAHeightShardedTensor) {
    const MemoryConfig sharded(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                               ShardSpec{CoreRangeSet(CoreRange({0, 0}, {7, 3})), {32, 64}});
    const TensorSpec a({1, 1, 1024, 64}, DataType::BFLOAT16, Layout::TILE, sharded);
    const auto call = [](const std::vector<Tensor>& in) {
        return std::vector{matmul(in[0], in[1], {.memory_config = l1_memory_config()})};
    };
    expect_figures(query_op_constraints(call, device_, {a, l1({1, 1, 64, 128})}), 24576, 6144, 6144);
}

// The activation in L1, as the figures were taken; prepared weights have 32 rows per tap.
TEST_F(QueryTest, Conv2dWithPreparedWeights) {
    const TensorSpec image({1, 1, 224 * 224, 3}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
    const TensorSpec weights({1, 1, 7 * 7 * 32, 64}, DataType::BFLOAT16, Layout::TILE);
    const auto call = [&](const std::vector<Tensor>& in) {
        return std::vector{std::get<Tensor>(conv2d.with({.input_tensor = in[0],
                                                         .weight_tensor = in[1],
                                                         .device = device_,
                                                         .in_channels = 3,
                                                         .out_channels = 64,
                                                         .batch_size = 1,
                                                         .input_height = 224,
                                                         .input_width = 224,
                                                         .kernel_size = {7, 7},
                                                         .stride = {2, 2},
                                                         .padding = std::array<uint32_t, 2>{3, 3},
                                                         .memory_config = MemoryConfig()}))};
    };
    const auto response = query_op_constraints(call, device_, {image, weights}, {.count_inputs = true});
    ASSERT_EQ(response.status, QueryStatus::SUCCESS) << response.error_message;
    const TensorSpec& output = response.output_tensor_specs.at(0);
    EXPECT_EQ(output, TensorSpec({1, 1, 112 * 112, 64}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_GT(response.resource_usage.cb_peak_size_per_core, 10000U);
    EXPECT_GT(response.resource_usage.l1_buffers_peak_per_core, 150000U);
    EXPECT_GT(response.resource_usage.peak_memory_usage_per_core, 250000U);
}

TEST_F(QueryTest, OtherOperationsSucceed) {
    const auto unary = [&](auto operation) {
        const auto response = query_op_constraints(
            [&](const std::vector<Tensor>& in) { return std::vector{operation(in[0])}; }, device_, {input_});
        EXPECT_EQ(response.status, QueryStatus::SUCCESS) << response.error_message;
        EXPECT_GT(response.resource_usage.cb_peak_size_per_core, 1024U);
        EXPECT_GT(response.resource_usage.l1_buffers_peak_per_core, 1024U);
        EXPECT_GT(response.resource_usage.l1_output_buffer_per_core, 1024U);
    };
    unary([](const Tensor& x) { return sqrt(x); });
    unary([](const Tensor& x) { return sigmoid(x); });
    unary([](const Tensor& x) { return sin(x); });
    unary([](const Tensor& x) { return cos(x); });
    unary([](const Tensor& x) { return reciprocal(x); });
    unary([](const Tensor& x) { return clamp(x, {.min = TensorOrScalar(0.0), .max = TensorOrScalar(5.0)}); });
    unary([](const Tensor& x) { return multiply(x, x); });
    unary([](const Tensor& x) { return maximum(x, x); });
    unary([](const Tensor& x) { return minimum(x, x); });
}

TEST_F(QueryTest, SaysWhyACallIsImpossible) {
    const auto product = [](const std::vector<Tensor>& in) { return std::vector{matmul(in[0], in[1])}; };
    const auto mismatch = query_op_constraints(product, device_, {l1({32, 64}), l1({32, 64})});
    EXPECT_EQ(mismatch.status, QueryStatus::ERROR);
    EXPECT_FALSE(mismatch.error_message.empty());
    const auto call = [](const std::vector<Tensor>& in) { return std::vector{relu(in[0])}; };
    const auto large = query_op_constraints(call, device_, {l1({1, 1, 32, 32 * 56 * 500})});
    EXPECT_EQ(large.status, QueryStatus::ERROR);
    EXPECT_THAT(large.error_message, HasSubstr("of L1 per core"));
    EXPECT_EQ(device_->statistics(BufferType::L1).total_allocated, 0U);
}

TEST_F(QueryTest, RuntimeIsMeasuredAndNothingStaysBehind) {
    int runs = 0;
    const auto call = [&](const std::vector<Tensor>& in) {
        ++runs;
        return std::vector{relu(in[0])};
    };
    const auto response = query_op_runtime(call, device_, {l1({64, 64})});
    EXPECT_EQ(response.status, QueryStatus::SUCCESS) << response.error_message;
    EXPECT_GT(response.runtime_ns, 0U);
    EXPECT_EQ(runs, 26);  // once, 5 to warm up, 20 timed
    EXPECT_EQ(device_->statistics(BufferType::L1).total_allocated, 0U);
    const auto product = [](const std::vector<Tensor>& in) { return std::vector{matmul(in[0], in[1])}; };
    const auto refused = query_op_runtime(product, device_, {l1({32, 64}), l1({32, 64})});
    EXPECT_EQ(refused.status, QueryStatus::ERROR);
    EXPECT_EQ(refused.runtime_ns, 0U);
    EXPECT_FALSE(refused.error_message.empty());
}

TEST_F(QueryTest, OfAFunction) {
    const auto sums = [&] {
        const Tensor x = Tensor::allocate_on_device(l1({1, 1, 32, 32}), device_);
        add(x, x);
    };
    EXPECT_EQ(query_peak_L1_memory_usage(sums), 2 * 2048U + 3 * 4096U);
    EXPECT_THAT(query_output_info(sums), testing::ElementsAre(TensorInfo{{1, 1, 32, 32}, 2048, "L1"}));
}

}  // namespace
}  // namespace ttnn::graph
