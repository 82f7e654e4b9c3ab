// What a call carries along.
#include "ttnn/core/call_context.hpp"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/example/composite_example.hpp"

namespace ttnn {
namespace {

TEST(CallContext, RunsAreCountedWhetherAnybodyWatchesOrNot) {
    const auto device = Device::open();
    const Tensor input = Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), device);
    composite_example(input);
    const uint64_t before = call_context.run;
    composite_example(input);
    EXPECT_EQ(call_context.run, before + 1);  // its primitive is part of it
    const auto observer = std::make_shared<Observer>();
    attach(observer);
    composite_example(input);
    detach(observer);
    EXPECT_EQ(call_context.run, before + 2);
    EXPECT_EQ(call_context.depth, 0U);
}

TEST(CallContext, ACallThatFailsIsClosed) {
    EXPECT_THROW(composite_example(Tensor()), Error);
    EXPECT_EQ(call_context.depth, 0U);
}

TEST(CallContext, NoTwoThreadsHaveTheSameRun) {
    constexpr int threads = 4;
    constexpr int calls = 100;
    std::vector<std::vector<uint64_t>> runs(threads);
    {
        std::vector<std::jthread> running;
        for (auto& own : runs) {
            running.emplace_back([&own] {
                for (int i = 0; i < calls; ++i) {
                    const CallScope outer;
                    const CallScope inner;
                    own.push_back(call_context.run);
                }
            });
        }
    }
    std::set<uint64_t> all;
    for (const auto& own : runs) {
        all.insert(own.begin(), own.end());
    }
    EXPECT_EQ(all.size(), size_t{threads * calls});
}

TEST(CallContext, AScopePutsBackWhatWasThere) {
    using Values = ContextScope<&CallContext::encode_values>;
    const Values on(true);
    {
        const Values off(false);
        EXPECT_FALSE(call_context.encode_values);
    }
    EXPECT_TRUE(call_context.encode_values);
}

}  // namespace
}  // namespace ttnn
