// Shrinking with failures that are only said to be some: what is found, that it ends, that it is the smallest.
#include "tracelift/replay/shrink.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/calls.hpp"
#include "tracelift/replay/call_parts.hpp"
#include "tracelift/replay/call_size.hpp"
#include "tracelift/replay/smaller_calls.hpp"
#include "tracelift/value/canonical.hpp"
#include "ttnn/device/device.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using Predicate = std::function<bool(const Value::Dict&)>;

constexpr size_t plenty = 1'000'000;

const Value* argument(const Value::Dict& call, std::string_view name) {
    const auto found = std::ranges::find(call, name, &Value::Entry::key);
    return found == call.end() ? nullptr : &found->value;
}

std::vector<int64_t> shape_of(const Value::Dict& call, std::string_view name) {
    const Value* tensor = argument(call, name);
    return tensor != nullptr ? numbers_at(*tensor, "shape") : std::vector<int64_t>();
}

bool is_legal(const ttnn::OpInfo& op, const Value::Dict& call) {
    static const auto device = ttnn::Device::open({});
    try {
        ttnn::decode_call(op, {}, call, {device, ttnn::Tensor::without_bytes});
        return true;
    } catch (const ttnn::Error&) {
        return false;
    }
}

// Shrinks; no call is asked about twice, none that is not smaller, and none in reach of the result is smaller still.
Shrunk shrunk(std::string_view operation, const Value::Dict& call, const Predicate& fails) {
    const ttnn::OpInfo& op = *ttnn::find_operation(operation);
    EXPECT_TRUE(fails(call));
    std::set<std::string> asked;
    const auto answers = [&](std::span<const Value::Dict> calls) {
        std::vector<bool> failing;
        for (const Value::Dict& one : calls) {
            EXPECT_TRUE(asked.insert(content_hash(one)).second) << Value(one).to_text();
            EXPECT_LT(size_of(one), size_of(call));
            failing.push_back(fails(one));
        }
        return failing;
    };
    Shrunk result = shrink(op, call, answers, plenty);
    EXPECT_TRUE(result.smallest);
    EXPECT_TRUE(fails(result.arguments));
    EXPECT_EQ(result.tried, asked.size());
    for (const Move& move : all_moves()) {
        std::vector<Value::Dict> calls;
        move.propose(op, result.arguments, calls);
        for (const Value::Dict& other : calls) {
            EXPECT_FALSE(size_of(other) < size_of(result.arguments) && fails(other))
                << move.name << ": " << Value(other).to_text();
        }
    }
    return result;
}

TEST(Shrink, TensorsNeedNotLieOnAMesh) {
    const Value lies = Value::Dict{
        {"placement", "['PlacementShard(3)']"}, {"distribution_shape", "[2]"}, {"mesh_device_shape", "[1, 2]"}};
    const Value tensor = with_field(tensor_value({1, 1, 32, 64}), "tensor_placement", lies);
    const auto is_spread = [](const Value::Dict& call) {
        const Value* found = argument(call, "input_tensor");
        return found != nullptr && found->find("tensor_placement") != nullptr;
    };
    EXPECT_TRUE(is_spread(shrunk("ttnn.relu", {{"input_tensor", tensor}}, is_spread).arguments));
    const auto has_input = [](const Value::Dict& call) { return argument(call, "input_tensor") != nullptr; };
    EXPECT_FALSE(is_spread(shrunk("ttnn.relu", {{"input_tensor", tensor}}, has_input).arguments));
}

TEST(SmallerNumbers, GoDownInEverSmallerSteps) {
    EXPECT_THAT(smaller_numbers(100), ElementsAre(0, 1, 2, 4, 32, 36, 50, 64, 68, 75, 88, 94, 96, 97, 99));
    EXPECT_THAT(smaller_numbers(3), ElementsAre(0, 1, 2));
    EXPECT_THAT(smaller_numbers(1), ElementsAre(0));
    EXPECT_TRUE(smaller_numbers(0).empty());
}

TEST(CallSize, WhatIsSaidFirstDecides) {
    using ttnn::TensorMemoryLayout;
    const Value::Dict large{{"a", tensor_value({1024, 1024})}};
    const Value::Dict two{{"a", tensor_value({1})}, {"b", tensor_value({1})}};
    EXPECT_LT(size_of(large), size_of(two));
    const Value::Dict cut{
        {"a", tensor_value({32, 32}, {.memory = sharded_memory(TensorMemoryLayout::BLOCK_SHARDED, 1, 1, {32, 32})})}};
    EXPECT_LT(size_of(large), size_of(cut));
    const Value::Dict low{{"a", tensor_value({2048, 2048})}};
    const Value::Dict high{{"a", tensor_value({1, 1, 1})}};
    EXPECT_LT(size_of(low), size_of(high));
    EXPECT_EQ(size_of({{"x", 0}}), size_of({{"x", 0.0}}));
    EXPECT_LT(size_of({{"x", 1}}), size_of({{"x", -1}}));
    EXPECT_LT(size_of({{"x", 1000.0}}), size_of({{"x", 0.5}}));
}

