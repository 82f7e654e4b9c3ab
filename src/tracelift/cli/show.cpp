// `tracelift show`: the stored configurations of an operation.
#include <algorithm>

#include <fmt/format.h>

#include "tracelift/bind/positional_names.hpp"
#include "tracelift/catalog/catalog.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/flat.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/ops.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/dialects/format1_arguments.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/scalar_text.hpp"
#include "tracelift/formats/original_text.hpp"
#include "tracelift/formats/value_text.hpp"
#include "tracelift/store/condition.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/store/path_check.hpp"

namespace tracelift::cli {
namespace {

constexpr int64_t usual_limit = 200;  // of configurations that people see; programs get all

// Says nothing: not given, or a value that the capture did not write down.
bool is_internal(const Value& value) {
    const auto* unparsed = value.as<Value::Unparsed>();
    return value.is_null() ||
           (unparsed != nullptr && (unparsed->reason == unsupported_type || unparsed->reason == not_captured));
}

struct Shown {
    bool json = false, brief = false, provenance = false, debug = false, original = false, names = false, flat = false;
    std::string model;
    std::optional<Condition> where;
    int64_t limit = 0;  // 0: all
};

// Arguments as the C++ call has them: by position where the declaration is known, else as they were stored.
std::vector<std::pair<std::string, Value>> shown_arguments(const BoundCall& call, bool debug, bool with_names) {
    std::vector<std::pair<std::string, Value>> shown;
    if (call.bound) {
        const auto positional = positional_arguments(call);
        const auto names = with_names ? positional_names(call) : std::vector<std::string>();
        for (size_t i = 0; i < positional.size(); ++i) {
            if (positional[i]) {
                shown.emplace_back(with_names ? fmt::format("arg{} ({})", i, names[i]) : fmt::format("arg{}", i),
                                   *positional[i]);
            }
        }
        return shown;
    }
    for (const auto& entry : call.arguments) {
        if (debug || !is_internal(entry.value)) {
            shown.emplace_back(entry.key, entry.value);
        }
    }
    return shown;
}

Json to_json(const Configuration& configuration) {
    Json arguments = Json::object();
    for (const auto& entry : configuration.call.arguments) {
        arguments[entry.key] = tracelift::to_json(entry.value);
    }
    Json executions = Json::array();
    for (const Execution& execution : configuration.executions) {
        executions.push_back(
            {{"source", execution.model}, {"count", execution.count}, {"trace_uid", execution.trace_uid}});
    }
    Json legacy;
    if (configuration.legacy_hash) {
        legacy = *configuration.legacy_hash;
    }
    return {{"id", configuration.id},
            {"identity", configuration.identity},
            {"config_hash", std::move(legacy)},
            {"bound", configuration.call.bound},
            {"arguments", std::move(arguments)},
            {"machine_info", machine_info(configuration.hardware)},
            {"executions", std::move(executions)}};
}

std::string provenance_text(const Configuration& configuration) {
    std::vector<std::string> sources;
    for (const Execution& execution : configuration.executions) {
        if (std::ranges::find(sources, execution.model) == sources.end()) {
            sources.push_back(execution.model);
        }
    }
    std::string text = fmt::format("📝 Source: {}\n", fmt::join(sources, ", "));
    if (const auto& machine = configuration.hardware) {
        text += fmt::format("🖥️  Machine: {} {} ({} card{})\n", machine->board_type, machine->device_series,
                            machine->card_count, machine->card_count == 1 ? "" : "s");
    }
    return text;
}

std::vector<std::string> argument_lines(const Configuration& configuration, const Shown& shown) {
    if (shown.original) {
        const Value tree =
            configuration.stored ? parse_json(*configuration.stored) : json_tree(format1_arguments(configuration.call));
        const Value* inner = tree.find("arguments");
        return original_lines(inner != nullptr ? *inner : tree, shown.debug);
    }
    std::vector<std::string> lines;
    for (const auto& [name, value] : shown_arguments(configuration.call, shown.debug, shown.names)) {
        lines.push_back(fmt::format("{}: {}", name, show_text(value)));
    }
    return lines;
}

std::string configuration_text(const Configuration& configuration, int64_t number, const Shown& shown) {
    std::string text = fmt::format("\n📋 Configuration {}:\n{}\n", number, std::string(40, '-'));
    if (shown.provenance) {
        text += provenance_text(configuration);
    }
    const auto lines = argument_lines(configuration, shown);
    for (const std::string& line : lines) {
        text += fmt::format("  {}\n", line);
    }
    return text + (lines.empty() ? "  (All arguments are default/internal)\n" : "");
}

struct Found {
    int64_t count = 0;  // that fit
    int64_t told = 0;   // of them in `text` or `json`
    std::string text;
    Json json = Json::array();
};

// Without a condition the rest need not be looked at to be counted.
Found look_up(Catalog& store, const std::string& operation, const Shown& shown, PathCheck& paths) {
    Found found;
    const bool all = shown.model.empty() && !shown.where;
    if (all) {
        found.count = store.configuration_count(operation);
    }
    if (all && shown.brief) {
        return found;
    }
    int64_t number = 0;
    ConfigurationQuery query{operation, shown.model};
    query.with_texts = shown.original;
    store.visit(query, [&](Configuration& configuration) {
        ++number;
        paths.see(configuration);
        if (shown.where && !shown.where->holds(configuration)) {
            return true;
        }
        found.count += all ? 0 : 1;
        const bool fits = shown.limit == 0 || found.told < shown.limit;
        if (fits && !shown.brief) {
            ++found.told;
            if (shown.flat) {
                found.text += json_text(flat_json(configuration)) + "\n";
            } else if (shown.json) {
                found.json.push_back(to_json(configuration));
            } else {
                found.text += configuration_text(configuration, shown.where ? number : found.told, shown);
            }
        }
        return !all || shown.limit == 0 || found.told < shown.limit;
    });
    return found;
}

Shown shown_of(const Options& options) {
    Shown shown{options.json(),
                options.has("--brief"),
                options.has("--source"),
                options.has("--debug"),
                options.has("--original"),
                options.has("--names"),
                options.has("--flat"),
                options.value_or("--model", ""),
                std::nullopt,
                0};
    if (const auto text = options.value("--where")) {
        try {
            shown.where.emplace(*text);
        } catch (const std::invalid_argument& error) {
            throw UsageError{error.what()};
        }
    }
    const bool for_people = !shown.json && !shown.flat;
    const std::string limit = options.value_or("--limit", for_people ? std::to_string(usual_limit) : "all");
    shown.limit = limit == "all" ? 0 : options.whole_or("--limit", usual_limit);
    return shown;
}

// The names of operations as headings, as the original lists them without an argument.
int print_headings(OpenedStore& store, const Options& options) {
    if (options.json()) {
        return list_operations(store, "", options);
    }
    auto operations = store->operations();
    std::ranges::sort(operations, {}, &OperationSummary::name);
    const Pager pager;
    for (const OperationSummary& operation : operations) {
        fmt::print(pager.out(), "📊 Operation: {} ({} configurations)\n", cpp_name(operation.name),
                   operation.configurations);
    }
    return 0;
}

int show_operations(OpenedStore& store, const std::string& wanted, const Options& options) {
    const Shown shown = shown_of(options);
    const auto operations = find_stored(store->operation_names(), wanted);
    if (!shown.model.empty()) {
        check_model(*store, shown.model);
    }
    PathCheck paths(shown.where ? shown.where->paths() : std::vector<std::string>());
    std::vector<Found> all;
    for (const OperationSummary& operation : operations) {
        all.push_back(look_up(*store, operation.name, shown, paths));
    }
    try {
        paths.demand_known();
    } catch (const std::invalid_argument& error) {
        throw UsageError{fmt::format("--where: {}", error.what())};
    }
    Json list = Json::array();
    const Pager pager;
    for (size_t i = 0; i < operations.size(); ++i) {
        Found& found = all[i];
        if (shown.flat) {
            fmt::print(pager.out(), "{}", found.text);
        } else if (shown.json) {
            Json entry{{"operation", cpp_name(operations[i].name)}, {"count", found.count}};
            if (!shown.brief) {
                entry["configurations"] = std::move(found.json);
            }
            list.push_back(std::move(entry));
        } else {
            fmt::print(pager.out(), "\n{} Operation: {}\n📊 Configurations: {}\n{}\n{}", shown.original ? "🔧" : "📊",
                       cpp_name(operations[i].name), found.count, std::string(80, '='), found.text);
            if (!shown.brief && found.told < found.count) {
                fmt::print(pager.out(), "\n... and {} more (--limit all shows them)\n", found.count - found.told);
            }
        }
    }
    if (shown.json && !shown.flat) {
        print_json(list, pager.out());
    }
    return 0;
}

bool names_store(const std::string& word) { return std::filesystem::is_regular_file(word) || is_store(word); }

int run_show(const Options& options) {
    const auto& words = options.positional();
    const bool file = words.size() == 2 || (words.size() == 1 && names_store(words[0]));
    if (file && options.has("--dir")) {
        throw UsageError{"expected either FILE or --dir"};
    }
    OpenedStore store = file ? OpenedStore(std::filesystem::path(words[0])) : OpenedStore(options);
    const std::string wanted = words.size() > (file ? 1 : 0) ? words.back() : "";
    if (options.has("--list") || options.has("--stats")) {
        return list_operations(store, wanted, options);  // the original has one command for both
    }
    return wanted.empty() ? print_headings(store, options) : show_operations(store, wanted, options);
}

constexpr ArgumentInfo arguments[] = {
    {"FILE", "a master file or a store, instead of --dir", 0, 1},
    {"OP", "the operation: ttnn::add, ttnn.add, add or any part of a name (default: list all)", 0, 1}};
constexpr OptionInfo options[] = {
    {"--where", "CONDITION", "only those that match, such as 'arg0.dtype=BFLOAT8_B and arg1.shape[3]>32'"},
    model_option,
    {"--limit", "N|all", "show at most this many configurations (default: 200; all with --json)", any_count},
    {"--brief", {}, "only count them"},
    {"--names", {}, "with parameter names"},
    {"--source", {}, "with the models and machines they come from"},
    {"--debug", {}, "include arguments that carry no information"},
    {"--original", {}, "as TT-Metal's own analyzer prints them"},
    list_option,
    stats_option,
    dir_option,
    json_option,
    {"--flat",
     {},
     "one JSON object per line and configuration, keyed by path: {\"operation\": .., \"arg0.dtype\": ..}, for jq"}};

}  // namespace

const Command show_command{.name = "show",
                           .help = "show the stored configurations of an operation",
                           .example = "tracelift show matmul --where 'arg0.memory.layout=HEIGHT_SHARDED'",
                           .arguments = arguments,
                           .options = options,
                           .run = run_show};

}  // namespace tracelift::cli
