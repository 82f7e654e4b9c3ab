#include "tracelift/catalog/sqlite/master_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/indent.hpp"
#include "tracelift/base/json_text.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/dialects/format1_arguments.hpp"

namespace tracelift {
namespace {

constexpr uint64_t usual_limit = uint64_t{16} << 20;
constexpr double indentation_cost = 2.4;  // bytes of a master for one byte of compact text, as measured on real ones

std::string ascii_text(const Json& json) { return json_text(json, -1, JsonCharacters::ASCII); }

// Writes list items with the commas between them.
class Items {
public:
    Items(const TextSink& sink, size_t depth) : sink_(sink), depth_(depth) {}
    void add(std::string_view compact) {
        text_ = first_ ? "\n" : ",\n";
        first_ = false;
        text_.append(2 * depth_, ' ');
        indent_json(compact, depth_, text_);
        sink_(text_);
    }
    void close() { sink_(first_ ? "]" : "\n" + std::string(2 * (depth_ - 1), ' ') + "]"); }

private:
    const TextSink& sink_;
    size_t depth_;
    bool first_ = true;
    std::string text_;
};

// What is said of an execution beside its configuration and its count; the same for many of them.
struct Told {
    std::string before_count;
    std::string after_count;
};

}  // namespace

namespace stored {

// Rows of the questions below. A configuration without executions has one row too, without a model.
struct ListedExecution {
    int64_t configuration = 0;
    std::optional<int64_t> model;
    int64_t run = 0;
    int64_t count = 0;
    int64_t hardware = 0;
    std::string board;
};
template <>
struct Table<ListedExecution> : TableDefaults {
    using Row = ListedExecution;
    static constexpr auto columns = std::tuple{Column{"c.id", &Row::configuration},
                                               Column{"e.model_id", &Row::model},
                                               Column{"e.trace_run_id", &Row::run},
                                               Column{"e.count", &Row::count},
                                               Column{"coalesce(c.hardware_id, 0)", &Row::hardware},
                                               Column{"c.board", &Row::board}};
};

struct ExecutionNames : MachineColumns {
    std::string source, uid;
};
template <>
struct Table<ExecutionNames> : TableDefaults {
    using Row = ExecutionNames;
    static constexpr auto columns =
        std::tuple_cat(std::tuple{Column{"m.name", &Row::source}, Column{"r.uid", &Row::uid}}, machine_columns);
};

struct WrittenConfiguration {
    std::optional<std::string_view> stored;
    std::string_view arguments;
    bool bound = false;
};
template <>
struct Table<WrittenConfiguration> : TableDefaults {
    using Row = WrittenConfiguration;
    static constexpr auto columns =
        std::tuple{Column{"stored", &Row::stored}, Column{"arguments", &Row::arguments}, Column{"bound", &Row::bound}};
};

}  // namespace stored

namespace {

// Straight from the tables: what was read from a file need not be decoded to be written again.
class OperationWriter {
public:
    OperationWriter(Database& database, const TextSink& sink) : database_(database), sink_(sink) {}

    void write(const std::string& operation) {
        sink_("{\n      \"executions\": [");
        write_executions(operation);
        sink_(",\n      \"configurations\": [");
        write_configurations(operation);
        sink_("\n    }");
    }

private:
    void write_executions(const std::string& operation) {
        executions_.with(operation);
        Items items(sink_, 4);
        int64_t index = -1;
        int64_t last = 0;
        for (stored::ListedExecution row; executions_.next(row);) {
            index += row.configuration != last ? 1 : 0;
            last = row.configuration;
            if (row.model) {
                const Told& told = told_of(row);
                items.add(
                    fmt::format("{{\"configuration\":{}{}{}{}", index, told.before_count, row.count, told.after_count));
            }
        }
        items.close();
    }