TEST(Shrink, WhatAlwaysFailsBecomesTheSmallestCall) {
    const ttnn::MemoryConfig memory = sharded_memory(ttnn::TensorMemoryLayout::BLOCK_SHARDED, 8, 4, {64, 32});
    const Value::Dict call{{"input_tensor_a", tensor_value({2, 1, 128, 256}, {.memory = memory})},
                           {"input_tensor_b", tensor_value({2, 1, 128, 256}, {.dtype = ttnn::DataType::BFLOAT8_B})},
                           {"memory_config", memory_value(memory)},
                           {"dtype", Value::Enum{"DataType", "BFLOAT8_B"}}};
    const Shrunk result = shrunk("ttnn.add", call, [](const Value::Dict&) { return true; });
    const TensorOptions plainest{.dtype = ttnn::DataType::FLOAT32, .layout = ttnn::Layout::ROW_MAJOR};
    // Only numbers can replace b in this overload; tensors stay tensors.
    EXPECT_EQ(Value(result.arguments).to_text(), Value(Value::Dict{{"input_tensor_a", tensor_value({1}, plainest)},
                                                                   {"input_tensor_b", tensor_value({1}, plainest)}})
                                                     .to_text());
}

TEST(Shrink, SizesThatBelongTogetherStayTogether) {
    const auto fails = [](const Value::Dict& call) {
        const auto a = shape_of(call, "input_tensor_a");
        const auto b = shape_of(call, "input_tensor_b");
        return a.size() >= 2 && b.size() >= 2 && a.back() == b[b.size() - 2] && a.back() >= 40;
    };
    const Value::Dict call{{"input_tensor_a", tensor_value({1, 8, 128, 768})},
                           {"input_tensor_b", tensor_value({768, 3072})},
                           {"transpose_a", false},
                           {"memory_config", memory_value(ttnn::l1_memory_config())}};
    const Shrunk result = shrunk("ttnn.matmul", call, fails);
    EXPECT_THAT(shape_of(result.arguments, "input_tensor_a"), ElementsAre(1, 40));
    EXPECT_THAT(shape_of(result.arguments, "input_tensor_b"), ElementsAre(40, 1));
    EXPECT_EQ(result.arguments.size(), 2U);
}

TEST(Shrink, NumbersThatRepeatASizeFollowIt) {
    const auto fails = [](const Value::Dict& call) {
        const auto shape = shape_of(call, "input_tensor");
        const auto asked = numbers_at(Value(call), "shape");
        return shape.size() == 2 && shape == asked && shape.back() >= 33;
    };
    const Value::Dict call{{"input_tensor", tensor_value({64, 96})}, {"shape", Value::List{64, 96}}};
    const Shrunk result = shrunk("ttnn.reshape", call, fails);
    EXPECT_THAT(shape_of(result.arguments, "input_tensor"), ElementsAre(1, 33));
    EXPECT_THAT(numbers_at(Value(result.arguments), "shape"), ElementsAre(1, 33));
}

TEST(Shrink, ProgramsCountInTiles) {
    const auto per_core = [](const Value::Dict& call) -> int64_t {
        const Value* config = argument(call, "program_config");
        const Value* found = config != nullptr ? config->find("per_core_M") : nullptr;
        return found != nullptr && found->as<int64_t>() != nullptr ? *found->as<int64_t>() : 0;
    };
    const auto fails = [&](const Value::Dict& call) {
        const auto a = shape_of(call, "input_tensor_a");
        return a.size() >= 2 && per_core(call) >= 2 && a[a.size() - 2] == 32 * per_core(call);
    };
    const Value::Dict call{
        {"input_tensor_a", tensor_value({256, 64})},
        {"input_tensor_b", tensor_value({64, 64})},
        {"program_config", Value::Struct{"MatmulMultiCoreReuseProgramConfig",
                                         {{"in0_block_w", 2}, {"per_core_M", 8}, {"per_core_N", 2}}}}};
    const Shrunk result = shrunk("ttnn.linear", call, fails);
    EXPECT_THAT(shape_of(result.arguments, "input_tensor_a"), ElementsAre(64, 1));
    EXPECT_EQ(per_core(result.arguments), 2);
}

