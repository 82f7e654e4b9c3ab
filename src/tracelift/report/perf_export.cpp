#include "tracelift/report/perf_export.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <xxhash.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/report/core_ranges.hpp"
#include "tracelift/report/device_operation.hpp"
#include "tracelift/report/open_function.hpp"
#include "tracelift/report/perf_tensor.hpp"
#include "tracelift/report/report_error.hpp"

namespace tracelift::report {
namespace {

namespace fs = std::filesystem;

// Every column that the ttnn-visualizer 0.108 and tt-perf-report 1.4 ask for by name; those of tensors come between.
constexpr auto columns_before = std::to_array<std::string_view>({"OP CODE",
                                                                 "OP TYPE",
                                                                 "GLOBAL CALL COUNT",
                                                                 "DEVICE ID",
                                                                 "DEVICE ARCH",
                                                                 "ATTRIBUTES",
                                                                 "MATH FIDELITY",
                                                                 "CORE COUNT",
                                                                 "AVAILABLE WORKER CORE COUNT",
                                                                 "SUB DEVICE ID",
                                                                 "PARALLELIZATION STRATEGY",
                                                                 "HOST START TS",
                                                                 "HOST END TS",
                                                                 "HOST DURATION [ns]",
                                                                 "DEVICE FW START CYCLE",
                                                                 "DEVICE FW END CYCLE",
                                                                 "OP TO OP LATENCY [ns]",
                                                                 "DEVICE FW DURATION [ns]",
                                                                 "DEVICE KERNEL DURATION [ns]",
                                                                 "DEVICE KERNEL DURATION PER CORE MIN [ns]",
                                                                 "DEVICE KERNEL DURATION PER CORE MAX [ns]",
                                                                 "DEVICE KERNEL DURATION PER CORE AVG [ns]",
                                                                 "DEVICE KERNEL FIRST TO LAST START [ns]",
                                                                 "DEVICE BRISC KERNEL DURATION [ns]",
                                                                 "DEVICE NCRISC KERNEL DURATION [ns]",
                                                                 "DEVICE TRISC0 KERNEL DURATION [ns]",
                                                                 "DEVICE TRISC1 KERNEL DURATION [ns]",
                                                                 "DEVICE TRISC2 KERNEL DURATION [ns]",
                                                                 "DEVICE ERISC KERNEL DURATION [ns]",
                                                                 "DEVICE COMPUTE CB WAIT FRONT [ns]",
                                                                 "DEVICE COMPUTE CB RESERVE BACK [ns]",
                                                                 "DISPATCH TOTAL CQ CMD OP TIME [ns]",
                                                                 "DISPATCH GO SEND WAIT TIME [ns]"});
constexpr auto columns_after = std::to_array<std::string_view>(
    {"METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "COMPUTE KERNEL SOURCE", "COMPUTE KERNEL HASH",
     "DATA MOVEMENT KERNEL SOURCE", "DATA MOVEMENT KERNEL HASH", "PROGRAM HASH", "PROGRAM CACHE HIT", "PM IDEAL [ns]",
     "PM COMPUTE [ns]", "PM BANDWIDTH [ns]", "PM FPU UTIL (%)", "NOC UTIL (%)", "MULTICAST NOC UTIL (%)",
     "DRAM BW UTIL (%)", "DRAM BW UTIL PER CTRL (%)", "ETH BW UTIL (%)", "NPE CONG IMPACT (%)"});
// tt-perf-report reads these of every row.
constexpr size_t fewest_inputs = 2;
constexpr size_t fewest_outputs = 1;

struct Operation {
    std::map<std::string_view, std::string> cells;
    std::vector<PerfTensor> inputs, outputs;
};

bool is_low_precision(const PerfTensor& tensor) { return tensor.dtype.ends_with("_B"); }

// Given in the call, or what ttnn takes for a product by itself. Other operations without one have none.
std::string math_fidelity(std::string_view code, const std::vector<std::string>& arguments,
                          const std::vector<PerfTensor>& inputs) {
    bool configured = false;
    for (const std::string_view text : arguments) {
        configured |= text.find("ProgramConfig(") != text.npos;
        for (const std::string_view name : {"LoFi", "HiFi2", "HiFi3", "HiFi4"}) {
            if (text.find("math_fidelity=") != text.npos && text.find(name) != text.npos) {
                return std::string(name);
            }
        }
    }
    if (code.find("Matmul") == code.npos || inputs.empty()) {
        return "";
    }
    if (configured || std::ranges::all_of(inputs, is_low_precision)) {
        return "LoFi";
    }
    const bool floats = std::ranges::all_of(inputs, [](const PerfTensor& input) { return input.dtype == "FLOAT32"; });
    return floats ? "HiFi4" : "HiFi2";
}

// "{'arg_2': 'true'; 'program_config': '...'}": what is not a tensor.
std::string attributes_text(const std::vector<std::string>& arguments) {
    std::string text = "{";
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& value = arguments[i];
        if (value.starts_with("Tensor(") || value.starts_with("[Tensor(") ||
            value.find("DeviceStorage") != value.npos) {
            continue;
        }
        const bool is_config = value.find("ProgramConfig(") != value.npos;
        std::string shown = value;
        std::ranges::replace(shown, '\'', '"');
        text += fmt::format("{}'{}': '{}'", text.size() > 1 ? "; " : "",
                            is_config ? std::string("program_config") : fmt::format("arg_{}", i), shown);
    }
    return text + "}";
}

// Goes through the nodes and makes an operation of each device operation that ended.
class Walk {
public:
    explicit Walk(const ReportFile& report) : report_(report), reader_(report), look_(report) {}

