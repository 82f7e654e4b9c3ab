#include "tracelift/store/master_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/formats/format1.hpp"
#include "tracelift/formats/json_tree.hpp"
#include "tracelift/formats/legacy_hash.hpp"
#include "tracelift/store/clock.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

// Stands for the named arguments of a call without a declaration.
constexpr std::string_view keywords_type = "Keywords";

Json parse(std::string_view text, const std::string& name) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw MasterError(fmt::format("{}: {}: not valid JSON ({} bytes; is it half-written?): {}", name,
                                      place_of(text, error.byte == 0 ? 0 : error.byte - 1), text.size(), error.what()));
    }
}

// Walks a parsed master; `where` in messages is a path like operations/ttnn::add/configurations[3].
class Reader {
public:
    Reader(const std::string& name, std::string digest) : name_(name) {
        unknown_ = run_index("import-" + digest.substr(0, 16), "imported");
    }

    Master read(const Json& top) {
        if (!top.is_object()) {
            fail("the top level", "an object with 'operations' and 'metadata'", top);
        }
        if (top.contains("content") && !top.contains("operations")) {
            read_content(top["content"]);
        } else {
            read_operations(top.contains("operations") ? top["operations"] : Json());
        }
        if (const auto metadata = top.find("metadata"); metadata != top.end()) {
            read_metadata(*metadata);
        }
        return std::move(master_);
    }

private:
    [[noreturn]] void fail(const std::string& where, std::string_view expected, const Json& got) const {
        std::string text = got.dump();
        text = text.size() > 60 ? text.substr(0, 57) + "..." : text;
        throw MasterError(fmt::format("{}: {}: expected {}, got {} {}", name_, where, expected, got.type_name(), text));
    }

    void read_metadata(const Json& metadata) {
        if (!metadata.is_object()) {
            fail("metadata", "an object", metadata);
        }
        if (const auto total = metadata.find("total_operations"); total != metadata.end()) {
            if (!total->is_number_unsigned()) {
                fail("metadata/total_operations", "a count", *total);
            }
            master_.total_operations = total->get<uint64_t>();
        }
    }

    void read_operations(const Json& operations) {
        if (!operations.is_object()) {
            fail("operations", "an object of operations", operations);
        }
        for (const auto& [operation, body] : operations.items()) {
            const std::string where = "operations/" + operation;
            if (!body.is_object() || !body.contains("configurations") || !body["configurations"].is_array()) {
                fail(where, "an object with a list 'configurations'", body);
            }
            read_operation(operation, body, where);
        }
    }

    void read_operation(const std::string& operation, const Json& body, const std::string& where) {
        const Json& configurations = body["configurations"];
        std::vector<std::vector<const Json*>> executions(configurations.size());
        if (const auto list = body.find("executions"); list != body.end()) {
            sort_executions(*list, where + "/executions", executions);
        }
        for (size_t i = 0; i < configurations.size(); ++i) {
            read_configuration(operation, configurations[i], executions[i],
                               fmt::format("{}/configurations[{}]", where, i));
        }
    }

    void sort_executions(const Json& list, const std::string& where,
                         std::vector<std::vector<const Json*>>& by_configuration) {
        if (!list.is_array()) {
            fail(where, "a list", list);
        }
        for (const Json& execution : list) {
            const auto index = execution.is_object() ? execution.find("configuration") : execution.end();
            if (!execution.is_object() || index == execution.end() || !index->is_number_unsigned() ||
                index->get<size_t>() >= by_configuration.size()) {
                fail(where, fmt::format("executions with a 'configuration' below {}", by_configuration.size()),
                     execution);
            }
            by_configuration[index->get<size_t>()].push_back(&execution);
        }
    }

    void read_content(const Json& content) {
        if (!content.is_array()) {
            fail("content", "a list of calls", content);
        }
        for (size_t i = 0; i < content.size(); ++i) {
            const std::string where = fmt::format("content[{}]", i);
            if (!content[i].is_object() || !content[i].contains("operation") || !content[i]["operation"].is_string()) {
                fail(where, "an object with 'operation' and 'arguments'", content[i]);
            }
            read_configuration(content[i]["operation"].get<std::string>(), content[i], {}, where);
        }
    }

