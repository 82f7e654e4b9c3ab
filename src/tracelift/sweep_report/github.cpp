#include "tracelift/sweep_report/github.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/sweep_report/escape.hpp"

namespace tracelift {
namespace {

constexpr size_t shown_operations = 100;
constexpr size_t shown_groups = 50;

std::string vectors(size_t count) { return fmt::format("{} vector{}", count, count == 1 ? "" : "s"); }

void put_operations(std::string& text, const Summary& summary) {
    text += "\n| operation | passed | failed | other | worst PCC | ms |\n|---|---:|---:|---:|---:|---:|\n";
    for (size_t i = 0; i < std::min(shown_operations, summary.operations.size()); ++i) {
        const OperationResults& row = summary.operations[i];
        const size_t failed = row.tally.count(Verdict::FAILED) + row.tally.count(Verdict::FAULT);
        text += fmt::format("| {} | {} of {} | {} | {} | {} | {:.1f} |\n", markdown_cell(row.name, 100),
                            row.tally.passed(), row.tally.total, failed, row.tally.total - row.tally.passed() - failed,
                            row.worst_pcc ? fmt::format("{:.6f}", *row.worst_pcc) : "", row.milliseconds);
    }
    if (summary.operations.size() > shown_operations) {
        text += fmt::format("\n... and {} more operations\n", summary.operations.size() - shown_operations);
    }
}

}  // namespace

std::string github_command(std::string_view level, std::string_view title, std::string_view text) {
    return fmt::format("::{} title={}::{}\n", level, github_property(title), github_data(text));
}

std::string github_annotations(std::span<const FailureGroup> groups) {
    std::string text;
    for (const FailureGroup& group : groups) {
        const std::string operations = one_line(fmt::format("{}", fmt::join(group.operations, ", ")), 120);
        text += github_command(
            "error",
            fmt::format("{} {}: {}", vectors(group.records.size()), ttnn::member_name(group.status), operations),
            fmt::format("{}\nExample: {} [{}] {}", reason_of(*group.example), operation_of(*group.example),
                        group.example->suite, group.example->vector_id));
    }
    return text;
}

std::string github_summary(const ResultSet& set, const Summary& summary, std::span<const FailureGroup> groups) {
    const Tally& tally = summary.tally;
    std::string text = fmt::format("## {} Sweep {}: {} of {} passed ({:.1f}%)\n", groups.empty() ? "✅" : "❌",
                                   markdown_cell(set.label, 100), tally.passed(), tally.total, tally.pass_rate());
    text += "\n| status | vectors |\n|---|---:|\n";
    for (const auto& [status, count] : tally.by_status) {
        text += fmt::format("| {} | {} |\n", ttnn::member_name(status), count);
    }
    put_operations(text, summary);
    if (!groups.empty()) {
        text +=
            "\n### Failures by signature\n\n| vectors | status | signature | operations | example |\n"
            "|---:|---|---|---|---|\n";
    }
    for (size_t i = 0; i < std::min(shown_groups, groups.size()); ++i) {
        const FailureGroup& group = groups[i];
        text += fmt::format("| {} | {} | {} | {} | {} |\n", group.records.size(), ttnn::member_name(group.status),
                            markdown_cell(group.signature, 240),
                            markdown_cell(fmt::format("{}", fmt::join(group.operations, ", ")), 200),
                            markdown_cell(group.example->vector_id, 64));
    }
    if (groups.size() > shown_groups) {
        text += fmt::format("\n... and {} more signatures\n", groups.size() - shown_groups);
    }
    return text;
}

bool append_step_summary(std::string_view markdown) {
    const char* const name = std::getenv("GITHUB_STEP_SUMMARY");
    if (name == nullptr || *name == '\0') {
        return false;
    }
    std::ofstream file(name, std::ios::app | std::ios::binary);
    file << markdown;
    file.close();
    if (!file) {
        throw std::system_error(errno, std::generic_category(), fmt::format("cannot write {}", name));
    }
    return true;
}

}  // namespace tracelift
