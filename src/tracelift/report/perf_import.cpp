#include "tracelift/report/perf_import.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/base/mapped_file.hpp"
#include "tracelift/report/csv.hpp"
#include "tracelift/report/device_operation.hpp"
#include "tracelift/report/own_tables.hpp"
#include "tracelift/report/perf_export.hpp"
#include "tracelift/report/report_error.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::report {
namespace {

namespace fs = std::filesystem;

fs::path find_file(const fs::path& place) {
    if (!fs::is_directory(place)) {
        return place;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(place)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(perf_file_prefix) && name.ends_with(".csv")) {
            found.push_back(entry.path());
        }
    }
    if (found.size() != 1) {
        std::ranges::sort(found);
        std::string names;
        for (const fs::path& path : found) {
            names += (names.empty() ? ": " : ", ") + path.filename().string();
        }
        throw ReportError(fmt::format("{}: has {} files {}*.csv, expected one; name the file{}", place.string(),
                                      found.size(), perf_file_prefix, names));
    }
    return found.front();
}

// A whole number; profilers write some with a fraction.
std::optional<int64_t> whole(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = read.ec == std::errc() && read.ptr == text.data() + text.size() && std::abs(value) < 9e15;
    return good ? std::optional(std::llround(value)) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

class Header {
public:
    Header(const CsvRow& cells, const std::string& file) : file_(file) {
        for (size_t i = 0; i < cells.size(); ++i) {
            names_.emplace_back(trimmed(cells[i]));
            places_.emplace(names_.back(), i);
        }
        std::string missing;
        for (const std::string_view name : {"OP CODE", "OP TYPE", "DEVICE ID"}) {
            if (!places_.contains(name)) {
                missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", name);
            }
        }
        if (!missing.empty()) {
            throw ReportError(
                fmt::format("{}: line 1: is not a table of device operations: it has no column {}", file, missing));
        }
    }

    std::string_view cell(const CsvRow& row, std::string_view name) const {
        const auto found = places_.find(name);
        return found == places_.end() || found->second >= row.size() ? "" : trimmed(row[found->second]);
    }
    std::optional<int64_t> number(const CsvRow& row, std::string_view name, size_t line) const {
        const std::string_view text = cell(row, name);
        if (text.empty() || text == "nan") {
            return std::nullopt;
        }
        const auto value = whole(text);
        if (!value) {
            throw ReportError(fmt::format("{}: line {}: {} is '{:.40}', not a number", file_, line, name, text));
        }
        return value;
    }
    std::string json(const CsvRow& row) const {
        Json object = Json::object();
        for (size_t i = 0; i < std::min(row.size(), names_.size()); ++i) {
            if (!row[i].empty()) {
                object[names_[i]] = row[i];
            }
        }
        return json_text(object);
    }
    size_t size() const { return names_.size(); }

private:
    std::string file_;
    std::vector<std::string> names_;
    std::map<std::string, size_t, std::less<>> places_;
};

struct Measured {
    PerformanceRow row;  // its texts are below
    std::string op_code, math_fidelity, program_hash, program_cache_hit, cells;
    std::optional<int64_t> host_start;
};

struct PerfRows {
    std::vector<Measured> rows;
    size_t left_out = 0;
};

PerfRows read_table(const fs::path& path) {
    const MappedFile file(path);
    const std::string name = path.filename().string();
    CsvReader reader(file.text(), name);
    CsvRow cells;
    if (!reader.read(cells)) {
        throw ReportError(fmt::format("{}: is empty, expected a table of device operations", name));
    }
    const Header header(cells, name);
    PerfRows table;
    while (reader.read(cells)) {
        const size_t line = reader.line();
        if (cells.size() > header.size()) {
            throw ReportError(fmt::format("{}: line {}: has {} cells, but the first line has {}", name, line,
                                          cells.size(), header.size()));
        }
        if (header.cell(cells, "OP TYPE") != "tt_dnn_device") {
            ++table.left_out;
            continue;
        }
        const auto number = [&](std::string_view column) { return header.number(cells, column, line); };
        const auto device = number("DEVICE ID");
        if (!device) {
            throw ReportError(fmt::format("{}: line {}: a device operation without DEVICE ID", name, line));
        }
        Measured row;
        row.op_code = header.cell(cells, "OP CODE");
        row.math_fidelity = header.cell(cells, "MATH FIDELITY");
        row.program_hash = header.cell(cells, "PROGRAM HASH");
        row.program_cache_hit = header.cell(cells, "PROGRAM CACHE HIT");
        row.cells = header.json(cells);
        row.host_start = number("HOST START TS");
        row.row.line = static_cast<int64_t>(line);
        row.row.device_id = *device;
        row.row.core_count = number("CORE COUNT");
        row.row.host_duration_ns = number("HOST DURATION [ns]");
        row.row.device_fw_duration_ns = number("DEVICE FW DURATION [ns]");
        row.row.device_kernel_duration_ns = number("DEVICE KERNEL DURATION [ns]");
        row.row.op_to_op_latency_ns = number("OP TO OP LATENCY [ns]");
        table.rows.push_back(std::move(row));
    }
    if (std::ranges::all_of(table.rows, [](const Measured& row) { return row.host_start.has_value(); })) {
        std::ranges::stable_sort(table.rows, {}, [](const Measured& row) { return *row.host_start; });
    }
    return table;
}

struct DeviceOperation {
    std::string code;
    std::optional<int64_t> operation_id;
};

// Those that ended, in the order in which they began.
std::vector<DeviceOperation> device_operations(Database& database, int64_t rank) {
    if (database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'functions'") == 0) {
        throw ReportError(
            "the database does not list device operations: make it with 'tracelift report import', rules r");
    }
    Statement functions(database,
                        "SELECT f.function_id, f.parent_id, f.name, f.operation_id, f.end_counter IS NOT NULL, "
                        "f.report_id FROM functions f JOIN reports r ON r.report_id = f.report_id WHERE r.rank = ? "
                        "ORDER BY f.report_id, f.function_id");
    functions.with(rank);
    std::vector<DeviceOperation> list;
    std::vector<std::pair<int64_t, std::string>> open;  // functions around, outermost first
    int64_t report = -1;
    DeviceOperationNames names;
    while (functions.step()) {
        if (report != functions.integer(5)) {
            report = functions.integer(5);
            open.clear();
            names.clear();
        }
        while (!open.empty() && (functions.is_null(1) || open.back().first != functions.integer(1))) {
            names.end(open.back().second);
            open.pop_back();
        }
        const std::string name(functions.text(2));
        const std::string shown = names.begin(name);
        open.emplace_back(functions.integer(0), name);
        if (functions.integer(4) != 0 && is_device_operation(shown) && !functions.is_null(3)) {
            list.push_back({shown, functions.integer(3)});
        }
    }
    return list;
}

void match(std::vector<Measured*>& rows, const std::vector<DeviceOperation>& operations, int64_t device,
           const std::string& file) {
    for (size_t i = 0; i < std::min(rows.size(), operations.size()); ++i) {
        const DeviceOperation& operation = operations[i];
        if (!same_device_operation(rows[i]->op_code, operation.code)) {
            throw ReportError(
                fmt::format("{}: line {}: is {}, but device operation {} of the report is {}, in operation {}: they "
                            "are not from the same run",
                            file, rows[i]->row.line, rows[i]->op_code, i + 1, operation.code, *operation.operation_id));
        }
        rows[i]->row.operation_id = operation.operation_id;
        rows[i]->row.device_operation = static_cast<int64_t>(i + 1);
    }
    if (rows.size() < operations.size()) {
        throw ReportError(fmt::format(
            "{}: has {} device operations of device {}, the report has {}: the first without a row is {} in operation "
            "{}",
            file, rows.size(), device, operations.size(), operations[rows.size()].code,
            *operations[rows.size()].operation_id));
    }
}

}  // namespace

