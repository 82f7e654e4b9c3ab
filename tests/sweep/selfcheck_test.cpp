// Replayed configurations get their identity again, whatever machine they were captured on.
#include "tracelift/replay/selfcheck.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/store.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "tracelift/sweep/runner.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using testing::master_path;

PoolOptions two_workers() {
    PoolOptions options;
    options.workers = 2;
    options.timeout = std::chrono::minutes(10);
    options.memory_limit = uint64_t{2} << 30;
    return options;
}

class Selfcheck : public ::testing::Test {
protected:
    Store imported(const fs::path& file) {
        Store store = Store::open_for_writing(scratch_.path() / "store");
        store.import_master(file, {});
        return store;
    }
    Store imported(const Json& master) {
        std::ofstream(scratch_.path() / "master.json") << master;
        return imported(scratch_.path() / "master.json");
    }
    static std::vector<Configuration> bound(Store& store) {
        std::vector<Configuration> configurations;
        store.visit({}, [&](Configuration& configuration) {
            if (configuration.call.bound) {
                configurations.push_back(configuration);
            }
            return true;
        });
        return configurations;
    }
    static void expect_same(const std::vector<Configuration>& configurations) {
        for (const SelfcheckResult& result : selfcheck(configurations, two_workers(), [](const auto&) {})) {
            EXPECT_TRUE(result.same) << result.problem;
        }
    }
    ScratchFolder scratch_;
};

Json interleaved(const std::vector<int>& shape) {
    return {
        {"Tensor",
         {{"storage", Json::object()},
          {"tensor_spec",
           {{"logical_shape", shape},
            {"tensor_layout",
             {{"dtype", "DataType::BFLOAT16"},
              {"page_config",
               {{"config", {{"tile", {{"tile_shape", "{32, 32}"}, {"face_shape", "{16, 16}"}, {"num_faces", 4}}}}}}},
              {"memory_config",
               {{"memory_layout", "TensorMemoryLayout::INTERLEAVED"},
                {"buffer_type", "BufferType::DRAM"},
                {"shard_spec", "std::nullopt"},
                {"nd_shard_spec", "std::nullopt"},
                {"created_with_nd_shard_spec", 0}}},
              {"alignment", {32, 32}}}}}}}}};
}

// Format 1 says nothing of the machine: the board that the call is replayed on must not become part of it.
TEST_F(Selfcheck, ConfigurationsWithoutAMachineKeepTheirIdentity) {
    const Json lost = "[ unsupported type , std::reference_wrapper<ttnn::TileReshapeMapMode const>]";
    const Json relu = Json::array({{{"arg0", interleaved({1, 1, 32, 64})}}});
    const Json reshape = Json::array({{{"arg0", interleaved({1, 1, 64, 32})}},
                                      {{"arg1", {{"Shape", {1, 1, 32, 64}}}}},
                                      {{"arg2", "nullopt"}},
                                      {{"arg3", "nullopt"}},
                                      {{"arg4", lost}}});
    Store store = imported(
        Json{{"operations",
              {{"ttnn::relu", {{"configurations", {relu}}}}, {"ttnn::reshape", {{"configurations", {reshape}}}}}}});
    const auto configurations = bound(store);
    ASSERT_EQ(configurations.size(), 2U);
    EXPECT_FALSE(configurations[0].hardware);
    expect_same(configurations);
}

TEST_F(Selfcheck, EveryConfigurationOfARealMasterWithoutMachines) {
    REQUIRE_MASTER_FILE("efficientnet_b0_format1.json");
    Store store = imported(master_path("efficientnet_b0_format1.json"));
    const auto configurations = bound(store);
    EXPECT_EQ(configurations.size(), 387U);
    expect_same(configurations);
}

// Python opens an n300 with dispatch on its ethernet cores, which leaves a compute grid of 8 x 8.
TEST_F(Selfcheck, MastersOfAnN300FindItsWholeGrid) {
    const Json tensor{{"type", "ttnn.Tensor"},
                      {"original_shape", {1, 1, 2048, 32}},
                      {"original_dtype", "DataType.BFLOAT16"},
                      {"layout", "Layout.TILE"},
                      {"storage_type", "StorageType.DEVICE"},
                      {"memory_config",
                       {{"memory_layout", "TensorMemoryLayout.HEIGHT_SHARDED"},
                        {"buffer_type", "BufferType.L1"},
                        {"shard_spec",
                         {{"grid", {{{"start", {{"x", 0}, {"y", 0}}}, {"end", {{"x", 7}, {"y", 7}}}}}},
                          {"shape", {32, 32}},
                          {"orientation", "ROW_MAJOR"}}}}}};
    const Json machine{{"board_type", "Wormhole"}, {"device_series", "n300"}, {"card_count", 1}};
    const Json configuration{{"config_id", 1},
                             {"config_hash", "0"},
                             {"arguments", {{"arg0", tensor}}},
                             {"executions", {{{"source", "m"}, {"machine_info", machine}, {"count", 1}}}}};
    Store store = imported(Json{{"operations", {{"ttnn.relu", {{"configurations", {configuration}}}}}}});
    const auto configurations = bound(store);
    ASSERT_EQ(configurations.size(), 1U);
    EXPECT_EQ(configurations[0].board, "n300:eth");
    expect_same(configurations);
    RunnerOptions options;
    options.pool = two_workers();
    run_vectors(traced_vectors(configurations), options, [](const Vector&, const ResultRecord& result) {
        EXPECT_EQ(result.status, Status::PASS) << result.exception;
    });
}

