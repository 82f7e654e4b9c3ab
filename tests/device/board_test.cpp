#include "ttnn/device/board.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

std::string error_of(auto call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

CoreCoord grid_of(std::string_view name, DispatchCoreType dispatch = DispatchCoreType::WORKER) {
    return find_board(name, dispatch).compute_grid;
}

TEST(Board, ComputeGridFollowsBoardAndDispatch) {
    EXPECT_EQ(grid_of("n150"), (CoreCoord{8, 8}));
    EXPECT_EQ(grid_of("n300"), (CoreCoord{8, 7}));
    EXPECT_EQ(grid_of("galaxy"), (CoreCoord{8, 9}));
    EXPECT_EQ(grid_of("p150"), (CoreCoord{13, 10}));
    EXPECT_EQ(grid_of("p100"), (CoreCoord{11, 10}));
    EXPECT_EQ(grid_of("n150:eth"), (CoreCoord{8, 8}));
    EXPECT_EQ(grid_of("n300:eth"), (CoreCoord{8, 8}));
    EXPECT_EQ(grid_of("galaxy:eth"), (CoreCoord{8, 10}));
    EXPECT_EQ(grid_of("n150:worker:col"), (CoreCoord{7, 9}));
    EXPECT_EQ(grid_of("n300:col"), (CoreCoord{7, 8}));
    EXPECT_EQ(grid_of("n300:worker:row"), (CoreCoord{8, 7}));
    EXPECT_EQ(grid_of("p150:col"), (CoreCoord{13, 10}));
    EXPECT_EQ(grid_of("p150:row"), (CoreCoord{14, 9}));
}

TEST(Board, DefaultDispatchCountsWhereTheNameIsSilent) {
    EXPECT_EQ(grid_of("n300", DispatchCoreType::ETH), (CoreCoord{8, 8}));
    EXPECT_EQ(find_board("n300", DispatchCoreType::ETH).name, "n300:eth");
    EXPECT_EQ(grid_of("n300:worker", DispatchCoreType::ETH), (CoreCoord{8, 7}));
    EXPECT_EQ(grid_of("n300:col", DispatchCoreType::ETH), (CoreCoord{7, 8}));
    EXPECT_EQ(grid_of("p150", DispatchCoreType::ETH), (CoreCoord{13, 10}));
}

TEST(Board, MemoryFigures) {
    const Board n150 = find_board("n150");
    EXPECT_EQ(n150.arch, Arch::WORMHOLE_B0);
    EXPECT_EQ(n150.logical_grid, (CoreCoord{8, 9}));
    EXPECT_EQ(n150.l1_size, 1499136u);
    EXPECT_EQ(n150.l1_base, 103712u);
    EXPECT_EQ(n150.cb_limit(), 1395424u);
    EXPECT_EQ(n150.dram_banks, 12u);
    EXPECT_EQ(n150.dram_bank_size, 1073741824u);
    EXPECT_EQ(n150.granularity, 32u);
    const Board p150 = find_board("p150");
    EXPECT_EQ(p150.arch, Arch::BLACKHOLE);
    EXPECT_EQ(p150.logical_grid, (CoreCoord{14, 10}));
    EXPECT_EQ(p150.num_compute_cores(), 130u);
    EXPECT_EQ(p150.cb_limit(), 1461760u);
    EXPECT_EQ(p150.dram_banks, 8u);
    EXPECT_EQ(p150.dram_bank_size, 4278190080u);
    EXPECT_EQ(p150.dram_base, 64u);
    EXPECT_EQ(p150.dram_alignment, 64u);
    EXPECT_EQ(p150.l1_alignment, 16u);
    EXPECT_EQ(p150.granularity, 64u);
    EXPECT_EQ(find_board("p100").dram_banks, 7u);
    EXPECT_EQ(find_board("n300").logical_grid, (CoreCoord{8, 8}));
}

TEST(Board, SystemsAreMeshesOfTheirChips) {
    const auto mesh_of = [](std::string_view board) { return find_system(board).mesh; };
    EXPECT_EQ(mesh_of("n150"), (std::array<uint32_t, 2>{1, 1}));
    EXPECT_EQ(mesh_of("n300:eth"), (std::array<uint32_t, 2>{1, 2}));
    EXPECT_EQ(mesh_of("t3000"), (std::array<uint32_t, 2>{2, 4}));
    EXPECT_EQ(mesh_of("galaxy:worker:col"), (std::array<uint32_t, 2>{4, 8}));
    EXPECT_EQ(mesh_of("p300"), (std::array<uint32_t, 2>{1, 2}));
    EXPECT_EQ(find_system("galaxy").num_chips(), 32u);
    EXPECT_EQ(find_system("t3000").cluster_type, "T3K");
    EXPECT_EQ(find_system("t3000").dispatch, DispatchCoreType::ETH);
    EXPECT_EQ(find_system("t3000").pcie_devices, 4u);
    EXPECT_NE(error_of([] { find_system("n15"); }).find("known boards are"), std::string::npos);
}

TEST(Board, EveryNameIsABoardAndASystem) {
    for (const std::string_view name : board_names()) {
        EXPECT_EQ(find_board(name).name, name);
        EXPECT_EQ(find_system(name).name, name);
        EXPECT_GE(find_system(name).num_chips(), find_system(name).pcie_devices) << name;
    }
}

TEST(Board, DeviceRecordOfN150) {
    const auto device = Device::open({.board = "n150"});
    const Board& board = device->board();
    const uint64_t banks = device->num_banks(BufferType::L1);
    EXPECT_EQ(banks, 64u);
    EXPECT_EQ(device->bank_size(BufferType::L1), 1395424u);
    EXPECT_EQ(banks * board.l1_size, 95944704u);
    EXPECT_EQ(banks * device->bank_size(BufferType::L1), 89307136u);
    EXPECT_EQ(device->num_banks(BufferType::DRAM), 12u);
}

TEST(Board, UnknownNamesListTheKnownOnes) {
    for (const char* name : {"n15", "", "n150:", "n150:dram", "n150:eth:eth", "n150:row:worker", "n150:row:col"}) {
        const std::string error = error_of([&] { find_board(name); });
        EXPECT_NE(error.find("n150, n300, t3000, galaxy, p150, p100, p300"), std::string::npos)
            << name << ": " << error;
    }
}

TEST(Board, ImpossibleDispatchSaysSo) {
    EXPECT_NE(error_of([] { find_board("p150:eth"); }).find("BLACKHOLE) cannot dispatch on ethernet cores"),
              std::string::npos);
    EXPECT_NE(error_of([] { find_board("n300:eth:col"); }).find("no column axis"), std::string::npos);
}

TEST(Board, EnvironmentNamesTheDefault) {
    unsetenv("TRACELIFT_BOARD");
    EXPECT_EQ(Device::open()->board().name, "n150");
    setenv("TRACELIFT_BOARD", "p100", 1);
    EXPECT_EQ(Device::open()->board().name, "p100");
    EXPECT_EQ(Device::open({.board = "n300"})->board().name, "n300");
    unsetenv("TRACELIFT_BOARD");
}

TEST(Board, EveryFigureCanBeOverridden) {
    Board board = find_board("n150");
    board.compute_grid = {4, 4};
    board.l1_base = 107360;
    const auto device = Device::open({.board = "p150", .custom_board = board});
    EXPECT_EQ(device->num_banks(BufferType::L1), 16u);
    EXPECT_EQ(device->bank_size(BufferType::L1), 1499136u - 107360u);
    board.compute_grid = {0, 4};
    EXPECT_THROW(Device::open({.custom_board = board}), Error);
}

TEST(Board, WorkerL1SizeMovesTheBase) {
    EXPECT_EQ(Device::open({.board = "n150", .worker_l1_size = 1000000})->board().l1_base, 499136u);
    EXPECT_EQ(Device::open({.board = "n150", .worker_l1_size = 1000001})->board().l1_base, 499136u);
    EXPECT_EQ(Device::open({.board = "p150", .worker_l1_size = 1400000})->board().l1_base, 172864u);
    EXPECT_NE(error_of([] { Device::open({.board = "n150", .worker_l1_size = 1499137}); }).find("worker_l1_size"),
              std::string::npos);
}

}  // namespace
}  // namespace ttnn
