#include "tracelift/store/master_file.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "tracelift/formats/indent.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/value/clock.hpp"

namespace tracelift {
namespace {

constexpr uint64_t usual_limit = uint64_t{16} << 20;
constexpr double indentation_cost = 2.4;  // bytes of a master for one byte of compact text, as measured on real ones

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

// Straight from the tables: what was read from a file need not be decoded to be written again.
void write_executions(Database& database, const std::string& operation, const TextSink& sink) {
    Statement select(database,
                     "SELECT c.id, m.name, r.uid, e.count, c.board, h.board_type, h.device_series, h.card_count, "
                     "h.mesh_shape, h.device_count FROM configuration c JOIN execution e ON e.configuration_id = c.id "
                     "JOIN model m ON m.id = e.model_id JOIN trace_run r ON r.id = e.trace_run_id LEFT JOIN hardware h "
                     "ON h.id = c.hardware_id WHERE c.operation_id = (SELECT id FROM operation WHERE name = ?) "
                     "ORDER BY c.id, r.id, m.id");
    Statement order(database,
                    "SELECT id FROM configuration WHERE operation_id = (SELECT id FROM operation WHERE name = ?) "
                    "ORDER BY id");
    select.with(operation);
    order.with(operation).step();
    Items executions(sink, 4);
    for (int64_t index = 0; select.step();) {
        while (order.integer(0) != select.integer(0)) {  // configurations without an execution are passed over
            order.step();
            ++index;
        }
        const auto hardware = hardware_at(select, 5);
        Json info = machine_info(hardware);
        if (hardware && select.text(4) != board_of_series(hardware->device_series)) {
            info["board"] = select.text(4);
        }
        executions.add(Json{{"configuration", index},
                            {"source", select.text(1)},
                            {"machine_info", std::move(info)},
                            {"count", select.integer(3)},
                            {"trace_uid", select.text(2)}}
                           .dump(-1, ' ', true));
    }
    executions.close();
}

void write_configurations(Database& database, const std::string& operation, const TextSink& sink) {
    Statement select(database,
                     "SELECT stored, arguments, bound, placements FROM configuration WHERE operation_id = (SELECT id "
                     "FROM operation WHERE name = ?) ORDER BY id");
    select.with(operation);
    Items configurations(sink, 4);
    while (select.step()) {
        if (!select.is_null(0)) {
            configurations.add(select.text(0));
            continue;
        }
        BoundCall call{operation, arguments_of(select.text(1)), select.integer(2) != 0, {}, {}};
        call.placements = select.is_null(3) ? Value::Dict() : arguments_of(select.text(3));
        configurations.add(format1_arguments(call, std::nullopt).dump(-1, ' ', true));
    }
    configurations.close();
}

void write_operation(Database& database, const std::string& operation, const TextSink& sink) {
    sink("{\n      \"executions\": [");
    write_executions(database, operation, sink);
    sink(",\n      \"configurations\": [");
    write_configurations(database, operation, sink);
    sink("\n    }");
}

}  // namespace

uint64_t master_limit() {
    const char* variable = std::getenv("TRACELIFT_MASTER_LIMIT");
    const double megabytes = variable != nullptr ? std::strtod(variable, nullptr) : 0;
    return megabytes > 0 ? static_cast<uint64_t>(megabytes * (1 << 20)) : usual_limit;
}

void write_master(Database& database, const TextSink& sink) {
    const auto operations = count_operations(database);
    const double size = indentation_cost * static_cast<double>(text_bytes(database));
    const bool whole = size <= static_cast<double>(master_limit());
    sink("{\n  \"operations\": {");
    Json types = Json::object();
    int64_t total = 0;
    for (const OperationSummary& operation : operations) {
        const std::string name = cpp_name(operation.name);
        if (whole) {
            sink(fmt::format("{}\n    {}: ", total == 0 ? "" : ",", Json(name).dump(-1, ' ', true)));
            write_operation(database, operation.name, sink);
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
    indent_json(metadata.dump(-1, ' ', true), 1, text);
    sink(fmt::format("{}}},\n  \"metadata\": {}\n}}\n", whole && total != 0 ? "\n  " : "", text));
}

}  // namespace tracelift
