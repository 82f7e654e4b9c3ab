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
#include "tracelift/store/export.hpp"

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
        for (int64_t last = 0; executions_.step();) {
            index += executions_.integer(0) != last ? 1 : 0;
            last = executions_.integer(0);
            if (!executions_.is_null(1)) {  // a configuration without executions has one row too
                const Told& told = told_of(executions_.integer(1), executions_.integer(2), executions_.integer(4),
                                           executions_.text(5));
                items.add(fmt::format("{{\"configuration\":{}{}{}{}", index, told.before_count, executions_.integer(3),
                                      told.after_count));
            }
        }
        items.close();
    }

    const Told& told_of(int64_t model, int64_t run, int64_t hardware, std::string_view board) {
        const std::tuple key(model, run, hardware, std::string(board));
        const auto found = told_.find(key);
        if (found != told_.end()) {
            return found->second;
        }
        names_.with(model, run, hardware).step();
        const auto machine = hardware_at(names_, 2);
        Json info = machine_info(machine);
        if (machine && board != board_of_series(machine->device_series)) {
            info["board"] = board;
        }
        Told told{
            fmt::format(",\"source\":{},\"machine_info\":{},\"count\":", ascii_text(names_.text(0)), ascii_text(info)),
            fmt::format(",\"trace_uid\":{}}}", ascii_text(names_.text(1)))};
        return told_.emplace(key, std::move(told)).first->second;
    }

    void write_configurations(const std::string& operation) {
        configurations_.with(operation);
        Items items(sink_, 4);
        while (configurations_.step()) {
            if (!configurations_.is_null(0)) {
                items.add(configurations_.text(0));
                continue;
            }
            BoundCall call{operation, arguments_of(configurations_.text(1)), configurations_.integer(2) != 0, {}, {}};
            call.placements = configurations_.is_null(3) ? Value::Dict() : arguments_of(configurations_.text(3));
            items.add(ascii_text(format1_arguments(call)));
        }
        items.close();
    }

    Database& database_;
    const TextSink& sink_;
    std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, Told> told_;
    Statement executions_{
        database_,
        "SELECT c.id, e.model_id, e.trace_run_id, e.count, coalesce(c.hardware_id, 0), c.board FROM configuration c "
        "LEFT JOIN execution e ON e.configuration_id = c.id WHERE c.operation_id = (SELECT id FROM operation WHERE "
        "name = ?) ORDER BY c.id, e.trace_run_id, e.model_id"};
    Statement names_{database_,
                     "SELECT m.name, r.uid, h.board_type, h.device_series, h.card_count, h.mesh_shape, h.device_count "
                     "FROM model m JOIN trace_run r ON r.id = ?2 LEFT JOIN hardware h ON h.id = ?3 WHERE m.id = ?1"};
    Statement configurations_{
        database_,
        "SELECT stored, arguments, bound, placements FROM configuration WHERE operation_id = (SELECT id FROM operation "
        "WHERE name = ?) ORDER BY id"};
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
