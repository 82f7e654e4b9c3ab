// `tracelift describe` and `tracelift boards`: what the runtime offers.
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/cli/command.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift::cli {
namespace {

void describe(const ttnn::OpInfo& op) {
    for (const ttnn::OpInfo* form = &op; form != nullptr; form = form->next_overload) {
        fmt::print("{}{}\n", form->name, form->signature());
        fmt::print("    {}\n", form->doc);
        for (const ttnn::FieldInfo& field : form->fields) {
            if (!field.doc.empty()) {
                fmt::print("    {}: {}\n", field.name, field.doc);
            }
        }
        if (!form->aliases.empty()) {
            fmt::print("    also: {}\n", fmt::join(form->aliases, ", "));
        }
    }
}

int run_describe(std::span<const std::string> arguments) {
    if (arguments.empty()) {
        for (const ttnn::OpInfo* op : ttnn::all_operations()) {
            fmt::print("{:<48} {}\n", op->name, op->doc);
        }
        return 0;
    }
    for (const std::string& name : arguments) {
        const ttnn::OpInfo* op = ttnn::find_operation(name);
        if (op == nullptr) {
            throw UsageError{
                fmt::format("no operation '{}'; near: {}", name, fmt::join(ttnn::nearest_operations(name), ", "))};
        }
        describe(*op);
    }
    return 0;
}

int run_boards(std::span<const std::string>) {
    fmt::print("{:<10} {:<12} {:>10} {:>10} {:>10} {:>12}\n", "board", "arch", "grid", "L1 banks", "DRAM banks",
               "L1 per core");
    for (const std::string_view name : ttnn::board_names()) {
        const ttnn::Board board = ttnn::find_board(name);
        fmt::print("{:<10} {:<12} {:>10} {:>10} {:>10} {:>12}\n", name, ttnn::member_name(board.arch),
                   fmt::format("{}x{}", board.compute_grid.x, board.compute_grid.y), board.num_compute_cores(),
                   board.dram_banks, board.l1_size);
    }
    return 0;
}

}  // namespace

const Command describe_command{"describe", "[OP...]", "list the operations, or show signatures and parameters",
                               run_describe};
const Command boards_command{"boards", "", "list the boards that can be emulated", run_boards};

}  // namespace tracelift::cli
