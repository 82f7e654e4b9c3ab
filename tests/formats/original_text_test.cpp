// The lines that the original analyzer prints, as its documentation and its output on a real master have them.
#include "tracelift/formats/original_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/dialects/json_tree.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines(std::string_view json, bool debug = false) {
    return original_lines(parse_json(json), debug);
}

TEST(OriginalText, KeepsTheWrappersOfFormat1) {
    EXPECT_THAT(lines(R"([{"arg0": {"Shape": [1, 1, 50176, 16]}}, {"arg1": "1"}, {"arg2": "[3, 3]"},
                          {"arg3": {"Topology": {"a": 1, "b": {"c": {"d": 2}}}}}])"),
                ElementsAre("arg0: {arg0: Shape([1, 1, 50176, 16])}", R"(arg1: {arg1: "1"})",
                            R"(arg2: {arg2: "[3, 3]"})", "arg3: {arg3: {Topology: {a: 1, b: ...}}}"));
    EXPECT_THAT(lines(R"([{"arg0": {"MatmulMultiCoreReuseMultiCastProgramConfig":
                          {"a": 0, "b": 0, "c": 0, "d": 0}}}, {"arg1": [1, 2, 3, 4]}, {"arg2": [1, 2]}])"),
                ElementsAre("arg0: {arg0: {MatmulMultiCoreReuseMultiCastProgramConfig: Dict(4 keys)}}",
                            "arg1: {arg1: List(4 items)}", "arg2: {arg2: [1, 2]}"));
}

TEST(OriginalText, ShowsWhatWasNotGivenOnlyForDebugging) {
    constexpr std::string_view arguments =
        R"([{"arg0": "nullopt"}, {"arg1": "[ unsupported type , std::reference_wrapper<X>]"}, {"arg2": null}])";
    EXPECT_THAT(lines(arguments), ElementsAre());
    EXPECT_THAT(
        lines(arguments, true),
        ElementsAre(R"(arg0: {arg0: "nullopt"})", R"(arg1: {arg1: "[ unsupported type , std::reference_wrapper<X>]"})",
                    "arg2: {arg2: None}"));
}

TEST(OriginalText, ShowsOnlyTensorsRepaired) {
    constexpr std::string_view memory =
        R"(\"memory_layout\":\"TensorMemoryLayout::HEIGHT_SHARDED\",\"buffer_type\":\"BufferType::L1\",)"
        R"(\"shard_spec\":{\"grid\":[{\"x\":0,\"y\":0} - {\"x\":7,\"y\":6}],\"shape\":\"{224, 32}\",)"
        R"(\"orientation\":\"ShardOrientation::ROW_MAJOR\"},\"nd_shard_spec\":\"std::nullopt\",)"
        R"(\"created_with_nd_shard_spec\":0)";
    const std::string element =
        R"x({"UnparsedElement": {"error": "Expecting ',' delimiter: line 1 column 146 (char 145)",
                      "element_info" : ")x";
    const std::string tensor =
        R"({\"arg0\": {\"Tensor\":{\"storage\":{},\"tensor_spec\":{\"logical_shape\":[1, 1, 12544, 32],)"
        R"(\"tensor_layout\":{\"dtype\":\"DataType::BFLOAT8_B\",\"page_config\":{\"config\":{\"tile\":)"
        R"({\"tile_shape\":\"{32, 32}\",\"face_shape\":\"{16, 16}\",\"num_faces\":4}}},\"memory_config\":{)" +
        std::string(memory) + R"(},\"alignment\":[32, 32]}}}}})";
    const std::string config = R"({\"arg1\": {\"MemoryConfig\":{)" + std::string(memory) + "}}}";
    EXPECT_THAT(lines("[" + element + tensor + "\"}}, " + element + config + "\"}}]"),
                ElementsAre("arg0: Tensor(shape=[1, 1, 12544, 32], dtype=BFLOAT8_B, memory=L1_HEIGHT_SHARDED, "
                            "shard(shard_shape=[224, 32], grid=[(0,0)→(7,6)], orientation=ROW_MAJOR))",
                            "arg1: UnparsedElement(error: Expecting ',' delimiter: line 1 column 146 (char 1...)"));
}

TEST(OriginalText, PrintsFormat2AsPlainObjects) {
    EXPECT_THAT(lines(R"({"arg0": {"type": "ttnn.Tensor", "a": 1, "b": 2, "c": 3}, "dim": -1, "scale": 1.0,
                          "dtype": {"type": "DataType", "repr": "DataType.BFLOAT16"}, "none": null})"),
                ElementsAre("arg0: Dict(4 keys)", "dim: -1", "scale: 1.0",
                            R"(dtype: {type: "DataType", repr: "DataType.BFLOAT16"})"));
}

}  // namespace
}  // namespace tracelift
