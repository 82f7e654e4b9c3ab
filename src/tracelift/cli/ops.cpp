// `tracelift ops`: the operations that a store holds.
#include "tracelift/cli/ops.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::cli {
namespace {

const std::string rule(80, '=');

Json to_json(const OperationSummary& operation) {
    return {{"operation", cpp_name(operation.name)},
            {"configurations", operation.configurations},
            {"executions", operation.executions}};
}

constexpr std::string_view categories[] = {"core", "experimental", "transformer", "moreh", "kv_cache", "prim", "other"};

// By the namespace behind `ttnn.`.
std::string_view category_of(std::string_view name) {
    const std::string_view bare = name.substr(std::min(name.size(), std::string_view("ttnn.").size()));
    const size_t dot = bare.find('.');
    if (dot == bare.npos) {
        return "core";
    }
    const auto found = std::ranges::find(categories, bare.substr(0, dot));
    return found == std::end(categories) || *found == "core" ? "other" : *found;
}

using ByCategory = std::map<std::string_view, std::vector<const OperationSummary*>>;

ByCategory by_category(const std::vector<OperationSummary>& operations) {
    ByCategory sorted;
    for (const OperationSummary& operation : operations) {
        sorted[category_of(operation.name)].push_back(&operation);
    }
    return sorted;
}

std::string upper(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

void print_list(std::FILE* out, const std::vector<OperationSummary>& operations) {
    fmt::print(out, "📋 ALL AVAILABLE OPERATIONS\n{}\n", rule);
    const ByCategory sorted = by_category(operations);
    for (const std::string_view category : categories) {
        const auto found = sorted.find(category);
        if (found == sorted.end()) {
            continue;
        }
        fmt::print(out, "\n🔧 {} OPERATIONS ({}):\n", upper(category), found->second.size());
        for (const OperationSummary* operation : found->second) {
            fmt::print(out, "   • {} ({} configs)\n", cpp_name(operation->name), operation->configurations);
        }
    }
}

void print_stats(std::FILE* out, Catalog& store, const std::vector<OperationSummary>& operations) {
    int64_t configurations = 0;
    for (const OperationSummary& operation : operations) {
        configurations += operation.configurations;
    }
    const auto models = store.models();
    fmt::print(out, "📊 MASTER FILE STATISTICS\n{}\n📁 File Metadata:\n", rule);
    fmt::print(out,
               "   🔧 Total Operations: {}\n   ⚙️ Total Configurations: {}\n   📊 Operations Processed: {}\n",
               operations.size(), configurations, store.total_operations());
    fmt::print(out, "   🎯 Models Processed: {}\n   🕐 Last Updated: {}\n\n📋 Processed Models:\n", models.size(),
               store.last_updated());
    for (const std::string& model : models) {
        fmt::print(out, "   • {}\n", model);
    }
    fmt::print(out, "\n🔧 Top Operations by Configuration Count:\n");
    const ByCategory sorted = by_category(operations);
    std::vector<OperationSummary> ranked = operations;
    std::ranges::stable_sort(ranked, std::greater<>(), &OperationSummary::configurations);
    for (size_t i = 0; i < std::min<size_t>(15, ranked.size()); ++i) {
        fmt::print(out, "   {}: {} configs\n", cpp_name(ranked[i].name), ranked[i].configurations);
    }
    fmt::print(out, "\n📂 Operation Categories:\n");
    for (const std::string_view category : categories) {
        if (const auto found = sorted.find(category); found != sorted.end()) {
            fmt::print(out, "   {}: {} operations\n", category, found->second.size());
        }
    }
}

void print_table(std::FILE* out, const std::filesystem::path& place, const std::vector<OperationSummary>& operations,
                 bool brief) {
    if (brief) {
        for (const OperationSummary& operation : operations) {
            fmt::print(out, "{}\n", cpp_name(operation.name));
        }
        return;
    }
    fmt::print(out, "📂 {}: {} operations\n\n{:<44} {:>14} {:>12}\n", place.string(), operations.size(), "operation",
               "configurations", "executions");
    int64_t configurations = 0;
    int64_t executions = 0;
    for (const auto& operation : operations) {
        fmt::print(out, "{:<44} {:>14} {:>12}\n", cpp_name(operation.name), operation.configurations,
                   operation.executions);
        configurations += operation.configurations;
        executions += operation.executions;
    }
    fmt::print(out, "{:<44} {:>14} {:>12}\n", "total", configurations, executions);
}

// Counted over the configurations that the model executes.
std::vector<OperationSummary> of_model(Catalog& store, const std::string& model) {
    std::map<std::string, OperationSummary> counted;
    store.visit({"", model}, [&](Configuration& configuration) {
        OperationSummary& summary = counted[configuration.call.operation];
        summary.name = configuration.call.operation;
        ++summary.configurations;
        for (const Execution& execution : configuration.executions) {
            summary.executions += execution.count;
        }
        return true;
    });
    std::vector<OperationSummary> operations;
    for (auto& [name, summary] : counted) {
        operations.push_back(std::move(summary));
    }
    return operations;
}

int run_ops(const Options& options) {
    OpenedStore store(options);
    return list_operations(store, options.positional().empty() ? "" : options.positional().front(), options);
}

constexpr ArgumentInfo arguments[] = {{"PATTERN", "any part of a name, or a shell pattern such as '*norm'", 0, 1}};
constexpr OptionInfo options[] = {list_option,
                                  stats_option,
                                  {"--brief", {}, "only names"},
                                  model_option,
                                  {"--limit", "N", "at most this many", any_count},
                                  dir_option,
                                  json_option};

}  // namespace

int list_operations(OpenedStore& store, const std::string& pattern, const Options& options) {
    const std::string model = options.value_or("--model", "");
    if (!model.empty()) {
        check_model(*store, model);
    }
    auto operations = model.empty() ? store->operations() : of_model(*store, model);
    std::ranges::sort(operations, {}, &OperationSummary::name);
    if (!pattern.empty()) {
        const auto all = operations;
        operations = matching_pattern(all, pattern);
        if (operations.empty()) {
            throw UnknownOperation(pattern, all);
        }
    }
    const int64_t limit = options.value_or("--limit", "all") == "all" ? 0 : options.whole_or("--limit", 0);
    if (limit != 0) {
        operations.resize(std::min(operations.size(), static_cast<size_t>(limit)));
    }
    if (options.json()) {
        Json list = Json::array();
        for (const auto& operation : operations) {
            list.push_back(to_json(operation));
        }
        print_json(list);
        return 0;
    }
    const Pager pager;
    if (options.has("--stats")) {
        print_stats(pager.out(), *store, operations);
    } else if (options.has("--list")) {
        print_list(pager.out(), operations);
    } else {
        print_table(pager.out(), store.named(), operations, options.has("--brief"));
    }
    return 0;
}

const Command ops_command{.name = "ops",
                          .help = "list the stored operations with their configurations and executions",
                          .example = "tracelift ops '*norm'",
                          .arguments = arguments,
                          .options = options,
                          .run = run_ops};

}  // namespace tracelift::cli
