// Meshes: shapes and coordinates, the bytes that chips share, submeshes and other arrangements.
#include "ttnn/device/mesh.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/chip_bytes.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(auto call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

// --- shapes ----------------------------------------------------------------------------------------------------------

TEST(MeshShape, NumbersChipsRowByRow) {
    const MeshShape mesh{{4, 8}};
    EXPECT_EQ(mesh.num_chips(), 32u);
    EXPECT_EQ(mesh.to_string(), "4x8");
    EXPECT_EQ(mesh.index_of({{2, 3}}), 19u);
    for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
        EXPECT_EQ(mesh.index_of(mesh.coordinate_of(chip)), chip);
    }
    EXPECT_EQ((MeshShape{{2, 3, 4}}.coordinate_of(23)), (MeshCoordinate{{1, 2, 3}}));
    EXPECT_THAT(error_of([&] { mesh.index_of({{4, 0}}); }), HasSubstr("[4, 0] lies outside of a mesh of 4x8"));
    EXPECT_THAT(error_of([&] { mesh.index_of({{1}}); }), HasSubstr("must have 2 numbers, got [1]"));
}

TEST(MeshShape, IsALineWhereOneDimensionCounts) {
    for (const MeshShape& line : {MeshShape{{1, 8}}, MeshShape{{8, 1}}, MeshShape{{8}}, MeshShape{{1, 1}}}) {
        EXPECT_TRUE(line.is_line()) << line.to_string();
    }
    EXPECT_FALSE((MeshShape{{2, 2}}.is_line()));
}

