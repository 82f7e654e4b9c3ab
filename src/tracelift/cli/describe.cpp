// `tracelift describe` and `tracelift boards`: what the runtime offers.
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/options.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/op/nearest.hpp"
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
        if (!form->is_judged()) {
            fmt::print("    results are not judged: {}\n", form->no_reference);
        }
    }
}

Json to_json(const ttnn::OpInfo& op) {
    Json forms = Json::array();
    for (const ttnn::OpInfo* form = &op; form != nullptr; form = form->next_overload) {
        Json parameters = Json::array();
        for (const ttnn::FieldInfo& field : form->fields) {
            parameters.push_back({{"name", field.name}, {"help", field.doc}});
        }
        Json aliases = Json::array();
        for (const std::string_view alias : form->aliases) {
            aliases.push_back(alias);
        }
        forms.push_back({{"signature", fmt::format("{}{}", form->name, form->signature())},
                         {"help", form->doc},
                         {"parameters", std::move(parameters)},
                         {"aliases", std::move(aliases)},
                         {"no_reference", !form->is_judged() ? Json(form->no_reference) : Json()}});
    }
    return {{"operation", op.name}, {"help", op.doc}, {"forms", std::move(forms)}};
}

std::vector<const ttnn::OpInfo*> named_operations(const Options& options) {
    std::vector<const ttnn::OpInfo*> operations;
    for (const std::string& name : options.positional()) {
        const ttnn::OpInfo* op = ttnn::find_operation(name);
        if (op == nullptr) {
            throw UsageError{
                fmt::format("no operation '{}'{}", name, ttnn::did_you_mean(ttnn::nearest_operations(name)))};
        }
        operations.push_back(op);
    }
    return operations;
}

int run_describe(const Options& options) {
    const auto named = named_operations(options);
    if (options.json()) {
        Json list = Json::array();
        for (const ttnn::OpInfo* op : named.empty() ? ttnn::all_operations() : named) {
            list.push_back(to_json(*op));
        }
        print_json(list);
        return 0;
    }
    if (named.empty()) {
        for (const ttnn::OpInfo* op : ttnn::all_operations()) {
            fmt::print("{:<48} {}\n", op->name, op->doc);
        }
    }
    for (const ttnn::OpInfo* op : named) {
        describe(*op);
    }
    return 0;
}

int run_boards(const Options& options) {
    if (options.json()) {
        Json list = Json::array();
        for (const std::string_view name : ttnn::board_names()) {
            const ttnn::Board board = ttnn::find_board(name);
            list.push_back({{"board", name},
                            {"arch", ttnn::member_name(board.arch)},
                            {"grid", {board.compute_grid.x, board.compute_grid.y}},
                            {"l1_banks", board.num_compute_cores()},
                            {"dram_banks", board.dram_banks},
                            {"l1_per_core", board.l1_size}});
        }
        print_json(list);
        return 0;
    }
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

constexpr ArgumentInfo arguments[] = {
    {"OP", "operations, as ttnn.add, ttnn::add or add (default: list all)", 0, any_number}};
constexpr OptionInfo options[] = {json_option};

}  // namespace

const Command describe_command{.name = "describe",
                               .help = "list the operations, or show signatures and parameters",
                               .example = "tracelift describe add",
                               .arguments = arguments,
                               .options = options,
                               .run = run_describe};
const Command boards_command{.name = "boards",
                             .help = "list the boards that can be emulated",
                             .example = "tracelift boards",
                             .options = options,
                             .run = run_boards};

}  // namespace tracelift::cli
