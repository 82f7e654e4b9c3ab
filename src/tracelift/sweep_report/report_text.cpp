#include "tracelift/sweep_report/report_text.hpp"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/result_file.hpp"

namespace tracelift {
namespace {

constexpr size_t shown_failures = 5;
constexpr size_t longest_error = 200;

class Text {
public:
    template <class... Args>
    void line(fmt::format_string<Args...> form, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
        text_ += '\n';
    }
    void blank() { text_ += '\n'; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

void put_title(Text& text) {
    text.line("🔍 SWEEP TEST RESULTS ANALYSIS");
    text.line("{:=<60}", "");
}

void put_run(Text& text, const ResultSet& set) {
    if (!set.has_run) {
        return;
    }
    const auto fact = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) {
            text.line("   • {}: {}", name, one_line(value, longest_error));
        }
    };
    text.line("📋 Test Run Information:");
    fact("Host", set.run.host);
    fact("Card Type", set.run.card_type);
    fact("Run Type", set.run_type.empty() ? "sweeps" : set.run_type);
    fact("Git SHA", set.run.git_commit);
    fact("Run Contents", set.run.contents);
    if (const auto begin = milliseconds_of(set.run.started), end = milliseconds_of(set.run.finished); begin && end) {
        text.line("   • Total Run Time: {:.2f} seconds", (*end - *begin) / 1000);
    }
    text.blank();
}

void put_totals(Text& text, const Summary& summary, bool with_skipped) {
    const Tally& tally = summary.tally;
    text.line("📊 Overall Test Statistics:");
    text.line("   • Total Tests: {}", tally.total);
    text.line("   • ✅ Passed: {} ({:.1f}%)", tally.passed(), tally.pass_rate());
    text.line("   • ❌ Failed: {}", tally.count(Verdict::FAILED));
    if (with_skipped || tally.count(Verdict::SKIPPED) != 0) {
        text.line("   • ⏭️  Skipped: {}", tally.count(Verdict::SKIPPED));
    }
    const auto further = [&](std::string_view name, size_t count) {
        if (count != 0) {
            text.line("   • {}: {}", name, count);
        }
    };
    further("❔ Not Judged", tally.count(Verdict::NOT_JUDGED));
    further("☑️  Expected Failures", tally.count(Verdict::EXPECTED));
    further("🔌 Lost", tally.count(Verdict::FAULT));
    if (with_skipped) {
        further("🔥 With Errors", summary.with_errors);
    }
    text.line("   • ⏱️  Avg Duration: {:.2f}s per test", summary.mean_seconds());
    if (summary.weighted) {
        text.line("   • ⚖️  Passed by Executions: {} of {} ({:.1f}%)", summary.weighted->passed,
                  summary.weighted->total, summary.weighted->pass_rate());
        further("   Without Known Executions (counted once)", summary.weighted->without_count);
    }
    text.blank();
}

void put_suites(Text& text, const Summary& summary) {
    text.line("🎯 Test Case Breakdown:");
    for (const SuiteSummary& suite : summary.suites) {
        text.line("   • {}:", one_line(suite.name, longest_error));
        text.line("     - Total: {} tests", suite.tally.total);
        text.line("     - Passed: {} ({:.1f}%)", suite.tally.passed(), suite.tally.pass_rate());
        text.line("     - Failed: {}", suite.tally.count(Verdict::FAILED));
        const auto further = [&](std::string_view name, size_t count) {
            if (count != 0) {
                text.line("     - {}: {}", name, count);
            }
        };
        further("Skipped", suite.tally.count(Verdict::SKIPPED));
        further("Not Judged", suite.tally.count(Verdict::NOT_JUDGED));
        further("Expected Failures", suite.tally.count(Verdict::EXPECTED));
        further("Lost", suite.tally.count(Verdict::FAULT));
        text.line("     - Unique Configs: {}", suite.unique_configurations);
    }
    text.blank();
}

void put_failures(Text& text, const ResultSet& set, const Summary& summary) {
    const size_t failures = summary.tally.count(Verdict::FAILED) + summary.tally.count(Verdict::FAULT);
    if (failures == 0) {
        // Nothing failed where nothing ran, either; that is no reason to celebrate.
        text.line("{}", summary.tally.passed() == 0 ? "⚠️  Nothing passed, and nothing failed."
                                                    : "🎉 No failures detected!");
        return;
    }
    text.line("🔥 Failure Analysis ({} failures):", failures);
    size_t shown = 0;
    for (const ResultRecord& record : set.results) {
        if (!needs_explaining(record.status)) {
            continue;
        }
        if (++shown > shown_failures) {
            text.line("   ... and {} more failures", failures - shown_failures);
            break;
        }
        text.line("   {}. {}:", shown, one_line(record.suite, longest_error));
        const std::string& reason = reason_of(record);
        text.line("      - Error: {}",
                  reason.empty() ? std::string(ttnn::member_name(record.status)) : one_line(reason, longest_error));
        text.line("      - Key Params: {}",
                  one_line(record.parameters.dump(-1, ' ', false, Json::error_handler_t::replace), longest_error));
    }
}

}  // namespace

std::string report_text(const ResultSet& set, const Summary& summary) {
    Text text;
    put_title(text);
    put_run(text, set);
    put_totals(text, summary, true);
    put_suites(text, summary);
    if (const Spread& accuracy = summary.accuracy; accuracy.count != 0) {
        text.line("🚀 Performance Metrics (from {} successful tests):", accuracy.count);
        text.line("   • Min Value: {:.6f}", accuracy.least);
        text.line("   • Max Value: {:.6f}", accuracy.most);
        text.line("   • Avg Value: {:.6f}", accuracy.mean);
        text.line("   • Median Value: {:.6f}", accuracy.median);
        text.blank();
    }
    put_failures(text, set, summary);
    return text.take();
}

std::string guide_text(const ResultSet& set, const Summary& summary) {
    Text text;
    put_title(text);
    put_totals(text, summary, false);
    if (const Spread& accuracy = summary.accuracy; accuracy.count != 0) {
        text.line("🚀 Performance Metrics:");
        text.line("   • Min PCC: {:.6f}", accuracy.least);
        text.line("   • Max PCC: {:.6f}", accuracy.most);
        text.line("   • Avg PCC: {:.6f}", accuracy.mean);
        text.blank();
    }
    put_failures(text, set, summary);
    return text.take();
}

std::string signatures_text(std::span<const FailureGroup> groups, size_t most) {
    if (groups.empty()) {
        return {};
    }
    Text text;
    text.line("🧩 Failures by Signature ({}):", groups.size());
    for (const FailureGroup& group : groups.first(std::min(most, groups.size()))) {
        text.line("   • {} × {}: {}", group.records.size(), ttnn::member_name(group.status),
                  group.signature.empty() ? "(no message)" : group.signature);
        text.line("     - Operations: {}",
                  one_line(fmt::format("{}", fmt::join(group.operations, ", ")), longest_error));
        text.line("     - Example: {} {}", one_line(operation_of(*group.example), longest_error),
                  one_line(group.example->vector_id, longest_error));
        if (const std::string reason = one_line(reason_of(*group.example), longest_error); !reason.empty()) {
            text.line("       {}", reason);
        }
    }
    if (groups.size() > most) {
        text.line("   ... and {} more signatures", groups.size() - most);
    }
    return text.take();
}

std::string worst_text(std::span<const ResultRecord* const> worst) {
    Text text;
    text.line("📉 Least Accurate ({}):", worst.size());
    text.line("   {:>10} {:>10}  {:<18} {:<36} {}", "PCC", "max ULP", "status", "operation", "vector");
    for (const ResultRecord* record : worst) {
        text.line("   {:>10.6f} {:>10}  {:<18} {:<36} {}", *accuracy_of(*record),
                  record->max_ulp ? fmt::format("{:.4g}", *record->max_ulp) : "", ttnn::member_name(record->status),
                  one_line(operation_of(*record), 60), one_line(record->vector_id, 60));
    }
    return text.take();
}

}  // namespace tracelift