    std::vector<Operation> run() {
        for (size_t position = 0; position < report_.nodes(); ++position) {
            const NodeView& node = reader_.read(position);
            if (node.is(NodeType::FUNCTION_START)) {
                start(node);
            } else if (node.is(NodeType::FUNCTION_END)) {
                end(node);
            } else if (node.is(NodeType::ERROR)) {
                error(node);
            } else if (node.is(NodeType::CIRCULAR_BUFFER_ALLOCATE) && !open_.empty()) {
                open_.back().cores.add(node.text("core_range_set"));
            }
        }
        // Device operations inside others ended before them.
        std::ranges::sort(operations_, {}, &std::pair<size_t, Operation>::first);
        std::vector<Operation> list;
        for (auto& [place, operation] : operations_) {
            operation.cells["GLOBAL CALL COUNT"] = std::to_string(list.size() + 1);
            list.push_back(std::move(operation));
        }
        return list;
    }

private:
    struct Open {
        std::string name, shown;
        size_t place = 0;  // node
        int64_t start_ns = 0;
        std::vector<uint64_t> inputs;
        std::vector<std::string> arguments;
        CoreSet cores;
    };
    struct Program {
        size_t cores = 0;
    };

    void start(const NodeView& node) {
        Open open{std::string(node.text("name")),
                  names_.begin(node.text("name")),
                  node.position,
                  clock_ns_,
                  node.inputs(),
                  {},
                  {}};
        if (node.arguments && node.arguments->is_array()) {
            for (const Element argument : items(*node.arguments)) {
                open.arguments.push_back(plain_text(argument));
            }
        }
        open_.push_back(std::move(open));
    }

    void end(const NodeView& node) {
        names_.end(node.text("name"));
        const auto found = std::ranges::find(open_.rbegin(), open_.rend(), node.text("name"), &Open::name);
        if (found == open_.rend()) {
            return;
        }
        open_.erase(found.base(), open_.end());  // those did not end
        Open ended = std::move(open_.back());
        open_.pop_back();
        // Reports have durations and no times: functions are put one after the other.
        clock_ns_ = std::max(clock_ns_, ended.start_ns + std::max<int64_t>(node.duration_ns, 0));
        if (is_device_operation(ended.shown)) {
            operations_.emplace_back(ended.place, operation_of(ended, node));
        }
    }

