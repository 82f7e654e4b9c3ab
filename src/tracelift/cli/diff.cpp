// `tracelift diff`: what differs between two stores or masters.
#include "tracelift/store/diff.hpp"

#include <map>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/value/json.hpp"

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

int run_diff(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"--model", "--hardware"});
    if (options.positional().size() != 2) {
        throw UsageError{"expected two stores or masters"};
    }
    OpenedStore a(options.positional()[0]);
    OpenedStore b(options.positional()[1]);
    ConfigurationQuery query;
    query.model = options.value_or("--model", "");
    query.hardware = options.value_or("--hardware", "");
    const StoreDiff diff = diff_stores(*a, *b, query);
    Counts models;
    Counts machines;
    for (const ConfigurationChange& change : diff.configurations) {
        machines[change.hardware].add(change.kind);
        for (const std::string& model : change.models) {
            models[model].add(change.kind);
        }
    }
    if (options.has("--json")) {
        Json changes = Json::array();
        for (const ConfigurationChange& change : diff.configurations) {
            changes.push_back(to_json(change));
        }
        fmt::print("{}\n", Json{{"added_operations", diff.added_operations},
                                {"gone_operations", diff.gone_operations},
                                {"configurations", std::move(changes)},
                                {"same", diff.same},
                                {"by_model", to_json(models)},
                                {"by_hardware", to_json(machines)}}
                               .dump(2));
    } else {
        const Pager pager;
        print(pager.out(), diff, models, machines);
    }
    return diff.empty() ? 0 : 1;
}

}  // namespace

const Command diff_command{"diff", "A B [--model M] [--hardware SERIES] [--json]",
                           "what differs between two stores or masters; status 1 when anything does", run_diff};

}  // namespace tracelift::cli