PerfImport import_performance(Database& database, const fs::path& place, int64_t rank) {
    PerfImport summary;
    summary.file = find_file(place);
    const std::string file = summary.file.filename().string();
    PerfRows table = read_table(summary.file);
    const std::vector<DeviceOperation> operations = device_operations(database, rank);
    std::map<int64_t, std::vector<Measured*>> by_device;
    for (Measured& row : table.rows) {
        by_device[row.row.device_id].push_back(&row);
    }
    if (by_device.empty() && !operations.empty()) {
        throw ReportError(fmt::format("{}: has no device operations, the report has {}", file, operations.size()));
    }
    for (auto& [device, rows] : by_device) {
        match(rows, operations, device, file);
        summary.past += rows.size() - operations.size();
    }
    summary.rows = table.rows.size();
    summary.devices = by_device.size();
    summary.matched = operations.size();
    summary.left_out = table.left_out;

    Transaction transaction(database);
    database.run(create_statement<PerformanceRow>());
    Statement clear(database, "DELETE FROM performance WHERE rank = ?");
    clear.with(rank).run();
    {
        Insert<PerformanceRow> insert(database);
        for (Measured& measured : table.rows) {
            PerformanceRow row = measured.row;
            row.op_code = measured.op_code;
            row.math_fidelity = measured.math_fidelity;
            row.program_hash = measured.program_hash;
            row.program_cache_hit = measured.program_cache_hit;
            row.cells = measured.cells;
            row.rank = rank;
            insert(row);
        }
    }
    database.run("CREATE INDEX IF NOT EXISTS performance_by_operation ON performance (operation_id)");
    transaction.commit();
    return summary;
}

std::string summary_text(const PerfImport& summary) {
    std::string text = fmt::format("{}: {} rows of {} device(s), for the {} device operations of the report\n",
                                   summary.file.string(), summary.rows, summary.devices, summary.matched);
    if (summary.left_out > 0) {
        text += fmt::format("left out: {} signposts and host operations\n", summary.left_out);
    }
    if (summary.past > 0) {
        text += fmt::format("{} rows come after the report: they are kept without an operation\n", summary.past);
    }
    return text;
}

}  // namespace tracelift::report
