// Captures on a mesh: what all chips do together is told once, and every chip is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "captured.hpp"
#include "ttnn/graph/report.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int mesh_id = 40;

std::shared_ptr<Device> mesh_of_8() {
    return Device::open(
        {.device_id = mesh_id, .board = "n300", .mesh = {{2, 4}}, .chip_ids = {0, 1, 2, 3, 4, 5, 6, 7}});
}

Trace relu_on(const std::shared_ptr<Device>& device) {
    const Tensor input = l1_tiles(device, {1, 1, 32, 32});
    return captured_in(RunMode::NORMAL, [&] { relu(input); });
}

const Node& first(const Trace& trace, NodeType type) { return *std::ranges::find(trace, type, &Node::type); }

TEST(GraphOnAMesh, ABufferIsAllocatedOnceOnTheMesh) {
    const Trace mesh = relu_on(mesh_of_8());
    EXPECT_EQ(types(mesh), types(relu_on(Device::open({.board = "n300"}))));
    EXPECT_EQ(count(mesh, NodeType::BUFFER_ALLOCATE), 1);
    EXPECT_EQ(count(mesh, NodeType::BUFFER_DEALLOCATE), 1);
    for (const NodeType type :
         {NodeType::BUFFER, NodeType::BUFFER_ALLOCATE, NodeType::BUFFER_DEALLOCATE, NodeType::CIRCULAR_BUFFER_ALLOCATE,
          NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL, NodeType::TENSOR}) {
        EXPECT_EQ(first(mesh, type).find("device_id"), std::to_string(mesh_id));
    }
}

TEST(GraphOnAMesh, ATensorIsAtTheSameAddressOnEveryChip) {
    const Trace trace = relu_on(mesh_of_8());
    const Node& tensor = first(trace, NodeType::TENSOR);
    const auto places = nlohmann::json::parse(*tensor.find("device_tensors"));
    ASSERT_EQ(places.size(), 8U);
    for (int chip = 0; chip < 8; ++chip) {
        EXPECT_EQ(places[chip]["device_id"], chip);
        EXPECT_EQ(std::to_string(places[chip]["address"].get<uint64_t>()), *tensor.find("address"));
    }
}

TEST(GraphOnAMesh, APartIsOnItsChip) {
    const Tensor part = l1_tiles(mesh_of_8(), {1, 1, 32, 32}).part(5);
    const Trace trace = captured_in(RunMode::NORMAL, [&] { relu(part); });
    const auto places = nlohmann::json::parse(*first(trace, NodeType::TENSOR).find("device_tensors"));
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0]["device_id"], 5);
}

TEST(GraphOnAMesh, OneChipIsToldAsEver) {
    const auto device = Device::open({.device_id = 3, .board = "n300"});
    const Tensor input = l1_tiles(device, {1, 1, 32, 32});
    const Trace trace = captured_in(RunMode::NORMAL, [&] { relu(input); });
    EXPECT_EQ(first(trace, NodeType::TENSOR).find("device_tensors"),
              fmt::format(R"([{{"address":{},"device_id":3}}])", input.buffer_address()));
}

nlohmann::json report_of(const std::function<void()>& function) {
    const auto capture = std::make_shared<Capture>(CaptureOptions{});
    attach(capture);
    function();
    detach(capture);
    capture->end();
    return nlohmann::json::parse(report_text(*capture, false));
}

TEST(GraphOnAMesh, ReportsNameAllChipsAndTheMesh) {
    const auto report = report_of([] {
        const auto device = mesh_of_8();
        relu(l1_tiles(device, {1, 1, 32, 32}));
    });
    std::vector<int> ids;
    for (const auto& device : report["devices"]) {
        ids.push_back(device["device_id"].get<int>());
    }
    EXPECT_EQ(ids, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, mesh_id}));
    EXPECT_EQ(report["metadata"]["mesh_device_shape"], (nlohmann::json{2, 4}));
    EXPECT_THAT(report["mesh_coordinate_mapping"].get<std::string>(), HasSubstr("  3: [0, 3]\n  4: [1, 0]\n"));
    const auto cluster = report["cluster_descriptor"].get<std::string>();
    EXPECT_THAT(cluster, HasSubstr("chips:\n  0: [0, 0, 0, 0]\n  1: [1, 0, 0, 0]\n"));
    EXPECT_THAT(cluster, HasSubstr("  7: [3, 1, 0, 0]\n"));
    EXPECT_THAT(cluster, HasSubstr("  - [{chip: 0, chan: 0}, {chip: 1, chan: 1}]\n"
                                   "  - [{chip: 0, chan: 2}, {chip: 4, chan: 3}]\n"));
    EXPECT_THAT(cluster, Not(HasSubstr("{chip: 3, chan: 0}")));
}

TEST(GraphOnAMesh, ReportsOfSingleChipsAreAsEver) {
    const auto report = report_of([] {
        for (const int id : {0, 1}) {
            relu(l1_tiles(Device::open({.device_id = id, .board = "n300"}), {1, 1, 32, 32}));
        }
    });
    EXPECT_EQ(report["devices"].size(), 2U);
    EXPECT_FALSE(report["metadata"].contains("mesh_device_shape"));
    EXPECT_EQ(report["mesh_coordinate_mapping"], "chips:\n  0: [0, 0]\n  1: [0, 1]\n");
    EXPECT_EQ(report["cluster_descriptor"],
              "arch:\n  0: WORMHOLE_B0\n  1: WORMHOLE_B0\nchips:\n  0: [0, 0, 0, 0]\n  1: [1, 0, 0, 0]\n"
              "chip_unique_ids:\n  0: 1\n  1: 2\nchips_with_mmio:\n  - 0: 0\n  - 1: 1\n"
              "chip_to_boardtype:\n  0: n300\n  1: n300\nethernet_connections: []\n");
}

}  // namespace
}  // namespace ttnn::graph::testing