TEST(MeshShape, GroupsAlongADimension) {
    const MeshShape mesh{{2, 3}};
    EXPECT_THAT(groups_along(mesh, 0), ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2, 5)));
    EXPECT_THAT(groups_along(mesh, 1), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
    EXPECT_THAT(groups_along(mesh, std::nullopt), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
    EXPECT_THAT(error_of([&] { groups_along(mesh, 2); }), HasSubstr("a mesh of 2x3 has no dimension 2"));
}

TEST(MeshShape, DistributionsLieWhereTheyFit) {
    const auto chips = [](const MeshShape& distribution, const MeshShape& mesh) {
        std::vector<uint32_t> numbers;
        for (const MeshCoordinate& place : distribution_to_mesh(distribution, mesh)) {
            numbers.push_back(mesh.index_of(place));
        }
        return numbers;
    };
    EXPECT_THAT(chips({{2, 2}}, {{2, 4}}), ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(chips({{4, 2}}, {{2, 4}}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "turned: in the order of both";
    EXPECT_THAT(chips({{3}}, {{2, 4}}), ElementsAre(0, 1, 2));
    EXPECT_THAT(error_of([&] { chips({{9}}, {{2, 4}}); }), HasSubstr("does not fit a mesh of 2x4"));
}

TEST(NeighbourPath, IsARingWhereThereIsOne) {
    EXPECT_THAT(neighbour_path({{2, 2}}), ElementsAre(0, 1, 3, 2));
    EXPECT_THAT(neighbour_path({{2, 4}}), ElementsAre(0, 1, 2, 3, 7, 6, 5, 4));
    EXPECT_THAT(neighbour_path({{4, 2}}), ElementsAre(0, 1, 3, 5, 7, 6, 4, 2));
    EXPECT_THAT(neighbour_path({{1, 4}}), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(neighbour_path({{3, 3}}), ElementsAre(0, 1, 2, 5, 8, 7, 6, 3, 4)) << "an odd number has no ring";
}

TEST(NeighbourPath, GoesFromNeighbourToNeighbour) {
    for (const MeshShape& mesh : {MeshShape{{4, 8}}, MeshShape{{8, 4}}, MeshShape{{3, 4}}, MeshShape{{7, 9}}}) {
        const std::vector<uint32_t> path = neighbour_path(mesh);
        std::vector<uint32_t> sorted = path;
        std::ranges::sort(sorted);
        ASSERT_EQ(sorted.size(), mesh.num_chips());
        EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << mesh.to_string();
        const auto distance = [&](uint32_t a, uint32_t b) {
            const MeshCoordinate from = mesh.coordinate_of(a);
            const MeshCoordinate to = mesh.coordinate_of(b);
            return std::abs(int64_t{from.values[0]} - to.values[0]) + std::abs(int64_t{from.values[1]} - to.values[1]);
        };
        for (size_t i = 0; i + 1 < path.size(); ++i) {
            EXPECT_EQ(distance(path[i], path[i + 1]), 1) << mesh.to_string() << " at " << i;
        }
        if (mesh.num_chips() % 2 == 0) {
            EXPECT_EQ(distance(path.front(), path.back()), 1) << mesh.to_string();
        }
    }
}

// --- bytes -----------------------------------------------------------------------------------------------------------

TEST(ChipBytes, AreZeroAndSharedBeforeTheyAreWritten) {
    const ChipBytes bytes(64, 4);
    for (uint32_t chip = 0; chip < 4; ++chip) {
        EXPECT_EQ(bytes.identity(chip), bytes.identity(0));
        EXPECT_EQ(bytes.read(chip).size(), 64u);
        EXPECT_EQ(bytes.read(chip)[63], std::byte{0});
    }
}

TEST(ChipBytes, WritingOneChipLeavesTheOthers) {
    ChipBytes bytes(8, 3);
    bytes.write_all()[2] = std::byte{5};
    EXPECT_EQ(bytes.identity(0), bytes.identity(2));
    bytes.write(1)[2] = std::byte{7};
    EXPECT_EQ(bytes.read(0)[2], std::byte{5});
    EXPECT_EQ(bytes.read(1)[2], std::byte{7});
    EXPECT_EQ(bytes.read(2)[2], std::byte{5});
    EXPECT_EQ(bytes.identity(0), bytes.identity(2));
    EXPECT_NE(bytes.identity(0), bytes.identity(1));
}

TEST(ChipBytes, AloneIsWrittenInPlace) {
    ChipBytes bytes(8, 2);
    const std::byte* place = bytes.write(1).data();
    EXPECT_EQ(bytes.write(1).data(), place);
    EXPECT_EQ(bytes.read(0)[0], std::byte{0});
}

TEST(ChipBytes, WritingAllMakesThemAlikeAgain) {
    ChipBytes bytes(8, 3);
    bytes.write(0)[0] = std::byte{1};
    bytes.write(1)[0] = std::byte{2};
    bytes.write_all()[1] = std::byte{9};
    for (uint32_t chip = 0; chip < 3; ++chip) {
        EXPECT_EQ(bytes.read(chip)[0], std::byte{1}) << "what the first chip had stays";
        EXPECT_EQ(bytes.read(chip)[1], std::byte{9});
        EXPECT_EQ(bytes.identity(chip), bytes.identity(0));
    }
}

TEST(ChipBytes, SharesUntilWritten) {
    ChipBytes bytes(8, 3);
    bytes.write(0)[0] = std::byte{1};
    bytes.share(0, 2);
    EXPECT_EQ(bytes.identity(0), bytes.identity(2));
    bytes.write(0)[0] = std::byte{3};
    EXPECT_EQ(bytes.read(2)[0], std::byte{1});
}

TEST(ChipBytes, OfOneChip) {
    ChipBytes bytes(8, 1);
    bytes.write_all()[0] = std::byte{4};
    EXPECT_EQ(bytes.read(0)[0], std::byte{4});
    bytes.reset();
    EXPECT_FALSE(bytes);
    EXPECT_TRUE(bytes.read(0).empty());
}

// --- devices ---------------------------------------------------------------------------------------------------------

TEST(Submesh, HasItsPartOfTheChips) {
    const auto mesh = Device::open({.board = "n300:eth", .l1_small_size = 64, .mesh = {{2, 4}}});
    const auto right = mesh->create_submesh({{2, 2}}, MeshCoordinate{{0, 2}});
    EXPECT_THAT(right->chip_ids(), ElementsAre(2, 3, 6, 7));
    EXPECT_EQ(right->mesh(), (MeshShape{{2, 2}}));
    EXPECT_EQ(right->board().name, "n300:eth");
    EXPECT_EQ(right->l1_small_size(), 64u);
    EXPECT_NE(right->id(), mesh->id());
    EXPECT_THAT(mesh->submeshes(), ElementsAre(right));
    const auto inner = right->create_submesh({{1, 2}}, MeshCoordinate{{1, 0}});
    EXPECT_THAT(inner->chip_ids(), ElementsAre(6, 7));
    mesh->close();
    EXPECT_FALSE(right->is_open());
    EXPECT_FALSE(inner->is_open());
}

TEST(Submesh, CoversTheMesh) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{2, 4}}});
    const auto parts = mesh->create_submeshes({{1, 2}});
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_THAT(parts[1]->chip_ids(), ElementsAre(2, 3));
    EXPECT_THAT(parts[2]->chip_ids(), ElementsAre(4, 5));
    EXPECT_THAT(error_of([&] {
                    mesh->create_submeshes({{2, 3}});
                }),
                HasSubstr("Shape 2x4 is not divisible by submesh shape 2x3 along dimension 1"));
}

TEST(Submesh, MustFit) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{2, 4}}});
    EXPECT_THAT(error_of([&] {
                    mesh->create_submesh({{2, 4}}, MeshCoordinate{{0, 1}});
                }),
                HasSubstr("Submesh shape 2x4 at offset [0, 1] does not fit within parent mesh 2x4"));
    EXPECT_THAT(error_of([&] { mesh->create_submesh({{4}}); }), HasSubstr("same number of dimensions"));
    EXPECT_THAT(error_of([&] { mesh->create_submesh({{0, 4}}); }), HasSubstr("must be positive"));
    EXPECT_TRUE(mesh->submeshes().empty());
}

TEST(Reshape, FollowsNeighboursToALineAndTheSystemToAGrid) {
    const auto mesh = Device::open({.board = "n150", .mesh = {{2, 4}}});
    mesh->reshape(MeshShape{{1, 8}});
    EXPECT_THAT(mesh->chip_ids(), ElementsAre(0, 1, 2, 3, 7, 6, 5, 4));
    mesh->reshape(MeshShape{{4, 2}});
    EXPECT_THAT(mesh->chip_ids(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(mesh->mesh(), (MeshShape{{4, 2}}));
    EXPECT_THAT(error_of([&] {
                    mesh->reshape(MeshShape{{2, 3}});
                }),
                HasSubstr("New shape must have the same number of devices as current shape"));
}

}  // namespace
}  // namespace ttnn
