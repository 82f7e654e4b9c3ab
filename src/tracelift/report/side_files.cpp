#include "tracelift/report/side_files.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/report/element.hpp"
#include "tracelift/report/report_error.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* name_key = "report_name";
constexpr const char* own_key = "tracelift_version";

// The object in a file; nothing where there is no such file or it holds something else.
Json read_object(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    Json object = file ? Json::parse(file, nullptr, false) : Json();
    return object.is_object() ? object : Json();
}

// [1, 2, 3] from the tensors of one operation in a table. The rows of all tables were written operation by operation.
class TensorLists {
public:
    TensorLists(Database& database, const std::string& table)
        : rows_(database, fmt::format("SELECT operation_id, rank, tensor_id FROM {} ORDER BY rowid", table)) {
        next();
    }

    // To be asked in the order of the operations.
    std::string of(int64_t operation_id, int64_t rank) {
        std::string list = "[";
        for (; more_ && rows_.integer(0) == operation_id && rows_.integer(1) == rank; next()) {
            list += fmt::format("{}{}", list.size() == 1 ? "" : ", ", rows_.integer(2));
        }
        return list += ']';
    }

private:
    void next() { more_ = rows_.step(); }
    Statement rows_;
    bool more_ = false;
};

}  // namespace

bool is_side_file(const std::string& name) {
    static const std::regex known(
        "(config(_[0-9]+_of_[0-9]+)?|operation_history|(.*\\.)?comparison_records|"
        ".*\\.python_io|.*\\.tensor_lifetime)\\.json");
    return std::regex_match(name, known);
}

std::string config_text(const fs::path& report, const std::string& name, const std::string& report_name) {
    Json settings = read_object(report.parent_path() / name);
    if (!settings.contains(name_key)) {
        settings = Json::object({{own_key, TRACELIFT_VERSION}});
    }
    if (!settings.contains(name_key) || !settings[name_key].is_string()) {
        settings[name_key] = report_name;
    }
    return json_text(settings, 2) + "\n";
}

bool is_own_config(const fs::path& path) { return read_object(path).contains(own_key); }

std::optional<std::string> derived_cluster_text(const ReportFile& report) {
    const auto list = report.find("devices");
    std::map<int64_t, std::string> chips;  // id to architecture
    simdjson::dom::parser parser;
    size_t index = 0;
    const auto add = [&](Span item) {
        const Element device = report.json().parse(parser, item, "device", index++);
        const auto id = member(device, "device_id");
        const auto arch = member(device, "arch");
        chips.emplace((id ? as_integer(*id) : std::nullopt).value_or(0),
                      (arch ? as_text(*arch) : std::nullopt).value_or(""));
    };
    if (!list || !report.json().for_each_element(*list, add) || chips.empty()) {
        return std::nullopt;
    }
    std::string arch, places, ids, hosts;
    int x = 0;
    for (const auto& [id, name] : chips) {
        if (!name.empty()) {
            arch += fmt::format("  {}: ", id);
            append_python_string(arch, name);
            arch += '\n';
        }
        places += fmt::format("  {}: [{}, 0, 0, 0]\n", id, x++);
        ids += fmt::format("  {}: {}\n", id, x);
        hosts += fmt::format("  - {}: {}\n", id, id);
    }
    return fmt::format(
        "# made from the devices of {}, which has no cluster descriptor\n"
        "arch:{}{}chips:\n{}chip_unique_ids:\n{}chips_with_mmio:\n{}ethernet_connections: []\n",
        report.name(), arch.empty() ? " {}\n" : "\n", arch, places, ids, hosts);
}

void write_operation_history(Database& database, const fs::path& path) {
    std::ofstream file(path, std::ios::binary);
    Statement operations(database, "SELECT operation_id, rank, name, duration FROM operations ORDER BY rowid");
    TensorLists inputs(database, "input_tensors");
    TensorLists outputs(database, "output_tensors");
    std::string line;
    std::string_view separator = "[\n";
    while (operations.step()) {
        const int64_t id = operations.integer(0);
        const int64_t rank = operations.integer(1);
        line = fmt::format(R"({}{{"ttnn_operation_id": {}, "operation_name": )", separator, id);
        append_python_string(line, operations.text(2));
        line += fmt::format(R"(, "duration_ns": {}, "input_tensor_ids": {}, "output_tensor_ids": {}, "rank": {}}})",
                            std::llround(operations.number(3) * 1e9), inputs.of(id, rank), outputs.of(id, rank), rank);
        file << line;
        separator = ",\n";
    }
    file << (separator == "[\n" ? "[]\n" : "\n]\n");
    if (!file.flush()) {
        throw ReportError(fmt::format("{}: cannot be written", path.string()));
    }
}

}  // namespace tracelift::report