    // An exception ends what it left open.
    void error(const NodeView& node) {
        while (!open_.empty() && !ends_after(report_, look_, open_.back().place, node.position)) {
            names_.end(open_.back().name);
            open_.pop_back();
        }
    }

    std::vector<PerfTensor> tensors(const std::vector<uint64_t>& counters) {
        std::vector<PerfTensor> list;
        for (const uint64_t counter : counters) {
            const auto position = report_.position_of(counter);
            if (!position) {
                continue;
            }
            const NodeView& node = look_.read(*position);
            if (node.is(NodeType::TENSOR)) {
                list.push_back(perf_tensor(node));
            }
        }
        return list;
    }

    Operation operation_of(const Open& open, const NodeView& end) {
        Operation operation;
        operation.outputs = tensors(end.links());
        operation.inputs = tensors(open.inputs);
        const Open* described = &open;
        // Tensors and arguments may be listed by what is around the device operation: the primitive, the operation.
        for (auto outer = open_.rbegin(); outer != open_.rend(); ++outer) {
            operation.inputs = operation.inputs.empty() ? tensors(outer->inputs) : std::move(operation.inputs);
            described = described->arguments.empty() ? &*outer : described;
        }
        const std::string attributes = attributes_text(described->arguments);
        std::string program = open.shown + attributes;
        for (const auto* list : {&operation.inputs, &operation.outputs}) {
            for (const PerfTensor& tensor : *list) {
                program +=
                    fmt::format("{}{}{}{}", fmt::join(tensor.dims, ","), tensor.layout, tensor.dtype, tensor.memory);
            }
        }
        const uint64_t hash = XXH3_64bits(program.data(), program.size());
        const auto [known, is_new] = programs_.try_emplace(hash);
        // A program tells its circular buffers when it is compiled, not when it is found in the cache.
        const bool compiled = open.cores.size() > 0;
        known->second.cores = compiled ? open.cores.size() : known->second.cores;
        const int64_t duration = std::max<int64_t>(end.duration_ns, 0);
        const int64_t device = !operation.outputs.empty()  ? operation.outputs.front().device_id
                               : !operation.inputs.empty() ? operation.inputs.front().device_id
                                                           : 0;
        const auto number = [](size_t value) { return value > 0 ? std::to_string(value) : std::string(); };
        operation.cells = {
            {"OP CODE", open.shown},
            {"OP TYPE", "tt_dnn_device"},
            {"DEVICE ID", std::to_string(device)},
            {"ATTRIBUTES", attributes},
            {"MATH FIDELITY", math_fidelity(open.shown, described->arguments, operation.inputs)},
            {"CORE COUNT", number(known->second.cores)},
            {"HOST START TS", std::to_string(open.start_ns)},
            {"HOST END TS", std::to_string(open.start_ns + duration)},
            {"HOST DURATION [ns]", std::to_string(duration)},
            {"PROGRAM HASH", std::to_string(hash)},
            {"PROGRAM CACHE HIT", compiled ? "False"
                                  : is_new ? ""
                                           : "True"},
        };
        return operation;
    }

