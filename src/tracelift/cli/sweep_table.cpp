// Results of sweeps for people and programs.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "tracelift/bind/binding.hpp"
#include "tracelift/cli/sweep.hpp"

namespace tracelift::cli {
namespace {

// One row of the table.
struct Row {
    size_t vectors = 0;
    std::map<Status, size_t> by_status{};
    std::optional<double> worst_pcc{};  // of those that were compared
    std::optional<double> worst_ulp{};
    double milliseconds = 0.0;

    void add(const ResultRecord& result) {
        ++vectors;
        ++by_status[result.status];
        milliseconds += result.milliseconds;
        if (result.pcc) {
            worst_pcc = std::min(worst_pcc.value_or(1.0), *result.pcc);
        }
        if (result.max_ulp) {
            worst_ulp = std::max(worst_ulp.value_or(0.0), *result.max_ulp);
        }
    }
    size_t count(Status status) const {
        const auto found = by_status.find(status);
        return found == by_status.end() ? 0 : found->second;
    }
    // "ok", or how many ended otherwise.
    std::string verdict() const {
        std::string text;
        for (const auto& [status, number] : by_status) {
            if (status != Status::PASS) {
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, ttnn::member_name(status));
            }
        }
        return text.empty() ? "ok" : text;
    }
};

ptrdiff_t count_of(std::span<const ResultRecord> results, Status status) {
    return std::ranges::count(results, status, &ResultRecord::status);
}

// How a vector is named in a list: configurations by their number in the store.
std::string name_of(const ResultRecord& result) {
    return result.configuration != 0 ? fmt::format("#{}", result.configuration)
                                     : fmt::format("{} {:.12}", result.suite, result.vector_id);
}

}  // namespace

std::string operation_text(const ResultRecord& result) {
    const bool module = !result.sweep_name.empty() && result.sweep_name != result.operation;
    return module ? result.sweep_name : cpp_name(result.operation);
}

void print_sweep_table(std::span<const ResultRecord> results) {
    std::map<std::string, Row> rows;
    Row total;
    for (const ResultRecord& result : results) {
        rows[operation_text(result)].add(result);
        total.add(result);
    }
    const auto print_row = [](const std::string& name, const Row& row) {
        fmt::print("{:<40} {:>7} {:>6} {:>10} {:>9} {:>9.1f}  {}\n", name, row.vectors, row.count(Status::PASS),
                   row.worst_pcc ? fmt::format("{:.6f}", *row.worst_pcc) : "",
                   row.worst_ulp ? fmt::format("{:.3g}", *row.worst_ulp) : "", row.milliseconds, row.verdict());
    };
    fmt::print("{:<40} {:>7} {:>6} {:>10} {:>9} {:>9}  {}\n", "operation", "configs", "pass", "worst PCC", "worst ULP",
               "ms", "verdict");
    for (const auto& [name, row] : rows) {
        print_row(name, row);
    }
    print_row("total", total);
}

void print_sweep_problems(std::span<const ResultRecord> results) {
    for (const ResultRecord& result : results) {
        if (result.status != Status::PASS && result.status != Status::XFAIL) {
            fmt::print("  {} {}: {}: {}\n", operation_text(result), name_of(result), ttnn::member_name(result.status),
                       result.exception.empty() ? result.message : result.exception);
        }
    }
}

Json sweep_result_json(const ResultRecord& result) {
    Json entry{{"id", result.configuration},
               {"operation", operation_text(result)},
               {"identity", result.identity},
               {"sweep_name", result.sweep_name},
               {"suite", result.suite},
               {"vector_id", result.vector_id},
               {"status", ttnn::member_name(result.status)},
               {"message", result.exception.empty() ? result.message : result.exception},
               {"milliseconds", result.milliseconds}};
    const std::pair<const char*, std::optional<double>> measures[] = {{"pcc", result.pcc},
                                                                      {"max_ulp", result.max_ulp},
                                                                      {"max_relative", result.max_relative},
                                                                      {"max_absolute", result.max_absolute}};
    for (const auto& [name, value] : measures) {
        if (value) {
            entry[name] = *value;
        }
    }
    if (result.equal) {
        entry["equal"] = *result.equal;
    }
    for (const Metric& metric : result.metrics) {
        entry["metrics"][metric.name] = metric.value;
    }
    return entry;
}

std::string pass_text(std::span<const ResultRecord> results, std::string_view unit) {
    std::string text = fmt::format("{} of {} {} pass", count_of(results, Status::PASS), results.size(), unit);
    for (const auto& [status, words] :
         {std::pair(Status::NOT_RUN, "were not run"), std::pair(Status::NOT_JUDGED, "are not judged"),
          std::pair(Status::TOO_LARGE, "are too large for this machine"),
          std::pair(Status::XFAIL, "fail as expected")}) {
        if (const auto count = count_of(results, status); count != 0) {
            text += fmt::format(", {} {}", count, words);
        }
    }
    return text;
}

bool all_good(std::span<const ResultRecord> results) {
    ptrdiff_t fine = 0;
    for (const Status status : {Status::PASS, Status::NOT_RUN, Status::NOT_JUDGED, Status::TOO_LARGE, Status::XFAIL}) {
        fine += count_of(results, status);
    }
    return fine == std::ssize(results) && count_of(results, Status::PASS) + count_of(results, Status::XFAIL) != 0;
}

}  // namespace tracelift::cli