TEST(Shrink, ShardsFitWhatIsLeft) {
    const ttnn::OpInfo& op = *ttnn::find_operation("ttnn.relu");
    const auto fails = [&](const Value::Dict& call) {
        const Value* tensor = argument(call, "input_tensor");
        const Value* memory = tensor != nullptr ? tensor->find("memory_config") : nullptr;
        return memory != nullptr && member_at(*memory, "memory_layout") == "HEIGHT_SHARDED" &&
               member_at(*tensor, "layout") == "TILE" && size_of(call).cores >= 3 && is_legal(op, call);
    };
    const ttnn::MemoryConfig memory = sharded_memory(ttnn::TensorMemoryLayout::HEIGHT_SHARDED, 8, 8, {32, 64});
    const Value::Dict call{{"input_tensor", tensor_value({1, 4, 512, 64}, {.memory = memory})},
                           {"memory_config", memory_value(memory)}};
    const Shrunk result = shrunk("ttnn.relu", call, fails);
    // Three cores in a row or in a column; one tile lies on the first of them.
    EXPECT_EQ(size_of(result.arguments).cores, 3U);
    EXPECT_THAT(shape_of(result.arguments, "input_tensor"), ElementsAre(1));
    const Value* spec = argument(result.arguments, "input_tensor")->find("memory_config")->find("shard_spec");
    ASSERT_NE(spec, nullptr);
    EXPECT_THAT(numbers_at(*spec, "shape"), ElementsAre(32, 32));
    EXPECT_EQ(result.arguments.size(), 1U);
}

TEST(Shrink, ListsLoseWhatIsNotNeeded) {
    const auto fails = [](const Value::Dict& call) {
        const Value* tensors = argument(call, "tensors");
        const auto* list = tensors != nullptr ? tensors->as<Value::List>() : nullptr;
        return list != nullptr && std::ranges::any_of(*list, [](const Value& tensor) {
                   const auto shape = numbers_at(tensor, "shape");
                   return !shape.empty() && shape.back() % 32 == 5;
               });
    };
    const Value::Dict call{
        {"tensors", Value::List{tensor_value({2, 64}), tensor_value({2, 69}), tensor_value({2, 96})}}, {"dim", 1}};
    const Shrunk result = shrunk("ttnn.concat", call, fails);
    const auto* list = argument(result.arguments, "tensors")->as<Value::List>();
    ASSERT_EQ(list->size(), 1U);
    EXPECT_THAT(numbers_at(list->front(), "shape"), ElementsAre(5));
}

TEST(Shrink, TheSameAnswersGiveTheSameResult) {
    const auto fails = [](const Value::Dict& call) {
        const auto a = shape_of(call, "input_tensor_a");
        return !a.empty() && a.back() >= 17;
    };
    const Value::Dict call{{"input_tensor_a", tensor_value({4, 4, 64, 100})},
                           {"input_tensor_b", tensor_value({4, 4, 64, 100})}};
    const Shrunk first = shrunk("ttnn.add", call, fails);
    const Shrunk second = shrunk("ttnn.add", call, fails);
    EXPECT_EQ(first.arguments, second.arguments);
    EXPECT_EQ(first.tried, second.tried);
    EXPECT_EQ(first.alike, second.alike);
    EXPECT_THAT(shape_of(first.arguments, "input_tensor_a"), ElementsAre(17));
}

TEST(Shrink, StopsWhereItsLimitsAreReached) {
    const ttnn::OpInfo& op = *ttnn::find_operation("ttnn.relu");
    const Value::Dict call{{"input_tensor", tensor_value({64, 64})}};
    const auto never = [](std::span<const Value::Dict> calls) { return std::vector<bool>(calls.size(), false); };
    const Shrunk bounded = shrink(op, call, never, 5);
    EXPECT_EQ(bounded.tried, 5U);
    EXPECT_FALSE(bounded.smallest);
    EXPECT_EQ(bounded.arguments, call);
    size_t batches = 0;  // there is time for one of them
    const auto once = [&](std::span<const Value::Dict> calls) {
        return std::vector<bool>(batches++ == 0 ? calls.size() : 0, true);
    };
    const Shrunk stopped = shrink(op, call, once, plenty);
    EXPECT_EQ(batches, 2U);
    EXPECT_FALSE(stopped.smallest);
    EXPECT_LT(size_of(stopped.arguments), size_of(call));  // what was found until then counts
}

TEST(FieldChanges, NameWhatDiffers) {
    const Value::Dict before{{"a", tensor_value({1, 64})}, {"x", 2}, {"y", 3}};
    const Value::Dict after{{"a", tensor_value({1}, {.dtype = ttnn::DataType::FLOAT32})}, {"y", 3}};
    const auto changes = field_changes(before, after);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].field, "a.shape");
    EXPECT_EQ(changes[0].before, "[1, 64]");
    EXPECT_EQ(changes[0].after, "[1]");
    EXPECT_EQ(changes[1].field, "a.dtype");
    EXPECT_EQ(changes[1].after, "FLOAT32");
    EXPECT_EQ(changes[2].field, "x");
    EXPECT_EQ(changes[2].after, "not given");
}

}  // namespace
}  // namespace tracelift