    const ReportFile& report_;
    NodeReader reader_;
    NodeReader look_;
    DeviceOperationNames names_;
    std::vector<Open> open_;
    std::vector<std::pair<size_t, Operation>> operations_;  // with the node where they began
    std::unordered_map<uint64_t, Program> programs_;
    int64_t clock_ns_ = 0;
};

void read_device(const ReportFile& report, PerfTable& table) {
    const auto devices = report.find("devices");
    if (!devices) {
        return;
    }
    simdjson::dom::parser parser;
    bool first = true;
    report.json().for_each_element(*devices, [&](Span item) {
        if (!std::exchange(first, false)) {
            return;
        }
        const Element device = report.json().parse(parser, item, "device", 0);
        if (const auto arch = member(device, "arch"); arch && as_text(*arch)) {
            table.arch = *as_text(*arch);
        }
        if (const auto cores = member(device, "num_compute_cores")) {
            table.compute_cores = as_integer(*cores).value_or(0);
        }
    });
    std::ranges::transform(table.arch, table.arch.begin(),
                           [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    table.arch = table.arch.substr(table.arch.find_last_of(":.") + 1);
}

CsvRow row_of(const Operation& operation, const PerfTable& table, size_t inputs, size_t outputs) {
    CsvRow row;
    const auto add = [&](std::string_view column) {
        const auto found = operation.cells.find(column);
        row.push_back(column == "DEVICE ARCH"                   ? table.arch
                      : column == "AVAILABLE WORKER CORE COUNT" ? std::to_string(table.compute_cores)
                      : found == operation.cells.end()          ? ""
                                                                : found->second);
    };
    const auto add_tensors = [&](const std::vector<PerfTensor>& tensors, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            const PerfTensor tensor = i < tensors.size() ? tensors[i] : PerfTensor();
            row.insert(row.end(), tensor.dims.begin(), tensor.dims.end());
            row.insert(row.end(), {tensor.layout, tensor.dtype, tensor.memory});
        }
    };
    std::ranges::for_each(columns_before, add);
    add_tensors(operation.inputs, inputs);
    add_tensors(operation.outputs, outputs);
    std::ranges::for_each(columns_after, add);
    return row;
}

}  // namespace

PerfTable perf_table(const fs::path& path) {
    const ReportFile report(path);
    const std::vector<Operation> operations = Walk(report).run();
    PerfTable table;
    read_device(report, table);
    size_t inputs = fewest_inputs;
    size_t outputs = fewest_outputs;
    for (const Operation& operation : operations) {
        inputs = std::max(inputs, operation.inputs.size());
        outputs = std::max(outputs, operation.outputs.size());
    }
    const auto add_columns = [&](std::string_view kind, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            for (const std::string_view column : perf_tensor_columns) {
                table.header.push_back(fmt::format("{}_{}_{}", kind, i, column));
            }
        }
    };
    table.header.assign(columns_before.begin(), columns_before.end());
    add_columns("INPUT", inputs);
    add_columns("OUTPUT", outputs);
    table.header.insert(table.header.end(), columns_after.begin(), columns_after.end());
    for (const Operation& operation : operations) {
        table.rows.push_back(row_of(operation, table, inputs, outputs));
    }
    return table;
}

PerfSummary write_perf_report(const fs::path& report, const fs::path& folder) {
    const PerfTable table = perf_table(report);
    PerfSummary summary;
    summary.operations = table.rows.size();
    for (size_t i = 0; i < table.header.size(); ++i) {
        if (std::ranges::all_of(table.rows, [i](const CsvRow& row) { return row[i].empty(); })) {
            summary.empty_columns.push_back(table.header[i]);
        }
    }
    std::string text;
    append_csv_row(text, table.header);
    for (const CsvRow& row : table.rows) {
        append_csv_row(text, row);
    }
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) {
        throw ReportError(fmt::format("{}: cannot be created: {}", folder.string(), problem.message()));
    }
    summary.table = folder / fmt::format("{}_{}.csv", perf_file_prefix, report.stem().string());
    summary.device_log = folder / device_log_name;
    replace_file(summary.table, text);
    // Without a device there are no events: the first line and the columns are what readers need.
    const bool is_blackhole = table.arch.find("blackhole") != std::string::npos;
    replace_file(
        summary.device_log,
        fmt::format("ARCH: {}, CHIP_FREQ[MHz]: {}, Max Compute Cores: {}\n"
                    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "
                    "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta "
                    "data\n",
                    table.arch.empty() ? "wormhole_b0" : table.arch, is_blackhole ? 1350 : 1000, table.compute_cores));
    return summary;
}

std::string summary_text(const PerfSummary& summary) {
    return fmt::format(
        "{}: {} device operations\n{}: no events, because no device ran\nTimes are host times. Empty, because only "
        "hardware can measure them: DEVICE ... [ns], OP TO OP LATENCY, DISPATCH, PM and UTIL columns.\n",
        summary.table.string(), summary.operations, summary.device_log.string());
}

}  // namespace tracelift::report