    const Told& told_of(const stored::ListedExecution& row) {
        const std::tuple key(*row.model, row.run, row.hardware, row.board);
        const auto found = told_.find(key);
        if (found != told_.end()) {
            return found->second;
        }
        const auto names = names_.with(*row.model, row.run, row.hardware).one().value();
        const auto machine = hardware_of(names);
        Json info = machine_info(machine);
        if (machine && row.board != board_of_series(machine->device_series)) {
            info["board"] = row.board;
        }
        Told told{
            fmt::format(",\"source\":{},\"machine_info\":{},\"count\":", ascii_text(names.source), ascii_text(info)),
            fmt::format(",\"trace_uid\":{}}}", ascii_text(names.uid))};
        return told_.emplace(key, std::move(told)).first->second;
    }

    void write_configurations(const std::string& operation) {
        configurations_.with(operation);
        Items items(sink_, 4);
        for (stored::WrittenConfiguration row; configurations_.next(row);) {
            if (row.stored) {
                items.add(*row.stored);
                continue;
            }
            const BoundCall call{operation, arguments_of(row.arguments), row.bound, {}};
            items.add(ascii_text(format1_arguments(call)));
        }
        items.close();
    }

    Database& database_;
    const TextSink& sink_;
    std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, Told> told_;
    Select<stored::ListedExecution> executions_{database_,
                                                "FROM configuration c LEFT JOIN execution e ON e.configuration_id = "
                                                "c.id WHERE c.operation_id = (SELECT id FROM "
                                                "operation WHERE name = ?) ORDER BY c.id, e.trace_run_id, e.model_id"};
    Select<stored::ExecutionNames> names_{
        database_, "FROM model m JOIN trace_run r ON r.id = ?2 LEFT JOIN hardware h ON h.id = ?3 WHERE m.id = ?1"};
    Select<stored::WrittenConfiguration> configurations_{
        database_, "FROM configuration WHERE operation_id = (SELECT id FROM operation WHERE name = ?) ORDER BY id"};
};

double expected_size(Database& database) { return indentation_cost * static_cast<double>(text_bytes(database)); }

}  // namespace

bool master_holds_all(Database& database) { return expected_size(database) <= static_cast<double>(master_limit()); }

uint64_t master_limit() {
    const char* variable = std::getenv("TRACELIFT_MASTER_LIMIT");
    const double megabytes = variable != nullptr ? std::strtod(variable, nullptr) : 0;
    return megabytes > 0 ? static_cast<uint64_t>(megabytes * (1 << 20)) : usual_limit;
}

void write_master(Database& database, const TextSink& sink) {
    const auto operations = count_operations(database);
    const double size = expected_size(database);
    const bool whole = master_holds_all(database);
    sink("{\n  \"operations\": {");
    OperationWriter writer(database, sink);
    Json types = Json::object();
    int64_t total = 0;
    for (const OperationSummary& operation : operations) {
        const std::string name = cpp_name(operation.name);
        if (whole) {
            sink(fmt::format("{}\n    {}: ", total == 0 ? "" : ",", ascii_text(name)));
            writer.write(operation.name);
        }
        types[name] = operation.configurations;
        total += operation.configurations;
    }
    const std::string captured = meta(database, "total_operations");
    Json metadata{
        {"models", read_models(database)},        {"total_operations", captured.empty() ? 0 : std::stoll(captured)},
        {"unique_operations", operations.size()}, {"total_configurations", total},
        {"last_updated", local_time()},           {"operation_types", std::move(types)}};
    if (!whole) {
        metadata["note"] = fmt::format(
            "The configurations are in the database only: a master of about {:.0f} MB is not kept up to date beside "
            "it. "
            "'tracelift export' writes it; TRACELIFT_MASTER_LIMIT sets the limit in MB.",
            size / (1 << 20));
    }
    std::string text;
    indent_json(ascii_text(metadata), 1, text);
    sink(fmt::format("{}}},\n  \"metadata\": {}\n}}\n", whole && total != 0 ? "\n  " : "", text));
}

}  // namespace tracelift
