// Calls that are large enough for several threads, one for every kernel that shares its work: under the thread
// sanitizer they show races, and always that results depend on nothing but the arguments.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/core/one_thread.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/ccl/all_reduce.hpp"
#include "ttnn/ops/conv/conv2d.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/index/sort.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/minimal_matmul.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/pool/max_pool2d.hpp"
#include "ttnn/ops/reduction/reduction.hpp"
#include "ttnn/ops/transformer/scaled_dot_product_attention.hpp"

namespace ttnn {
namespace {

struct LargeCall {
    std::string name;
    std::function<Tensor(const std::shared_ptr<Device>&)> call;
};

// Other numbers on every chip.
Tensor random_tensor(const std::shared_ptr<Device>& device, const Shape& shape, DataType dtype = DataType::BFLOAT16,
                     Layout layout = Layout::TILE) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> draw(-1, 1);
    const TensorSpec spec(shape, dtype, layout);
    Tensor tensor = device != nullptr ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        std::vector<float> values(shape.volume());
        std::ranges::generate(values, [&] { return draw(random); });
        Tensor part = tensor.part(chip);
        write<float>(part, values);
    }
    return tensor;
}

const std::vector<LargeCall> calls = {
    {"elementwise",
     [](const auto& device) {
         const Tensor a = random_tensor(device, {1024, 1024});
         return silu(add(a, random_tensor(device, {1024, 1024})));
     }},
    {"broadcast",
     [](const auto& device) {
         return multiply(random_tensor(device, {4, 512, 512}), random_tensor(device, {4, 1, 512}));
     }},
    {"row_major",
     [](const auto& device) {
         return to_layout(random_tensor(device, {1000, 1000}), Layout::ROW_MAJOR);
     }},
    {"sum_of_rows",
     [](const auto& device) {
         return sum(random_tensor(device, {2048, 1024}), {.dim = -1});
     }},
    {"sum_of_columns",
     [](const auto& device) {
         return sum(random_tensor(device, {2048, 1024}), {.dim = -2});
     }},
    {"mean_of_batches",
     [](const auto& device) {
         return mean(random_tensor(device, {64, 128, 256}), {.dim = 0});
     }},
    {"softmax",
     [](const auto& device) {
         return softmax(random_tensor(device, {4, 512, 1024}), {.dim = -1});
     }},
    {"softmax_of_columns",
     [](const auto& device) {
         return softmax(random_tensor(device, {4, 512, 1024}), {.dim = -2});
     }},
    {"layer_norm",
     [](const auto& device) {
         return layer_norm(random_tensor(device, {2048, 1024}), {.weight = random_tensor(device, {1, 1024})});
     }},
    {"sort",
     [](const auto& device) {
         return sort(random_tensor(device, {2048, 512}), {.dim = -1}).front();
     }},
    {"matmul",
     [](const auto& device) {
         return linear(random_tensor(device, {701, 333}), random_tensor(device, {333, 1500}),
                       {.bias = random_tensor(device, {1, 1500})});
     }},
    {"matmul_of_few_rows",
     [](const auto& device) {
         return linear(random_tensor(device, {32, 777}), random_tensor(device, {777, 3001}));
     }},
    {"minimal_matmul",
     [](const auto& device) {
         return experimental::minimal_matmul(random_tensor(device, {512, 256}), random_tensor(device, {256, 1024}));
     }},
    {"attention",
     [](const auto& device) {
         const Tensor q = random_tensor(device, {1, 8, 256, 64});
         return transformer::scaled_dot_product_attention(q, random_tensor(device, {1, 8, 256, 64}), q);
     }},
    {"conv2d",
     [](const auto& device) {
         return std::get<Tensor>(conv2d.with(
             {.input_tensor = random_tensor(device, {1, 61, 67, 40}, DataType::BFLOAT16, Layout::ROW_MAJOR),
              .weight_tensor = random_tensor(nullptr, {72, 40, 3, 3}, DataType::BFLOAT16, Layout::ROW_MAJOR),
              .device = device,
              .in_channels = 40,
              .out_channels = 72,
              .batch_size = 1,
              .input_height = 61,
              .input_width = 67,
              .kernel_size = {3, 3}}));
     }},
    {"max_pool2d",
     [](const auto& device) {
         return std::get<Tensor>(max_pool2d.with(
             {.input_tensor = random_tensor(device, {1, 1, 128 * 128, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR),
              .batch_size = 1,
              .input_h = 128,
              .input_w = 128,
              .channels = 64,
              .kernel_size = {3, 3},
              .stride = {1, 1},
              .padding = {1, 1},
              .dilation = {1, 1}}));
     }},
};

class LargeCalls : public testing::TestWithParam<LargeCall> {
protected:
    static std::vector<std::byte> bytes_after(const LargeCall& call, const std::shared_ptr<Device>& device) {
        const Tensor output = call.call(device);
        return {output.bytes().begin(), output.bytes().end()};
    }
};

TEST_P(LargeCalls, GiveTheSameBytesOnOneThread) {
    const auto device = Device::open();
    const std::vector<std::byte> shared = bytes_after(GetParam(), device);
    const OneThread one_thread;
    EXPECT_TRUE(shared == bytes_after(GetParam(), device));
}

INSTANTIATE_TEST_SUITE_P(Every, LargeCalls, testing::ValuesIn(calls),
                         [](const auto& large) { return large.param.name; });

TEST(LargeCallsOnMeshes, GiveTheSameBytesOnOneThread) {
    const auto device = Device::open({.board = "n150", .mesh = {{2, 2}}});
    const auto work = [&] {
        const Tensor a = random_tensor(device, {256, 512});
        return all_reduce(silu(linear(a, random_tensor(device, {512, 512}))), {.cluster_axis = 1});
    };
    const Tensor shared = work();
    const OneThread one_thread;
    const Tensor alone = work();
    for (uint32_t chip = 0; chip < 4; ++chip) {
        EXPECT_TRUE(std::ranges::equal(shared.part(chip).bytes(), alone.part(chip).bytes())) << "chip " << chip;
    }
}

}  // namespace
}  // namespace ttnn
