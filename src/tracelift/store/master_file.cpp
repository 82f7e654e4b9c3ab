#include "tracelift/store/master_file.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "tracelift/formats/indent.hpp"
#include "tracelift/store/clock.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/tables.hpp"

namespace tracelift {
namespace {

constexpr uint64_t usual_limit = uint64_t{128} << 20;
constexpr double indentation_cost = 2.4;  // bytes of a master for one byte of compact text, as measured on real ones

Json machine_json(const Configuration& configuration) {
    Json info = machine_info(configuration.hardware);
    if (configuration.hardware && configuration.board != board_of_series(configuration.hardware->device_series)) {
        info["board"] = configuration.board;
    }
    return info;
}

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

void write_operation(Database& database, const std::string& operation, const TextSink& sink) {
    const ConfigurationQuery query{operation};
    sink("{\n      \"executions\": [");
    Items executions(sink, 4);
    size_t index = 0;
    visit_configurations(database, query, [&](Configuration& configuration) {
        for (const Execution& execution : configuration.executions) {
            executions.add(Json{{"configuration", index},
                                {"source", execution.model},
                                {"machine_info", machine_json(configuration)},
                                {"count", execution.count},
                                {"trace_uid", execution.trace_uid}}
                               .dump(-1, ' ', true));
        }
        ++index;
        return true;
    });
    executions.close();
    sink(",\n      \"configurations\": [");
    Items configurations(sink, 4);
    visit_configurations(database, query, [&](Configuration& configuration) {
        const auto stored = read_stored_text(database, configuration.id);
        configurations.add(stored ? *stored : format1_arguments(configuration.call, std::nullopt).dump(-1, ' ', true));
        return true;
    });
    configurations.close();
    sink("\n    }");
}

}  // namespace

uint64_t master_limit() {
    const char* variable = std::getenv("TRACELIFT_MASTER_LIMIT");
    const double megabytes = variable != nullptr ? std::strtod(variable, nullptr) : 0;
    return megabytes > 0 ? static_cast<uint64_t>(megabytes * (1 << 20)) : usual_limit;
}

void write_master(Database& database, const TextSink& sink) {
    const auto operations = read_operations(database);
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