    void read_configuration(const std::string& operation, const Json& configuration,
                            const std::vector<const Json*>& executions, const std::string& where) {
        const Json& arguments = configuration.is_object() && configuration.contains("arguments")
                                    ? configuration["arguments"]
                                    : configuration;
        if (arguments.is_object() && &arguments != &configuration) {
            return read_format2(operation, configuration, executions, where);
        }
        if (!arguments.is_array()) {
            fail(where, "a list of arguments", configuration);
        }
        StoredCall call{operation, {}, {}};
        try {
            call.positional = read_arguments(arguments);
        } catch (const std::exception& error) {
            throw MasterError(fmt::format("{}: {}: {}", name_, where, error.what()));
        }
        take_keywords(call);
        ++master_.configurations;
        add_executions_of(call, configuration, executions, where);
    }

    // Kept as stored, under the hash its master gave it and the identity of its text.
    void read_format2(const std::string& operation, const Json& configuration, std::vector<const Json*> list,
                      const std::string& where) {
        StoredCall call{operation, {}, {}};
        for (const auto& [name, value] : configuration["arguments"].items()) {
            call.keywords.push_back({name, from_json(value)});
        }
        ++master_.configurations;
        const auto own = configuration.find("executions");
        if (own == configuration.end() || !own->is_array()) {
            fail(where, "a list 'executions' (format 2)", configuration);
        }
        const bool use_own = list.empty();
        for (size_t i = 0; use_own && i < own->size(); ++i) {
            const Json& execution = (*own)[i];
            if (!execution.is_object()) {
                fail(fmt::format("{}/executions[{}]", where, i), "an object", execution);
            }
            list.push_back(&execution);
        }
        add_executions_of(call, configuration, list, where);
    }

    // What the writer did with the named arguments of a call without a declaration.
    static void take_keywords(StoredCall& call) {
        if (call.positional.empty() || !call.positional.back()) {
            return;
        }
        const auto* last = call.positional.back()->as<Value::Struct>();
        if (last != nullptr && last->type == keywords_type) {
            call.keywords = last->fields;
            call.positional.pop_back();
        }
    }

    void add_executions_of(const StoredCall& call, const Json& configuration,
                           const std::vector<const Json*>& executions, const std::string& where) {
        if (executions.empty()) {
            const bool object = configuration.is_object();
            const Json machine =
                object && configuration.contains("machine_info") ? configuration["machine_info"] : Json();
            add(call, configuration, machine, source_of(configuration), 1, unknown_, where);
        }
        for (const Json* execution : executions) {
            const Json machine = execution->contains("machine_info") ? (*execution)["machine_info"] : Json();
            const std::string uid = execution->value("trace_uid", "");
            add(call, configuration, machine, source_of(*execution), execution->value("count", uint64_t{1}),
                uid.empty() ? unknown_ : run_index(uid, "imported"), where);
        }
    }

    void add(const StoredCall& call, const Json& configuration, const Json& machine, const std::string& source,
             uint64_t count, size_t run, const std::string& where) {
        try {
            NewConfiguration fresh;
            fresh.hardware = hardware_of(json_tree(machine));
            if (fresh.hardware) {
                fresh.board = machine.is_object()
                                  ? machine.value("board", board_of_series(fresh.hardware->device_series))
                                  : board_of_series(fresh.hardware->device_series);
            }
            if (configuration.is_object() && configuration.contains("config_hash")) {
                fresh.call = as_stored(call, "arguments of format 2 are kept as stored");
                take_legacy_hash(call.operation, configuration, fresh);
            } else {
                fresh.call = binder_.bind(call, Order::CPP, fresh.board);
            }
            master_.unbound += fresh.call.bound ? 0 : 1;
            fresh.stored = configuration.dump();
            master_.runs[run].executions.push_back({std::move(fresh), source, count, 0});
        } catch (const std::invalid_argument& error) {
            throw MasterError(fmt::format("{}: {}: {}", name_, where, error.what()));
        }
    }

    static void take_legacy_hash(const std::string& operation, const Json& configuration, NewConfiguration& fresh) {
        if (const auto match = match_legacy_hash(dotted_name(operation), nlohmann::json::parse(configuration.dump()))) {
            fresh.legacy_hash = match->hash;
            fresh.legacy_variant = variant_name(match->variant);
        }
    }

