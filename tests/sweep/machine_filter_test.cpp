#include "tracelift/sweep/machine_filter.hpp"

#include <stdexcept>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace tracelift {
namespace {

const Json n150{{"board_type", "Wormhole"}, {"device_series", "n150"}, {"card_count", 1}, {"device_count", 1}};
const Json galaxy{{"board_type", "Wormhole"},
                  {"device_series", "tt-galaxy-wh"},
                  {"card_count", 32},
                  {"mesh_device_shape", {4, 8}},
                  {"device_count", 32}};

TEST(MachineFilter, WithoutWishesTakesEverything) {
    EXPECT_TRUE(MachineFilter().takes(n150));
    EXPECT_TRUE(MachineFilter().takes(galaxy));
    EXPECT_TRUE(MachineFilter().takes(nullptr));
}

TEST(MachineFilter, ByMesh) {
    const MachineFilter filter{.mesh = "4x8"};
    EXPECT_TRUE(filter.takes(galaxy));
    EXPECT_TRUE(filter.takes(Json{{"mesh_device_shape", "[4, 8]"}}));
    EXPECT_FALSE(filter.takes(Json{{"mesh_device_shape", {8, 4}}}));
    EXPECT_TRUE(filter.takes(n150)) << "its mesh is not known";
    EXPECT_TRUE(filter.takes(Json::array({{{"mesh_device_shape", {1, 2}}}, galaxy}))) << "one of them is enough";
}

TEST(MachineFilter, ByMachine) {
    const MachineFilter filter{.hardware = hardware_of_board("n150")};
    EXPECT_TRUE(filter.takes(n150));
    EXPECT_FALSE(filter.takes(galaxy));
    EXPECT_TRUE(filter.takes(Json{{"board_type", "wormhole_b0"}})) << "one of the names of Wormhole";
    EXPECT_FALSE(filter.takes(Json{{"board_type", "Blackhole"}}));
    EXPECT_FALSE(filter.takes(Json{{"device_count", 2}}));
    EXPECT_TRUE(filter.takes(nullptr));
}

TEST(MachineFilter, ReadsTheEnvironment) {
    ::setenv("MESH_DEVICE_SHAPE", "1x2", 1);
    ::setenv("LEAD_MODELS_RUN", "1", 1);
    const MachineFilter filter = MachineFilter::from_environment();
    EXPECT_EQ(filter.mesh, "1x2");
    ASSERT_TRUE(filter.hardware.has_value());
    EXPECT_EQ(filter.hardware->device_series, "n150");
    ::setenv("MESH_DEVICE_SHAPE", "many", 1);
    EXPECT_THROW(MachineFilter::from_environment(), std::invalid_argument);
    ::unsetenv("MESH_DEVICE_SHAPE");
    ::unsetenv("LEAD_MODELS_RUN");
    EXPECT_FALSE(MachineFilter::from_environment().hardware.has_value());
}

}  // namespace
}  // namespace tracelift
