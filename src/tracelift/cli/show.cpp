// `tracelift show`: the stored configurations of an operation.
#include <algorithm>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/formats/json_tree.hpp"
#include "tracelift/formats/original_text.hpp"
#include "tracelift/formats/scalar_text.hpp"
#include "tracelift/formats/value_text.hpp"
#include "tracelift/store/condition.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/store/store.hpp"

namespace tracelift::cli {
namespace {

constexpr int64_t usual_limit = 200;  // of configurations that people see; programs get all

// Says nothing: not given, or a value that the capture did not write down.
bool is_internal(const Value& value) {
    const auto* unparsed = value.as<Value::Unparsed>();
    return value.is_null() ||
           (unparsed != nullptr && (unparsed->reason == unsupported_type || unparsed->reason == not_captured));
}

// Arguments as the C++ call has them: by position where the declaration is known, else as they were stored.
std::vector<std::pair<std::string, Value>> shown_arguments(const BoundCall& call, bool debug) {
    std::vector<std::pair<std::string, Value>> shown;
    if (call.bound) {
        const auto positional = positional_arguments(call);
        for (size_t i = 0; i < positional.size(); ++i) {
            if (positional[i]) {
                shown.emplace_back(fmt::format("arg{}", i), *positional[i]);
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

struct Shown {
    bool json = false, brief = false, provenance = false, debug = false, original = false;
    std::string model;
    std::optional<Condition> where;
    int64_t limit = 0;  // 0: all
};

std::vector<std::string> argument_lines(const Configuration& configuration, const Shown& shown) {
    if (shown.original) {
        const Value tree = configuration.stored ? parse_json(*configuration.stored)
                                                : json_tree(format1_arguments(configuration.call, std::nullopt));
        const Value* inner = tree.find("arguments");
        return original_lines(inner != nullptr ? *inner : tree, shown.debug);
    }
    std::vector<std::string> lines;
    for (const auto& [name, value] : shown_arguments(configuration.call, shown.debug)) {
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
Found look_up(Store& store, const std::string& operation, const Shown& shown) {
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
        if (shown.where && !shown.where->holds(configuration)) {
            return true;
        }
        found.count += all ? 0 : 1;
        const bool fits = shown.limit == 0 || found.told < shown.limit;
        if (fits && !shown.brief) {
            ++found.told;
            shown.json
                ? found.json.push_back(to_json(configuration))
                : void(found.text += configuration_text(configuration, shown.where ? number : found.told, shown));
        }
        return !all || shown.limit == 0 || found.told < shown.limit;
    });
    return found;
}

Shown shown_of(const Options& options) {
    Shown shown{options.has("--json"),
                options.has("--brief"),
                options.has("--source"),
                options.has("--debug"),
                options.has("--original"),
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
    const std::string limit = options.value_or("--limit", "");
    shown.limit = limit == "all" || limit == "0" ? 0
                  : limit.empty()                ? (shown.json ? 0 : usual_limit)
                                                 : static_cast<int64_t>(options.number_or("--limit", 1));
    return shown;
}

int run_show(std::span<const std::string> arguments) {
    const auto asks_for = [&](std::string_view option) {
        return std::ranges::find(arguments, option) != arguments.end();
    };
    if (asks_for("--list") || asks_for("--stats")) {
        return ops_command.run(arguments);  // the original has one command for both
    }
    const Options options(arguments, {"--json", "--brief", "--source", "--debug", "--original"},
                          {"--dir", "--model", "--where", "--limit"});
    const Shown shown = shown_of(options);
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    const auto operations = find_stored(store.operation_names(), options.only("operation"));
    if (!shown.model.empty()) {
        check_model(store, shown.model);
    }
    Json list = Json::array();
    const Pager pager;
    for (const OperationSummary& operation : operations) {
        Found found = look_up(store, operation.name, shown);
        if (shown.json) {
            Json entry{{"operation", cpp_name(operation.name)}, {"count", found.count}};
            if (!shown.brief) {
                entry["configurations"] = std::move(found.json);
            }
            list.push_back(std::move(entry));
            continue;
        }
        fmt::print(pager.out(), "\n{} Operation: {}\n📊 Configurations: {}\n{}\n{}", shown.original ? "🔧" : "📊",
                   cpp_name(operation.name), found.count, std::string(80, '='), found.text);
        if (!shown.brief && found.told < found.count) {
            fmt::print(pager.out(), "\n... and {} more (--limit all shows them)\n", found.count - found.told);
        }
    }
    if (shown.json) {
        fmt::print(pager.out(), "{}\n", list.dump(2));
    }
    return 0;
}

}  // namespace

const Command show_command{"show",
                           "OP [--where CONDITION] [--model M] [--limit N|all] [--brief] [--source] [--debug] "
                           "[--original] [--dir DIR] [--json] | --list | --stats",
                           "show the stored configurations of an operation", run_show};

}  // namespace tracelift::cli