    static std::string source_of(const Json& object) {
        if (!object.is_object() || !object.contains("source")) {
            return "unknown";
        }
        const Json& source = object["source"];
        const Json& first = source.is_array() && !source.empty() ? source.front() : source;
        return first.is_string() ? first.get<std::string>() : "unknown";
    }

    size_t run_index(const std::string& uid, const std::string& outcome) {
        for (size_t i = 0; i < master_.runs.size(); ++i) {
            if (master_.runs[i].run.uid == uid) {
                return i;
            }
        }
        master_.runs.push_back({{uid, std::string(master_name), local_time(), outcome, 0, 0}, {}});
        return master_.runs.size() - 1;
    }

    const std::string& name_;
    Master master_;
    Binder binder_;
    size_t unknown_ = 0;
};

Json arguments_json(const BoundCall& call) {
    if (call.bound) {
        return write_arguments(positional_arguments(call));
    }
    // Without a declaration nothing says where a named argument stands: the names go along.
    std::vector<std::optional<Value>> positional;
    Value::Dict keywords;
    for (const auto& entry : call.arguments) {
        if (entry.key == fmt::format("arg{}", positional.size())) {
            positional.emplace_back(entry.value);
        } else {
            keywords.push_back(entry);
        }
    }
    if (!keywords.empty()) {
        positional.emplace_back(Value::Struct{std::string(keywords_type), std::move(keywords)});
    }
    return write_arguments(positional);
}

Json configuration_json(Database& database, const Configuration& configuration) {
    if (const auto stored = stored_text(database, configuration.id)) {
        return Json::parse(*stored);
    }
    return arguments_json(configuration.call);
}

Json machine_json(const Configuration& configuration) {
    Json info = machine_info(configuration.hardware);
    if (configuration.hardware && configuration.board != board_of_series(configuration.hardware->device_series)) {
        info["board"] = configuration.board;
    }
    return info;
}

Json operation_json(Database& database, const std::string& operation) {
    Json configurations = Json::array();
    Json executions = Json::array();
    for (const Configuration& configuration : read_configurations(database, operation, {})) {
        for (const Execution& execution : configuration.executions) {
            executions.push_back({{"configuration", configurations.size()},
                                  {"source", execution.model},
                                  {"machine_info", machine_json(configuration)},
                                  {"count", execution.count},
                                  {"trace_uid", execution.trace_uid}});
        }
        configurations.push_back(configuration_json(database, configuration));
    }
    return {{"configurations", std::move(configurations)}, {"executions", std::move(executions)}};
}

}  // namespace

Master read_master(std::string_view text, const std::string& name) {
    if (text.find_first_not_of(" \t\r\n") == text.npos) {
        return {};
    }
    const Json top = parse(text, name);
    if (top.is_string() && top.get_ref<const std::string&>().empty()) {
        return {};
    }
    return Reader(name, sha256(text)).read(top);
}

std::string master_text(Database& database) {
    Json operations = Json::object();
    Json types = Json::object();
    int64_t total = 0;
    for (const OperationSummary& operation : read_operations(database)) {
        const std::string name = cpp_name(operation.name);
        operations[name] = operation_json(database, operation.name);
        types[name] = operation.configurations;
        total += operation.configurations;
    }
    const std::string captured = meta(database, "total_operations");
    const Json metadata{
        {"models", read_models(database)},        {"total_operations", captured.empty() ? 0 : std::stoll(captured)},
        {"unique_operations", operations.size()}, {"total_configurations", total},
        {"last_updated", local_time()},           {"operation_types", std::move(types)}};
    return Json{{"operations", std::move(operations)}, {"metadata", metadata}}.dump(2, ' ', true) + "\n";
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf() || file.peek() == EOF)) {
        throw MasterError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
    }
    return std::move(text).str();
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
    const std::filesystem::path fresh = path.string() + fmt::format(".{}.tmp", getpid());
    const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool good = fd >= 0;
    for (size_t done = 0; good && done < text.size();) {
        const ssize_t written = write(fd, text.data() + done, text.size() - done);
        good = written > 0;
        done += good ? static_cast<size_t>(written) : 0;
    }
    good = good && fsync(fd) == 0;
    const int reason = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (!good || std::rename(fresh.c_str(), path.c_str()) != 0) {
        const int why = good ? errno : reason;
        std::filesystem::remove(fresh);
        throw StoreError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(why)));
    }
}

}  // namespace tracelift
