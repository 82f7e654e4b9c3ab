// `tracelift diff`: what differs between two stores or masters.
#include "tracelift/store/diff.hpp"

#include <map>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/cli/query.hpp"

namespace tracelift::cli {
namespace {

using Kind = ConfigurationChange::Kind;

std::string_view word(Kind kind) { return kind == Kind::ADDED ? "added" : kind == Kind::GONE ? "gone" : "changed"; }

Json to_json(const ConfigurationChange& change) {
    Json leaves = Json::array();
    for (const LeafChange& leaf : change.leaves) {
        leaves.push_back({{"path", leaf.path},
                          {"before", leaf.before.empty() ? Json() : Json(leaf.before)},
                          {"after", leaf.after.empty() ? Json() : Json(leaf.after)}});
    }
    return {{"kind", word(change.kind)},   {"operation", cpp_name(change.operation)},
            {"identity", change.identity}, {"models", change.models},
            {"hardware", change.hardware}, {"arguments", change.text},
            {"leaves", std::move(leaves)}};
}

struct Count {
    size_t added = 0, gone = 0, changed = 0;
    void add(Kind kind) { ++(kind == Kind::ADDED ? added : kind == Kind::GONE ? gone : changed); }
};
using Counts = std::map<std::string, Count>;

Json to_json(const Counts& counts) {
    Json json = Json::object();
    for (const auto& [name, count] : counts) {
        json[name] = {{"added", count.added}, {"gone", count.gone}, {"changed", count.changed}};
    }
    return json;
}

void print(std::FILE* out, std::string_view title, const Counts& counts) {
    fmt::print(out, "\nby {}:\n", title);
    for (const auto& [name, count] : counts) {
        fmt::print(out, "  {:<60} +{} -{} ~{}\n", name.empty() ? "(not known)" : name, count.added, count.gone,
                   count.changed);
    }
}

void print(std::FILE* out, const StoreDiff& diff, const Counts& models, const Counts& machines) {
    for (const std::string& name : diff.added_operations) {
        fmt::print(out, "+ operation {}\n", cpp_name(name));
    }
    for (const std::string& name : diff.gone_operations) {
        fmt::print(out, "- operation {}\n", cpp_name(name));
    }
    for (const ConfigurationChange& change : diff.configurations) {
        const char sign = change.kind == Kind::ADDED ? '+' : change.kind == Kind::GONE ? '-' : '~';
        fmt::print(out, "{} {} {}{}\n", sign, cpp_name(change.operation), change.identity.substr(0, 12),
                   change.kind == Kind::CHANGED ? "" : ": " + change.text);
        for (const LeafChange& leaf : change.leaves) {
            fmt::print(out, "    {}: {} -> {}\n", leaf.path, leaf.before.empty() ? "(absent)" : leaf.before,
                       leaf.after.empty() ? "(absent)" : leaf.after);
        }
    }
    if (!diff.configurations.empty()) {
        print(out, "model", models);
        print(out, "hardware", machines);
    }
    fmt::print(out, "{}{} configurations are the same, {} differ\n", diff.empty() ? "" : "\n", diff.same,
               diff.configurations.size());
}

Json cpp_names(const std::vector<std::string>& names) {
    Json list = Json::array();
    for (const std::string& name : names) {
        list.push_back(cpp_name(name));
    }
    return list;
}

int run_diff(const Options& options) {
    OpenedStore a(std::filesystem::path(options.positional()[0]));
    OpenedStore b(std::filesystem::path(options.positional()[1]));
    const StoreDiff diff = diff_stores(*a, *b, checked_query(*a, *b, options), configuration_progress());
    Counts models;
    Counts machines;
    for (const ConfigurationChange& change : diff.configurations) {
        machines[change.hardware].add(change.kind);
        for (const std::string& model : change.models) {
            models[model].add(change.kind);
        }
    }
    if (options.json()) {
        Json changes = Json::array();
        for (const ConfigurationChange& change : diff.configurations) {
            changes.push_back(to_json(change));
        }
        print_json({{"added_operations", cpp_names(diff.added_operations)},
                    {"gone_operations", cpp_names(diff.gone_operations)},
                    {"configurations", std::move(changes)},
                    {"same", diff.same},
                    {"by_model", to_json(models)},
                    {"by_hardware", to_json(machines)}});
    } else {
        const Pager pager;
        print(pager.out(), diff, models, machines);
    }
    return diff.empty() ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {{"A", "a store, master or trace"}, {"B", "the one to compare it with"}};
constexpr OptionInfo options[] = {model_option, hardware_option, json_option};

}  // namespace

const Command diff_command{
    .name = "diff",
    .help = "show the differences between two stores or masters",
    .example = "tracelift diff before.json after.json",
    .arguments = arguments,
    .options = options,
    .statuses = "0 they are the same, 1 they differ, 2 wrong usage or one of them cannot be read",
    .failure = 2,
    .run = run_diff};

}  // namespace tracelift::cli
