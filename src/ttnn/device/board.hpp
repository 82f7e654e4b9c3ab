// Boards: grids, banks and memory sizes as plain data that every device can override; and the systems that are made of
// them. A new one is an entry of the table in board.cpp: everything else about it follows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ttnn/core/enum_text.hpp"
#include "ttnn/tensor/core_coord.hpp"

namespace ttnn {

enum class Arch : uint8_t { WORMHOLE_B0, BLACKHOLE };
enum class DispatchCoreType : uint8_t { WORKER, ETH };
enum class DispatchCoreAxis : uint8_t { ROW, COL };

template <>
struct EnumInfo<Arch> {
    static constexpr std::string_view type = "Arch";
    static constexpr EnumMember<Arch> members[] = {{Arch::WORMHOLE_B0, "WORMHOLE_B0"}, {Arch::BLACKHOLE, "BLACKHOLE"}};
};
template <>
struct EnumInfo<DispatchCoreType> {
    static constexpr std::string_view type = "DispatchCoreType";
    static constexpr EnumMember<DispatchCoreType> members[] = {{DispatchCoreType::WORKER, "WORKER"},
                                                               {DispatchCoreType::ETH, "ETH"}};
};
template <>
struct EnumInfo<DispatchCoreAxis> {
    static constexpr std::string_view type = "DispatchCoreAxis";
    static constexpr EnumMember<DispatchCoreAxis> members[] = {{DispatchCoreAxis::ROW, "ROW"},
                                                               {DispatchCoreAxis::COL, "COL"}};
};

// What one chip of a board offers. All figures may be changed before a device is opened with it.
struct Board {
    std::string name;  // "n150", "n300:eth", ...
    Arch arch = Arch::WORMHOLE_B0;
    CoreCoord logical_grid;  // x columns, y rows after harvesting
    CoreCoord compute_grid;  // what dispatch leaves of it; one L1 bank per core
    uint64_t l1_size = 0;
    uint64_t l1_base = 0;  // first byte for circular buffers and L1 buffers
    uint32_t dram_banks = 0;
    uint64_t dram_bank_size = 0;
    uint64_t dram_base = 0;
    uint32_t l1_alignment = 16;
    uint32_t dram_alignment = 32;
    uint32_t granularity = 32;  // of every allocator and of circular-buffer starts

    uint32_t num_compute_cores() const { return compute_grid.x * compute_grid.y; }
    uint64_t cb_limit() const { return l1_size - l1_base; }
};

// A name of board_names(), optionally followed by ":worker" or ":eth" (dispatch cores) and by ":row" or ":col"
// (dispatch axis). Without a dispatch suffix `default_dispatch` decides where the board has both. Unknown names throw
// an Error that lists the known ones.
Board find_board(std::string_view name, DispatchCoreType default_dispatch = DispatchCoreType::WORKER);
std::vector<std::string_view> board_names();
// Environment variable TRACELIFT_BOARD, else "n150".
std::string default_board();

// The machine that a board's name stands for: all chips of it.
struct System {
    std::string_view name;
    std::array<uint32_t, 2> mesh;    // rows and columns of chips
    uint32_t pcie_devices;           // chips that the host reaches by itself
    std::string_view cluster_type;   // member of ttnn.cluster.ClusterType
    DispatchCoreType dispatch;       // what Python opens its chips with
    std::string_view board_type;     // as masters name it: "Wormhole"
    std::string_view device_series;  // as masters name it: "tt-galaxy-wh"
    uint32_t card_count;             // as masters count them

    uint32_t num_chips() const { return mesh[0] * mesh[1]; }
};
// By the name of a board; suffixes do not matter. Unknown names throw as those of find_board do.
const System& find_system(std::string_view board);

}  // namespace ttnn