Json on_mesh(const char* placements, const char* distribution) {
    return {
        {"type", "ttnn.Tensor"},
        {"original_shape", {1, 1, 32, 64}},
        {"original_dtype", "DataType.BFLOAT16"},
        {"layout", "Layout.TILE"},
        {"storage_type", "StorageType.DEVICE"},
        {"memory_config", {{"memory_layout", "TensorMemoryLayout.INTERLEAVED"}, {"buffer_type", "BufferType.DRAM"}}},
        {"tensor_placement",
         {{"placement", placements}, {"distribution_shape", distribution}, {"mesh_device_shape", "[1, 2]"}}}};
}

// Also where the machine tells no mesh, and on the host, where a board cannot be seen.
TEST_F(Selfcheck, MastersOfAMeshAreReplayedOnIt) {
    const Json cut = on_mesh("['PlacementShard(-2)', 'PlacementShard(3)']", "[1, 2]");
    const Json same = on_mesh("['PlacementReplicate']", "[2]");
    Json host = same;
    host["storage_type"] = "StorageType.HOST";
    host["layout"] = "Layout.ROW_MAJOR";
    const Json machine{{"board_type", "Wormhole"},
                       {"device_series", "n300"},
                       {"card_count", 1},
                       {"device_count", 2},
                       {"mesh_device_shape", {1, 2}}};
    Json without_mesh = machine;
    without_mesh.erase("mesh_device_shape");
    const auto configuration = [](const Json& arguments, const Json& info) {
        return Json{{"config_id", 1},
                    {"config_hash", "0"},
                    {"arguments", arguments},
                    {"executions", {{{"source", "m"}, {"machine_info", info}, {"count", 1}}}}};
    };
    const Json shape{{"type", "Shape"}, {"value", "Shape([1, 1, 64, 32])"}};
    Store store = imported(
        Json{{"operations",
              {{"ttnn.add", {{"configurations", {configuration({{"arg0", cut}, {"arg1", same}}, machine)}}}},
               {"ttnn.concat",
                {{"configurations", {configuration({{"arg0", Json::array({cut, cut})}, {"dim", -1}}, without_mesh)}}}},
               {"ttnn.reshape", {{"configurations", {configuration({{"arg0", host}, {"arg1", shape}}, machine)}}}}}}});
    const auto configurations = bound(store);
    ASSERT_EQ(configurations.size(), 3U);
    for (const Configuration& each : configurations) {
        EXPECT_EQ(each.board, "n300:eth");
        EXPECT_EQ(request_of(each).board, "n300:eth@1x2");
    }
    expect_same(configurations);
    RunnerOptions options;
    options.pool = two_workers();
    run_vectors(traced_vectors(configurations), options, [](const Vector&, const ResultRecord& result) {
        EXPECT_EQ(result.status, Status::PASS) << result.exception;
    });
}

// Activations that the capture lost: the call is carried out without them, and is still another call.
TEST_F(Selfcheck, LostArgumentsAreLeftOutAndCounted) {
    const Json lost = "[ unsupported type , std::reference_wrapper<ttsl::SmallVector<BasicUnaryWithParam, 8ul> const>]";
    Json add = Json::array();
    for (int i = 0; i < 9; ++i) {
        add.push_back({{"arg" + std::to_string(i), i < 2              ? interleaved({1, 1, 32, 64})
                                                   : i >= 5 && i <= 7 ? lost
                                                                      : Json("nullopt")}});
    }
    Json without = add;
    for (const size_t i : {5, 6, 7}) {
        without[i].begin().value() = "nullopt";
    }
    Store store = imported(Json{{"operations", {{"ttnn::add", {{"configurations", {add, without}}}}}}});
    const auto configurations = bound(store);
    ASSERT_EQ(configurations.size(), 2U);
    EXPECT_NE(configurations[0].identity, configurations[1].identity);
    expect_same(configurations);
    const auto lost_in = [&](int64_t id) {
        Statement select(store.database(), "SELECT lost FROM configuration WHERE id = ?");
        select.with(id).step();
        return select.integer(0);
    };
    EXPECT_EQ(lost_in(configurations[0].id), 3);
    EXPECT_EQ(lost_in(configurations[1].id), 0);
}

}  // namespace
}  // namespace tracelift
