#include "ttnn/device/board.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"

namespace ttnn {

namespace {

// One chip, and the system of such chips.
struct Entry {
    Arch arch;
    CoreCoord logical_grid;
    std::optional<CoreCoord> ethernet_grid;  // compute grid with dispatch on ethernet cores, where that exists
    uint32_t dram_banks;
    System system;
};

constexpr auto worker = DispatchCoreType::WORKER;
constexpr auto ethernet = DispatchCoreType::ETH;

constexpr auto entries = std::to_array<Entry>({
    {Arch::WORMHOLE_B0, {8, 9}, CoreCoord{8, 8}, 12, {"n150", {1, 1}, 1, "N150", worker, "Wormhole", "n150", 1}},
    // Python leaves the worker cores of n300 cards to programs: they have ethernet cores to spare.
    {Arch::WORMHOLE_B0, {8, 8}, CoreCoord{8, 8}, 12, {"n300", {1, 2}, 1, "N300", ethernet, "Wormhole", "n300", 1}},
    {Arch::WORMHOLE_B0, {8, 8}, CoreCoord{8, 8}, 12, {"t3000", {2, 4}, 4, "T3K", ethernet, "Wormhole", "n300", 4}},
    {Arch::WORMHOLE_B0,
     {8, 10},
     CoreCoord{8, 10},
     12,
     {"galaxy", {4, 8}, 32, "GALAXY", worker, "Wormhole", "tt-galaxy-wh", 32}},
    {Arch::BLACKHOLE, {14, 10}, std::nullopt, 8, {"p150", {1, 1}, 1, "P150", worker, "Blackhole", "p150b", 1}},
    {Arch::BLACKHOLE, {12, 10}, std::nullopt, 7, {"p100", {1, 1}, 1, "P100", worker, "Blackhole", "p100a", 1}},
    {Arch::BLACKHOLE, {12, 10}, std::nullopt, 8, {"p300", {1, 2}, 2, "P300", worker, "Blackhole", "p300c", 1}},
});

struct Suffixes {
    std::optional<DispatchCoreType> dispatch;
    std::optional<DispatchCoreAxis> axis;
};

[[noreturn]] void fail_unknown(std::string_view name) {
    fail("unknown board '{}': known boards are {}, optionally followed by ':worker' or ':eth' and by ':row' or ':col'",
         name, fmt::join(board_names(), ", "));
}

const Entry& find_entry(std::string_view name) {
    const std::string_view board = name.substr(0, name.find(':'));
    const auto entry = std::ranges::find(entries, board, [](const Entry& e) { return e.system.name; });
    if (entry == entries.end()) {
        fail_unknown(name);
    }
    return *entry;
}

Suffixes parse_suffixes(std::string_view name, size_t from) {
    Suffixes result;
    while (from != std::string_view::npos) {
        const size_t next = name.find(':', from + 1);
        const std::string_view suffix = name.substr(from + 1, next == std::string_view::npos ? next : next - from - 1);
        if ((suffix == "worker" || suffix == "eth") && !result.dispatch && !result.axis) {
            result.dispatch = suffix == "eth" ? DispatchCoreType::ETH : DispatchCoreType::WORKER;
        } else if ((suffix == "row" || suffix == "col") && !result.axis) {
            result.axis = suffix == "row" ? DispatchCoreAxis::ROW : DispatchCoreAxis::COL;
        } else {
            fail_unknown(name);
        }
        from = next;
    }
    return result;
}

DispatchCoreType choose_dispatch(const Entry& facts, const Suffixes& suffixes, DispatchCoreType default_dispatch,
                                 std::string_view name) {
    const bool by_column = suffixes.axis == DispatchCoreAxis::COL;
    if (!suffixes.dispatch) {
        // Dispatch by column exists on worker cores only.
        return facts.ethernet_grid && !by_column ? default_dispatch : DispatchCoreType::WORKER;
    }
    if (suffixes.dispatch == DispatchCoreType::ETH) {
        require(facts.ethernet_grid.has_value(),
                "board '{}': {} ({}) cannot dispatch on ethernet cores, use ':worker' or no suffix", name,
                facts.system.name, member_name(facts.arch));
        require(!by_column, "board '{}': dispatch on ethernet cores has no column axis, use ':row' or no axis", name);
    }
    return *suffixes.dispatch;
}

void set_memory(Board& board) {
    if (board.arch == Arch::WORMHOLE_B0) {
        board.l1_size = 1499136;
        board.l1_base = 103712;
        board.dram_bank_size = 1073741824;
        board.dram_base = 32;
        return;
    }
    board.l1_size = 1572864;
    board.l1_base = 111104;
    board.dram_bank_size = 4278190080;
    board.dram_base = 64;
    board.dram_alignment = 64;
    board.granularity = 64;
}

}  // namespace

Board find_board(std::string_view name, DispatchCoreType default_dispatch) {
    const Entry& facts = find_entry(name);
    const Suffixes suffixes = parse_suffixes(name, name.find(':'));
    const DispatchCoreAxis usual_axis = facts.arch == Arch::WORMHOLE_B0 ? DispatchCoreAxis::ROW : DispatchCoreAxis::COL;
    const DispatchCoreAxis axis = suffixes.axis.value_or(usual_axis);

    Board board;
    board.name = facts.system.name;
    board.arch = facts.arch;
    board.logical_grid = facts.logical_grid;
    board.dram_banks = facts.dram_banks;
    set_memory(board);
    if (choose_dispatch(facts, suffixes, default_dispatch, name) == DispatchCoreType::ETH) {
        board.name += ":eth";
        board.compute_grid = *facts.ethernet_grid;
        return board;
    }
    if (axis != usual_axis) {
        board.name += axis == DispatchCoreAxis::ROW ? ":row" : ":col";
    }
    board.compute_grid = board.logical_grid;
    (axis == DispatchCoreAxis::ROW ? board.compute_grid.y : board.compute_grid.x) -= 1;
    return board;
}

std::vector<std::string_view> board_names() {
    std::vector<std::string_view> names;
    for (const Entry& entry : entries) {
        names.push_back(entry.system.name);
    }
    return names;
}

std::string default_board() {
    const char* from_environment = std::getenv("TRACELIFT_BOARD");
    const bool given = from_environment != nullptr && *from_environment != '\0';
    return given ? from_environment : "n150";
}

const System& find_system(std::string_view board) { return find_entry(board).system; }

}  // namespace ttnn
