#include "ttnn/device/board.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"

namespace ttnn {

namespace {

struct BoardFacts {
    std::string_view name;
    Arch arch;
    CoreCoord logical_grid;
    std::optional<CoreCoord> ethernet_grid;  // compute grid with dispatch on ethernet cores, where that exists
    uint32_t dram_banks;
};

constexpr std::array<BoardFacts, 5> boards = {{
    {"n150", Arch::WORMHOLE_B0, {8, 9}, CoreCoord{8, 8}, 12},
    {"n300", Arch::WORMHOLE_B0, {8, 8}, CoreCoord{8, 8}, 12},
    {"galaxy", Arch::WORMHOLE_B0, {8, 10}, CoreCoord{8, 10}, 12},
    {"p150", Arch::BLACKHOLE, {14, 10}, std::nullopt, 8},
    {"p100", Arch::BLACKHOLE, {12, 10}, std::nullopt, 7},
}};

struct Suffixes {
    std::optional<DispatchCoreType> dispatch;
    std::optional<DispatchCoreAxis> axis;
};

[[noreturn]] void fail_unknown(std::string_view name) {
    fail("unknown board '{}': known boards are {}, optionally followed by ':worker' or ':eth' and by ':row' or ':col'",
         name, fmt::join(board_names(), ", "));
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

DispatchCoreType choose_dispatch(const BoardFacts& facts, const Suffixes& suffixes, DispatchCoreType default_dispatch,
                                 std::string_view name) {
    const bool by_column = suffixes.axis == DispatchCoreAxis::COL;
    if (!suffixes.dispatch) {
        // Dispatch by column exists on worker cores only.
        return facts.ethernet_grid && !by_column ? default_dispatch : DispatchCoreType::WORKER;
    }
    if (suffixes.dispatch == DispatchCoreType::ETH) {
        require(facts.ethernet_grid.has_value(),
                "board '{}': {} ({}) cannot dispatch on ethernet cores, use ':worker' or no suffix", name, facts.name,
                member_name(facts.arch));
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
    const size_t colon = name.find(':');
    const auto facts = std::ranges::find(boards, name.substr(0, colon), &BoardFacts::name);
    if (facts == boards.end()) {
        fail_unknown(name);
    }
    const Suffixes suffixes = parse_suffixes(name, colon);
    const DispatchCoreAxis usual_axis =
        facts->arch == Arch::WORMHOLE_B0 ? DispatchCoreAxis::ROW : DispatchCoreAxis::COL;
    const DispatchCoreAxis axis = suffixes.axis.value_or(usual_axis);

    Board board;
    board.name = facts->name;
    board.arch = facts->arch;
    board.logical_grid = facts->logical_grid;
    board.dram_banks = facts->dram_banks;
    set_memory(board);
    if (choose_dispatch(*facts, suffixes, default_dispatch, name) == DispatchCoreType::ETH) {
        board.name += ":eth";
        board.compute_grid = *facts->ethernet_grid;
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
    for (const BoardFacts& facts : boards) {
        names.push_back(facts.name);
    }
    return names;
}

}  // namespace ttnn
