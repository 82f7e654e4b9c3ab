// Arguments as vector files have them, and back.
#include <algorithm>

#include <gtest/gtest.h>

#include "sweep/requests.hpp"
#include "tracelift/base/sha256.hpp"
#include "tracelift/dialects/sweep_vector.hpp"
#include "tracelift/sweep/native_vectors.hpp"

namespace tracelift {
namespace {

ttnn::MemoryConfig sharded(ttnn::ShardOrientation orientation) {
    return ttnn::MemoryConfig(
        ttnn::TensorMemoryLayout::BLOCK_SHARDED, ttnn::BufferType::L1,
        ttnn::ShardSpec{ttnn::CoreRangeSet(ttnn::CoreRange({0, 0}, {3, 1})), {32, 64}, orientation});
}

void expect_round_trip(const Value::Dict& arguments) {
    const Json parameters = Json::parse(native_parameters(arguments).dump());
    const Value::Dict back = arguments_of(parameters);
    EXPECT_EQ(back.size(), arguments.size()) << parameters.dump();
    for (const Value::Entry& entry : arguments) {
        const auto found = std::ranges::find(back, entry.key, &Value::Entry::key);
        ASSERT_NE(found, back.end()) << entry.key << " in " << parameters.dump();
        EXPECT_EQ(found->value, entry.value) << found->value.to_text() << "\n" << entry.value.to_text();
    }
}

TEST(VectorJson, TensorsAreTakenApartAsTheLoaderDoes) {
    const Json parameters =
        native_parameters({{"input_tensor", tensor_value({1, 2, 32, 64}, sharded(ttnn::ShardOrientation::COL_MAJOR))}});
    EXPECT_EQ(parameters.at("input_tensor_shape"), "(1, 2, 32, 64)");
    EXPECT_EQ(parameters.at("input_tensor_dtype"), "DataType.BFLOAT16");
    EXPECT_EQ(parameters.at("input_tensor_layout"), "Layout.TILE");
    const Json expected = Json::parse(R"({"type": "ttnn._ttnn.tensor.MemoryConfig", "data": {"buffer_type": "L1",
        "created_with_nd_shard_spec": false, "memory_layout": "BLOCK_SHARDED", "shard_spec": {"grid":
        [{"end": {"x": 3, "y": 1}, "start": {"x": 0, "y": 0}}], "orientation": 1, "shape": [32, 64]}}})");
    EXPECT_EQ(nlohmann::json(parameters.at("input_tensor_memory_config")), nlohmann::json(expected));
    EXPECT_EQ(parameters.size(), 4U);
}

TEST(VectorJson, ArgumentsComeBack) {
    expect_round_trip({{"input_tensor_a", tensor_value({32, 32})}, {"input_tensor_b", 1.5}});
    expect_round_trip({{"input_tensor", tensor_value({7}, sharded(ttnn::ShardOrientation::ROW_MAJOR))},
                       {"dim", -1},
                       {"memory_config", *tensor_value({32, 32}, ttnn::l1_memory_config()).find("memory_config")},
                       {"dtype", Value::Enum{"DataType", "BFLOAT8_B"}},
                       {"name", "x.y"},
                       {"sizes", Value::List{1, 2, Value()}}});
    expect_round_trip({{"tensors", Value::List{tensor_value({1, 32}), tensor_value({2, 32})}}, {"dim", 0}});
}

TEST(VectorJson, TextsAreThoseOfPython) {
    // json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    const Json json = Json::parse(R"({"b": [1, 1.0, 1e-05, 1e16, true, null], "a": {"z": "ü\n\"", "y": -0.5}})");
    EXPECT_EQ(compact_json(json), R"({"a":{"y":-0.5,"z":"ü\n\""},"b":[1,1.0,1e-05,1e+16,true,null]})");
    // hashlib.sha224(b"abc").hexdigest()
    EXPECT_EQ(sha224("abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
}

Configuration add_of(uint32_t width, const ttnn::MemoryConfig& memory, double alpha) {
    Configuration configuration;
    configuration.call.operation = "ttnn.add";
    configuration.call.bound = true;
    configuration.call.arguments = {{"input_tensor_a", tensor_value({32, width}, memory)},
                                    {"input_tensor_b", tensor_value({32, width})}};
    if (alpha != 0) {
        configuration.call.arguments.push_back({"alpha", alpha});
    }
    return configuration;
}

TEST(TracedSpace, CombinationsAreTheProductAndTheirTextsThoseOfTheirArguments) {
    const std::vector<Configuration> traced{add_of(32, {}, 0), add_of(64, ttnn::l1_memory_config(), 2.5),
                                            add_of(96, sharded(ttnn::ShardOrientation::ROW_MAJOR), 0)};
    const auto spaces = traced_spaces(traced);
    ASSERT_EQ(spaces.size(), 1U);
    EXPECT_EQ(spaces[0].combinations(), 3U * 3 * 2) << "shapes, memory configs, other arguments";
    size_t count = 0;
    spaces[0].visit_texts("s", [&](std::span<const uint32_t> point, const std::string& text) {
        Json expected = native_parameters(spaces[0].arguments_at(point));
        expected.update(Json{{"suite_name", "s"},
                             {"sweep_name", "ttnn.add"},
                             {"validity", "VALID"},
                             {"invalid_reason", ""},
                             {"status", "VectorStatus.CURRENT"}});
        EXPECT_EQ(text, compact_json(expected));
        ++count;
        return true;
    });
    EXPECT_EQ(count, 18U);
    for (size_t i = 0; i < traced.size(); ++i) {  // what was traced is among them
        EXPECT_EQ(nlohmann::json(native_parameters(spaces[0].arguments_at(spaces[0].points()[i]))),
                  nlohmann::json(native_parameters(traced[i].call.arguments)));
    }
}

TEST(TracedSpace, CombinationsThatWereTracedAreKnownAsSuch) {
    std::vector<Configuration> traced{add_of(32, {}, 0), add_of(64, ttnn::l1_memory_config(), 0), add_of(32, {}, 0)};
    for (size_t i = 0; i < traced.size(); ++i) {
        traced[i].id = static_cast<int64_t>(10 + i);
        traced[i].identity = fmt::format("identity {}", i);
        traced[i].executions.resize(2);
        for (Execution& execution : traced[i].executions) {
            execution.count = static_cast<int64_t>(i + 1);
        }
    }
    const auto spaces = traced_spaces(traced);
    ASSERT_EQ(spaces.size(), 1U);
    const std::vector<Vector> all = all_case_vectors(spaces[0]);
    ASSERT_EQ(all.size(), 4U) << "two shapes, two memory configs";
    std::map<std::string, std::pair<int64_t, int64_t>> known;
    for (const Vector& vector : all) {
        known.emplace(vector.native->identity, std::pair(vector.native->configuration, vector.executions));
    }
    const std::map<std::string, std::pair<int64_t, int64_t>> expected{
        {"identity 0", {10, 2 + 6}}, {"identity 1", {11, 4}}, {"", {0, 0}}};
    EXPECT_EQ(known, expected);

    const auto points = spaces[0].all_points();
    ASSERT_EQ(points.size(), all.size());
    const std::vector<Vector> some = all_case_vectors(spaces[0], std::vector<size_t>{1, 3});
    ASSERT_EQ(some.size(), 2U);
    EXPECT_EQ(some[0].id, all[1].id);
    EXPECT_EQ(some[1].id, all[3].id);
    for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(nlohmann::json(native_parameters(spaces[0].arguments_at(points[i]))),
                  nlohmann::json(native_parameters(all[i].native->request.arguments)));
    }
}

}  // namespace
}  // namespace tracelift
