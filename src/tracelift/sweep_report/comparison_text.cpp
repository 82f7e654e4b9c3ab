#include <iterator>

#include <fmt/format.h>

#include "tracelift/sweep_report/comparison.hpp"
#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {
namespace {

constexpr size_t shown_changes = 20;

std::string status_text(const ResultRecord* record) {
    return record == nullptr ? "absent" : std::string(ttnn::member_name(record->status));
}

std::string number_text(const std::optional<double>& value, std::string_view otherwise = "-") {
    return value ? fmt::format("{:.6g}", *value) : std::string(otherwise);
}
std::string pcc_text(const ResultRecord& record) {
    const auto pcc = accuracy_of(record);
    return pcc ? fmt::format("{:.6f}", *pcc) : "-";
}

std::string status_change(const Change& change) {
    return fmt::format("{} -> {}", status_text(change.before), status_text(change.after));
}
std::string accuracy_change(const Change& change) {
    std::string text = fmt::format("PCC {} -> {}", pcc_text(*change.before), pcc_text(*change.after));
    if (change.before->max_ulp || change.after->max_ulp) {
        text += fmt::format(", ULP {} -> {}", number_text(change.before->max_ulp), number_text(change.after->max_ulp));
    }
    return text;
}
std::string time_change(const Change& change) {
    return fmt::format("{:.1f} ms -> {:.1f} ms ({:.2f} x)", change.before->milliseconds, change.after->milliseconds,
                       change.after->milliseconds / std::max(change.before->milliseconds, 1e-3));
}

// The lists of a comparison, with their titles and what is said of each entry: all forms show the same.
struct Section {
    std::string_view title;
    std::string_view key;
    const std::vector<Change>* changes;
    std::string (*describe)(const Change& change);
    bool with_reason = false;
};

std::vector<Section> sections_of(const Comparison& comparison) {
    return {{"❌ Newly failing", "newly_failing", &comparison.newly_failing, status_change, true},
            {"✅ Fixed", "fixed", &comparison.fixed, status_change},
            {"🔀 Other status", "other_status", &comparison.otherwise, status_change, true},
            {"📉 Less accurate", "less_accurate", &comparison.less_accurate, accuracy_change},
            {"📈 More accurate", "more_accurate", &comparison.more_accurate, accuracy_change},
            {"🐢 Slower", "slower", &comparison.slower, time_change},
            {"🐇 Faster", "faster", &comparison.faster, time_change},
            {"🆕 New", "new", &comparison.fresh, status_change},
            {"👻 Gone", "gone", &comparison.gone, status_change}};
}

std::string name_of(const ResultRecord& record) {
    const std::string& id = record.vector_id.empty() ? record.identity : record.vector_id;
    return fmt::format("{} [{}] {}", operation_of(record), record.suite, id);
}

Json to_json(const Change& change) {
    const auto side = [](const ResultRecord* record) {
        return record == nullptr ? Json()
                                 : Json{{"status", ttnn::member_name(record->status)},
                                        {"pcc", accuracy_of(*record) ? Json(*accuracy_of(*record)) : Json()},
                                        {"max_ulp", record->max_ulp ? Json(*record->max_ulp) : Json()},
                                        {"milliseconds", record->milliseconds},
                                        {"reason", record->status == Status::PASS ? "" : reason_of(*record)}};
    };
    const ResultRecord& record = change.any();
    return {{"operation", operation_of(record)}, {"sweep", record.sweep_name},    {"suite", record.suite},
            {"vector_id", record.vector_id},     {"before", side(change.before)}, {"after", side(change.after)}};
}

std::string title_of(const ResultSet& set) { return one_line(set.label, 120); }

}  // namespace

std::string comparison_text(const Comparison& comparison, const ResultSet& before, const ResultSet& after) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "🔍 SWEEP COMPARISON: {} -> {}\n{:=<60}\n", title_of(before), title_of(after), "");
    fmt::format_to(out, "   • Vectors: {} -> {} ({} in both)\n", comparison.before, comparison.after,
                   comparison.common);
    fmt::format_to(out, "   • Passed: {} -> {}\n", comparison.passed_before, comparison.passed_after);
    fmt::format_to(out, "   • Time of those in both: {:.1f} ms -> {:.1f} ms\n", comparison.milliseconds_before,
                   comparison.milliseconds_after);
    bool any = false;
    for (const Section& section : sections_of(comparison)) {
        if (section.changes->empty()) {
            continue;
        }
        any = true;
        fmt::format_to(out, "\n{} ({}):\n", section.title, section.changes->size());
        for (size_t i = 0; i < std::min(shown_changes, section.changes->size()); ++i) {
            const Change& change = (*section.changes)[i];
            fmt::format_to(out, "   • {}: {}\n", one_line(name_of(change.any()), 160), section.describe(change));
            if (const std::string reason = one_line(reason_of(change.any()), 200);
                section.with_reason && !reason.empty()) {
                fmt::format_to(out, "     {}\n", reason);
            }
        }
        if (section.changes->size() > shown_changes) {
            fmt::format_to(out, "   ... and {} more\n", section.changes->size() - shown_changes);
        }
    }
    if (!any) {
        text += "\n🎉 Nothing changed!\n";
    }
    return text;
}

Json to_json(const Comparison& comparison) {
    Json json{{"before", {{"vectors", comparison.before}, {"passed", comparison.passed_before}}},
              {"after", {{"vectors", comparison.after}, {"passed", comparison.passed_after}}},
              {"common", comparison.common},
              {"milliseconds", {comparison.milliseconds_before, comparison.milliseconds_after}}};
    for (const Section& section : sections_of(comparison)) {
        Json list = Json::array();
        for (const Change& change : *section.changes) {
            list.push_back(to_json(change));
        }
        json[std::string(section.key)] = std::move(list);
    }
    return json;
}

std::string comparison_markdown(const Comparison& comparison, const ResultSet& before, const ResultSet& after) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "## Sweep comparison: {} → {}\n\n", markdown_cell(title_of(before), 120),
                   markdown_cell(title_of(after), 120));
    fmt::format_to(out, "| | before | after |\n|---|---:|---:|\n| vectors | {} | {} |\n| passed | {} | {} |\n",
                   comparison.before, comparison.after, comparison.passed_before, comparison.passed_after);
    fmt::format_to(out, "| time of those in both | {:.1f} ms | {:.1f} ms |\n", comparison.milliseconds_before,
                   comparison.milliseconds_after);
    for (const Section& section : sections_of(comparison)) {
        if (section.changes->empty()) {
            continue;
        }
        fmt::format_to(out,
                       "\n### {} ({})\n\n| operation | suite | vector | change | reason |\n|---|---|---|---|---|\n",
                       section.title, section.changes->size());
        for (size_t i = 0; i < std::min(shown_changes, section.changes->size()); ++i) {
            const Change& change = (*section.changes)[i];
            const ResultRecord& record = change.any();
            fmt::format_to(out, "| {} | {} | {} | {} | {} |\n", markdown_cell(operation_of(record), 80),
                           markdown_cell(record.suite, 60), markdown_cell(record.vector_id, 64),
                           markdown_cell(section.describe(change), 120),
                           section.with_reason ? markdown_cell(reason_of(record), 200) : "");
        }
        if (section.changes->size() > shown_changes) {
            fmt::format_to(out, "\n... and {} more\n", section.changes->size() - shown_changes);
        }
    }
    return text;
}

}  // namespace tracelift
