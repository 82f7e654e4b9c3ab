#include "tracelift/formats/legacy_hash.hpp"

#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "dialects/support.hpp"

namespace tracelift {
namespace {

using nlohmann::json;

json tensor_argument(const json& memory_extra, const json& fields) {
    json memory = {{"interleaved", true},
                   {"is_sharded", false},
                   {"memory_layout", "TensorMemoryLayout.INTERLEAVED"},
                   {"shard_spec", nullptr}};
    memory.update(memory_extra);
    json result = {{"type", "ttnn.Tensor"}, {"storage_type", "StorageType.DEVICE"}, {"memory_config", memory}};
    result.update(fields);
    return result;
}

json configuration(const json& argument, const json& machine) {
    return {{"arguments", {{"arg0", argument}}}, {"executions", {{{"count", 1}, {"machine_info", machine}}}}};
}

TEST(LegacyHash, WorkedExampleOfH2) {
    const json argument = tensor_argument(
        {{"buffer_type", "BufferType.DRAM"}, {"hash", 123}},
        {{"layout", "Layout.ROW_MAJOR"},
         {"original_dtype", "DataType.UINT32"},
         {"original_shape", {1, 32}},
         {"tensor_placement",
          {{"distribution_shape", "[2]"}, {"mesh_device_shape", "[1, 2]"}, {"placement", "['PlacementReplicate']"}}}});
    const json config =
        configuration(argument, {{"board_type", "Wormhole"}, {"device_series", "n300"}, {"card_count", 1}});
    EXPECT_EQ(legacy_hash(LegacyVariant::H2, "ttnn.plus_one", config),
              "2c81460873c0bbf7d0443bb6768aefcb0b48cbb2b472ce4ab7452267d2ff165d");
}

TEST(LegacyHash, WorkedExampleOfH1) {
    const json argument =
        tensor_argument({{"buffer_type", "BufferType.L1"}, {"hash", 46082544170029282}, {"shard_spec", "None"}},
                        {{"layout", "Layout.TILE"},
                         {"original_dtype", "DataType.BFLOAT16"},
                         {"original_shape", {1, 1, 32, 256}},
                         {"tensor_placement",
                          {{"distribution_shape", "[4, 8]"},
                           {"mesh_device_shape", "[4, 8]"},
                           {"placement", "['PlacementShard(2)', 'PlacementShard(1)']"}}}});
    json config =
        configuration(argument, {{"board_type", "Wormhole"}, {"device_series", {"tt-galaxy-wh"}}, {"card_count", 32}});
    config["config_hash"] = "bf43f121cd8ad46bbba60292c668fafb625903ed4e8bffda8d9292435400cf51";
    const auto match = match_legacy_hash("ttnn.sigmoid", config);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->variant, LegacyVariant::H1);
    EXPECT_EQ(match->hash, config["config_hash"]);
}

TEST(LegacyHash, AddressesDoNotCountInH2) {
    const auto hash = [](LegacyVariant variant, const std::string& text) {
        return legacy_hash(variant, "ttnn.x", configuration(text, nullptr));
    };
    EXPECT_EQ(hash(LegacyVariant::H2, "<semaphore at 0x7f00ab>"), hash(LegacyVariant::H2, "<semaphore at 0x12>"));
    EXPECT_EQ(hash(LegacyVariant::H2, "<semaphore at 0x12>"), hash(LegacyVariant::H1, "<semaphore>"));
    EXPECT_EQ(hash(LegacyVariant::H2, "nothing at 0x"), hash(LegacyVariant::H1, "nothing at 0x"));
}

TEST(LegacyHash, MeshComesFromTheFirstPlacement) {
    const auto hash = [](const std::string& placement) {
        const json entry = {{"placement", placement}, {"mesh_device_shape", "[1, 2]"}};
        return legacy_hash(LegacyVariant::H1, "ttnn.x",
                           configuration(1, {{"tensor_placements", json::array({entry})}}));
    };
    EXPECT_EQ(hash("[PlacementShard(-1)]"), hash("[PlacementReplicate]"));
    EXPECT_NE(hash("[PlacementShard(1)]"), hash("[PlacementReplicate]"));
    EXPECT_NE(hash("[PlacementShard(1)]"), hash("[PlacementShard(2)]"));
}

TEST(LegacyHash, NoMatch) {
    EXPECT_FALSE(match_legacy_hash("ttnn.x", configuration(1, nullptr)));
    json config = configuration(1, nullptr);
    config["config_hash"] = "0";
    EXPECT_FALSE(match_legacy_hash("ttnn.x", config));
    EXPECT_THROW(legacy_hash(LegacyVariant::H1, "ttnn.x", json::array()), std::invalid_argument);
}

std::map<LegacyVariant, int> count_matches(const json& master, int& total) {
    std::map<LegacyVariant, int> counts;
    for (const auto& [name, operation] : master["operations"].items()) {
        for (const json& config : operation["configurations"]) {
            ++total;
            if (const auto match = match_legacy_hash(name, config)) {
                ++counts[match->variant];
            }
        }
    }
    return counts;
}

TEST(LegacyHash, EveryHashOfTheTracersMasterIsH1) {
    REQUIRE_MASTER(json, master, "deepseek_v3_galaxy_format2.json");
    int total = 0;
    EXPECT_EQ(count_matches(master, total),
              (std::map<LegacyVariant, int>{{LegacyVariant::H1, 334}, {LegacyVariant::H1_NON_FINITE, 4}}));
    EXPECT_EQ(total, 338);
}

TEST(LegacyHash, EveryHashOfTheRebuiltMasterIsH2) {
    REQUIRE_MASTER(json, master, "llama32_1b_n300_format2.json");
    int total = 0;
    // four pad with the lowest double, which the file has as a whole number of 309 digits
    EXPECT_EQ(count_matches(master, total),
              (std::map<LegacyVariant, int>{{LegacyVariant::H2, 605}, {LegacyVariant::H2_REBUILT, 4}}));
    EXPECT_EQ(total, 609);
}

}  // namespace
}  // namespace tracelift
