// `tracelift ops` and `tracelift show`: what the store holds, by operation.
#include <algorithm>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/formats/value_text.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/store/store.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift::cli {
namespace {

Json to_json(const OperationSummary& operation) {
    return {{"operation", cpp_name(operation.name)},
            {"configurations", operation.configurations},
            {"executions", operation.executions}};
}

int run_ops(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"--dir"});
    if (options.positional().size() > 1) {
        throw UsageError{"expected at most one pattern"};
    }
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    auto operations = store.operations();
    std::ranges::sort(operations, {}, &OperationSummary::name);
    if (!options.positional().empty()) {
        const auto all = operations;
        operations = matching_pattern(all, options.positional().front());
        if (operations.empty()) {
            throw UnknownOperation(options.positional().front(), all);
        }
    }
    if (options.has("--json")) {
        Json list = Json::array();
        for (const auto& operation : operations) {
            list.push_back(to_json(operation));
        }
        fmt::print("{}\n", list.dump(2));
        return 0;
    }
    fmt::print("📂 {}: {} operations\n\n{:<44} {:>14} {:>12}\n", store.directory().string(), operations.size(),
               "operation", "configurations", "executions");
    int64_t configurations = 0;
    int64_t executions = 0;
    for (const auto& operation : operations) {
        fmt::print("{:<44} {:>14} {:>12}\n", cpp_name(operation.name), operation.configurations, operation.executions);
        configurations += operation.configurations;
        executions += operation.executions;
    }
    fmt::print("{:<44} {:>14} {:>12}\n", "total", configurations, executions);
    return 0;
}

// Arguments as the C++ call has them: by position where the declaration is known, else as they were stored.
std::vector<std::pair<std::string, Value>> shown_arguments(const BoundCall& call) {
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
        if (!entry.value.is_null() && entry.value.as<Value::Unparsed>() == nullptr) {
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

void print_provenance(const Configuration& configuration) {
    std::vector<std::string> sources;
    for (const Execution& execution : configuration.executions) {
        if (std::ranges::find(sources, execution.model) == sources.end()) {
            sources.push_back(execution.model);
        }
    }
    fmt::print("📝 Source: {}\n", fmt::join(sources, ", "));
    if (const auto& machine = configuration.hardware) {
        fmt::print("🖥️  Machine: {} {} ({} card{})\n", machine->board_type, machine->device_series,
                   machine->card_count, machine->card_count == 1 ? "" : "s");
    }
}

void print_operation(const OperationSummary& operation, const std::vector<Configuration>& configurations, bool brief,
                     bool provenance) {
    fmt::print("\n📊 Operation: {}\n📊 Configurations: {}\n{}\n", cpp_name(operation.name), configurations.size(),
               std::string(80, '='));
    if (brief) {
        return;
    }
    for (size_t i = 0; i < configurations.size(); ++i) {
        fmt::print("\n📋 Configuration {}:\n{}\n", i + 1, std::string(40, '-'));
        if (provenance) {
            print_provenance(configurations[i]);
        }
        const auto arguments = shown_arguments(configurations[i].call);
        for (const auto& [name, value] : arguments) {
            fmt::print("  {}: {}\n", name, show_text(value));
        }
        if (arguments.empty()) {
            fmt::print("  (All arguments are default/internal)\n");
        }
    }
}

int run_show(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json", "--brief", "--source"}, {"--dir", "--model"});
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    const auto operations = find_stored(store.operations(), options.only("operation"));
    const std::string model = options.value_or("--model", "");
    if (!model.empty()) {
        check_model(store, model);
    }
    Json list = Json::array();
    for (const OperationSummary& operation : operations) {
        const auto configurations = store.configurations(operation.name, model);
        if (!options.has("--json")) {
            print_operation(operation, configurations, options.has("--brief"), options.has("--source"));
            continue;
        }
        Json entry{{"operation", cpp_name(operation.name)}, {"count", configurations.size()}};
        if (!options.has("--brief")) {
            entry["configurations"] = Json::array();
            for (const Configuration& configuration : configurations) {
                entry["configurations"].push_back(to_json(configuration));
            }
        }
        list.push_back(std::move(entry));
    }
    if (options.has("--json")) {
        fmt::print("{}\n", list.dump(2));
    }
    return 0;
}

}  // namespace

const Command ops_command{"ops", "[PATTERN] [--dir DIR] [--json]",
                          "list the stored operations with their configurations and executions", run_ops};
const Command show_command{"show", "OP [--brief] [--source] [--model M] [--dir DIR] [--json]",
                           "show the stored configurations of an operation", run_show};

}  // namespace tracelift::cli
