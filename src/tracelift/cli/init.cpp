// `tracelift init`: the guides' files in a project.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/project/lay.hpp"

namespace tracelift::cli {
namespace {

std::string_view word(LaidFile::Outcome outcome) {
    switch (outcome) {
        case LaidFile::Outcome::WRITTEN: return "written";
        case LaidFile::Outcome::PRESENT: return "present";
        case LaidFile::Outcome::KEPT: return "kept";
    }
    return "";
}

int run_init(const Options& options) {
    const std::filesystem::path directory = options.positional().empty() ? "." : options.positional().front();
    auto laid = lay_project(directory);
    if (options.has("--deepseek")) {
        std::ranges::move(lay_deepseek(directory), std::back_inserter(laid));
    }
    if (options.json()) {
        Json list = Json::array();
        for (const LaidFile& file : laid) {
            list.push_back(
                {{"path", file.path.generic_string()}, {"outcome", word(file.outcome)}, {"note", file.note}});
        }
        print_json(list);
        return 0;
    }
    for (const LaidFile& file : laid) {
        fmt::print("{:<8} {}{}\n", word(file.outcome), (directory / file.path).lexically_normal().generic_string(),
                   file.note.empty() ? "" : fmt::format(" ({})", file.note));
    }
    fmt::print("\nNext, in {}: python generic_ops_tracer.py path/to/test.py::test_x\n",
               directory == "." ? "this folder" : directory.string());
    return 0;
}

constexpr ArgumentInfo arguments[] = {{"DIR", "the project (default: this folder)", 0, 1}};
constexpr OptionInfo options[] = {
    {"--deepseek",
     {},
     "also capture, serializer and replay in models/demos/deepseek_v3, with the suite tests/ttnn/op_repros"},
    json_option};

}  // namespace

const Command init_command{.name = "init",
                           .help = "add the tracer, the analyzers and the sweep framework to a project",
                           .example = "tracelift init my_project",
                           .arguments = arguments,
                           .options = options,
                           .run = run_init};

}  // namespace tracelift::cli
