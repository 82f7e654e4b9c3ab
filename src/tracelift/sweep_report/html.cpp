#include "tracelift/sweep_report/html.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/sweep_report/chart.hpp"
#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/html_assets.hpp"
#include "tracelift/sweep_report/result_file.hpp"

namespace tracelift {
namespace {

constexpr size_t shown_operations = 24;
constexpr size_t shown_signatures = 12;
constexpr size_t longest_message = 4000;

// The verdicts in the order of legends, with the class that colours them.
struct VerdictStyle {
    Verdict verdict;
    std::string_view style;
    std::string_view name;
};
constexpr VerdictStyle verdict_styles[] = {{Verdict::PASSED, "passed", "passed"},
                                           {Verdict::FAILED, "failed", "failed"},
                                           {Verdict::FAULT, "fault", "lost"},
                                           {Verdict::NOT_JUDGED, "unjudged", "not judged"},
                                           {Verdict::EXPECTED, "expected", "expected failures"},
                                           {Verdict::SKIPPED, "skipped", "skipped"}};

std::string_view style_of(Status status) {
    return std::ranges::find(verdict_styles, verdict_of(status), &VerdictStyle::verdict)->style;
}

// "sigmoid_accurate" of "ttnn.sigmoid_accurate": in a chart the namespace is noise.
std::string short_name(const std::string& operation) {
    return operation.starts_with("ttnn.") ? operation.substr(5) : operation;
}

std::string duration_text(double milliseconds) {
    if (milliseconds < 1000) {
        return fmt::format("{:.3g} ms", milliseconds);
    }
    if (milliseconds < 120'000) {
        return fmt::format("{:.3g} s", milliseconds / 1000);
    }
    return fmt::format("{:.0f} min {:.0f} s", std::floor(milliseconds / 60'000),
                       std::fmod(milliseconds, 60'000) / 1000);
}

std::vector<BarPart> parts_of(const Tally& tally) {
    std::vector<BarPart> parts;
    for (const VerdictStyle& each : verdict_styles) {
        if (const size_t count = tally.count(each.verdict); count != 0) {
            parts.push_back(
                {static_cast<double>(count), std::string(each.style), fmt::format("{} {}", count, each.name)});
        }
    }
    return parts;
}

std::string legend_of(const Tally& tally) {
    std::string html = R"(<p class="legend">)";
    for (const VerdictStyle& each : verdict_styles) {
        if (const size_t count = tally.count(each.verdict); count != 0) {
            html += fmt::format(R"(<span><i class="dot {}"></i>{} {}</span>)", each.style, count, each.name);
        }
    }
    return html + "</p>";
}

std::string title_of(const ResultSet& set, const Summary& summary) {
    if (summary.operations.size() == 1) {
        const std::string suite = summary.suites.size() == 1 ? summary.suites.front().name : std::string();
        return summary.operations.front().name + (suite.empty() ? "" : ", " + suite);
    }
    return set.run.contents.empty() || set.run.contents == "all_sweeps"
               ? fmt::format("{} operations", summary.operations.size())
               : set.run.contents;
}

std::string header(const ResultSet& set, const Summary& summary) {
    std::string facts;
    const auto fact = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) {
            facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, markup_text(one_line(value, 160)));
        }
    };
    fact("Run", set.label);
    fact("Started", set.run.started.substr(0, 19));
    fact("Card", set.run.card_type);
    fact("Host", set.run.host);
    fact("Commit", set.run.git_commit.substr(0, 12));
    fact("Branch", set.run.git_branch);
    fact("Shard", set.run.shard);
    fact("Tracelift", set.run.version);
    fact("Command", set.run.command);
    return fmt::format(
        R"(<header><div><div class="brand">Sweep results</div><h1>{}</h1></div><dl class="facts">{}</dl></header>)",
        markup_text(one_line(title_of(set, summary), 200)), facts);
}

std::string tile(std::string_view style, const std::string& number, std::string_view name, const std::string& note) {
    return fmt::format(R"(<div class="card tile"><span>{}{}</span><b>{}</b><small>{}</small></div>)",
                       style.empty() ? std::string() : fmt::format(R"(<i class="dot {}"></i>)", style), name,
                       markup_text(number), markup_text(note));
}

// What the number of failures means, in a sentence.
std::string verdict_sentence(const Tally& tally) {
    const size_t failures = tally.count(Verdict::FAILED) + tally.count(Verdict::FAULT);
    if (failures != 0) {
        return fmt::format("{} of {} vectors {}", failures, tally.total,
                           failures == 1 ? "needs a look" : "need a look");
    }
    if (tally.passed() == tally.total) {
        return tally.total == 0 ? "No results" : "Every vector passed";
    }
    return fmt::format("No failures; {} not passed", tally.total - tally.passed());
}

std::string hero(const Summary& summary) {
    const Tally& tally = summary.tally;
    const bool good = tally.count(Verdict::FAILED) + tally.count(Verdict::FAULT) == 0 && tally.passed() != 0;
    std::string html = fmt::format(
        R"(<section class="hero"><div class="card verdict {}">{}<div><div class="score"><b>{}</b><span>/{}</span></div><p>{}</p></div></div><div class="tiles">)",
        good ? "good" : "bad",
        ring(parts_of(tally), fmt::format("{:.{}f}%", tally.pass_rate(), tally.passed() == tally.total ? 0 : 1),
             "passed"),
        tally.passed(), tally.total, verdict_sentence(tally));
    const size_t failures = tally.count(Verdict::FAILED) + tally.count(Verdict::FAULT);
    html += tile("failed", fmt::to_string(failures), "Failed",
                 tally.count(Verdict::FAULT) == 0 ? "" : fmt::format("{} lost", tally.count(Verdict::FAULT)));
    html += tile("unjudged", fmt::to_string(tally.count(Verdict::NOT_JUDGED)), "Not judged", "no reference");
    html += tile(
        "", fmt::to_string(tally.count(Verdict::SKIPPED) + tally.count(Verdict::EXPECTED)), "Skipped",
        tally.count(Verdict::EXPECTED) == 0 ? "" : fmt::format("{} fail as expected", tally.count(Verdict::EXPECTED)));
    html += tile("", fmt::to_string(summary.operations.size()), "Operations",
                 fmt::format("{} suite{}", summary.suites.size(), summary.suites.size() == 1 ? "" : "s"));
    const Spread& accuracy = summary.accuracy;
    html += tile("", accuracy.count == 0 ? "–" : fmt::format("{:.6f}", accuracy.least), "Lowest passing PCC",
                 accuracy.count == 0 ? "" : fmt::format("median {:.6f}", accuracy.median));
    html += tile("", duration_text(summary.milliseconds), "Time of all vectors", "");
    html += tile("", duration_text(summary.durations.median), "Median duration",
                 fmt::format("longest {}", duration_text(summary.durations.most)));
    html += summary.weighted ? tile("", fmt::format("{:.1f}%", summary.weighted->pass_rate()), "Passed by executions",
                                    fmt::format("{} of {}", summary.weighted->passed, summary.weighted->total))
                             : tile("", duration_text(summary.mean_seconds() * 1000), "Mean duration", "");
    return html + "</div></section>";
}

std::string card(std::string_view title, std::string_view note, const std::string& content, bool wide = false) {
    return fmt::format(R"(<section class="card{}"><h2>{}<small>{}</small></h2>{}</section>)", wide ? " wide" : "",
                       title, note, content);
}

std::string operations_chart(const Summary& summary) {
    std::vector<const OperationResults*> rows;
    for (const OperationResults& row : summary.operations) {
        rows.push_back(&row);
    }
    // Those that need a look first, then the large ones.
    std::ranges::stable_sort(rows, std::greater{}, [](const OperationResults* row) {
        return std::pair(row->tally.count(Verdict::FAILED) + row->tally.count(Verdict::FAULT), row->tally.total);
    });
    std::vector<Bar> bars;
    for (size_t i = 0; i < std::min(shown_operations, rows.size()); ++i) {
        bars.push_back({short_name(rows[i]->name), fmt::format("{}/{}", rows[i]->tally.passed(), rows[i]->tally.total),
                        parts_of(rows[i]->tally)});
    }
    const std::string note = rows.size() > bars.size()
                                 ? fmt::format("the first {} of {}, failures first", bars.size(), rows.size())
                                 : "passed of all";
    return card("Statuses per operation", note, horizontal_bars(bars) + legend_of(summary.tally));
}

std::string accuracy_chart(const ResultSet& set) {
    struct Bin {
        std::string_view label;
        double least;
    };
    constexpr Bin bins[] = {{"", -2},           {"0.9", 0.9},         {"0.99", 0.99}, {"0.999", 0.999},
                            {"0.9999", 0.9999}, {"0.99999", 0.99999}, {"1", 1}};
    constexpr size_t count = std::size(bins);
    size_t passed[count] = {}, failed[count] = {}, all = 0;
    for (const ResultRecord& record : set.results) {
        if (const auto pcc = accuracy_of(record)) {
            size_t bin = count - 1;
            while (bin > 0 && !(*pcc >= bins[bin].least)) {
                --bin;
            }
            ++(record.status == Status::PASS ? passed : failed)[bin];
            ++all;
        }
    }
    if (all == 0) {
        return card("Distribution of PCC", "", R"(<p class="quiet">Nothing was compared.</p>)");
    }
    std::vector<Bar> bars;
    for (size_t i = 0; i < count; ++i) {
        const size_t both = passed[i] + failed[i];
        bars.push_back({i == 0 ? "< 0.9" : fmt::format("{} {}", i + 1 == count ? "=" : "≥", bins[i].label),
                        both == 0 ? "" : fmt::to_string(both),
                        {{static_cast<double>(passed[i]), "passed", fmt::format("{} passed", passed[i])},
                         {static_cast<double>(failed[i]), "failed", fmt::format("{} did not pass", failed[i])}}});
    }
    return card("Distribution of PCC", fmt::format("{} vectors that were compared", all), columns(bars));
}

std::string duration_chart(const ResultSet& set) {
    constexpr double bounds[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 30'000, 60'000};
    constexpr size_t count = std::size(bounds);
    size_t counts[count] = {};
    for (const ResultRecord& record : set.results) {
        size_t bin = count - 1;
        while (bin > 0 && !(record.milliseconds >= bounds[bin])) {
            --bin;
        }
        ++counts[bin];
    }
    size_t first = 0, last = count;
    while (last > first + 1 && counts[last - 1] == 0) {
        --last;
    }
    while (first + 1 < last && counts[first] == 0) {
        ++first;
    }
    std::vector<Bar> bars;
    for (size_t i = first; i < last; ++i) {
        const std::string label = i == 0 ? "< 1 ms" : duration_text(bounds[i]);
        bars.push_back({label,
                        counts[i] == 0 ? "" : fmt::to_string(counts[i]),
                        {{static_cast<double>(counts[i]), "accent", fmt::format("{} vectors", counts[i])}}});
    }
    return card("Durations", "each column from its time up to the next", columns(bars));
}

std::string signature_chart(std::span<const FailureGroup> groups) {
    if (groups.empty()) {
        return card("Failures by signature", "", R"(<p class="quiet">✓ No failures detected!</p>)");
    }
    std::vector<Bar> bars;
    for (const FailureGroup& group : groups.first(std::min(shown_signatures, groups.size()))) {
        const std::string text =
            group.signature.empty() ? std::string(ttnn::member_name(group.status)) : group.signature;
        bars.push_back({text,
                        fmt::to_string(group.records.size()),
                        {{static_cast<double>(group.records.size()), std::string(style_of(group.status)),
                          fmt::format("{} {}: {}", group.records.size(), ttnn::member_name(group.status), text)}}});
    }
    return card("Failures by signature", fmt::format("{} in all", groups.size()), captioned_bars(bars));
}

std::string signature_list(std::span<const FailureGroup> groups) {
    if (groups.empty()) {
        return {};
    }
    std::string html;
    for (const FailureGroup& group : groups) {
        const std::string& reason = reason_of(*group.example);
        html += fmt::format(
            R"(<details class="group"{}><summary><span class="count">{} ×</span><span class="badge {}">{}</span><span class="text mono">{}</span></summary><div class="more">Operations: {}<br>Example: <code>{}</code>, {}{}</div></details>)",
            &group == groups.data() ? " open" : "", group.records.size(), style_of(group.status),
            ttnn::member_name(group.status), markup_text(group.signature.empty() ? "(no message)" : group.signature),
            markup_text(fmt::format("{}", fmt::join(group.operations, ", "))), markup_text(group.example->vector_id),
            markup_text(group.example->suite),
            reason.empty() ? "" : fmt::format("<pre>{}</pre>", markup_text(reason.substr(0, longest_message))));
    }
    return card("What failed", "messages that differ only in numbers, addresses, paths or shapes are one", html, true);
}

Json row_of(const ResultRecord& record) {
    const auto number = [](const std::optional<double>& value) {
        return value && std::isfinite(*value) ? Json(*value) : Json();
    };
    return {{"operation", operation_of(record)},
            {"suite", record.suite},
            {"status", ttnn::member_name(record.status)},
            {"style", style_of(record.status)},
            {"pcc", number(accuracy_of(record))},
            {"ulp", number(record.max_ulp)},
            {"ms", number(record.milliseconds)},
            {"message", record.status == Status::PASS ? "" : reason_of(record).substr(0, longest_message)},
            {"id", record.vector_id}};
}

std::string table(const ResultSet& set, const Summary& summary) {
    std::string chips = R"(<button aria-pressed="true" data-style="">all</button>)";
    for (const VerdictStyle& each : verdict_styles) {
        if (const size_t count = summary.tally.count(each.verdict); count != 0) {
            chips += fmt::format(R"(<button aria-pressed="false" data-style="{}">{} {}</button>)", each.style, count,
                                 each.name);
        }
    }
    Json rows = Json::array();
    for (const ResultRecord& record : set.results) {
        rows.push_back(row_of(record));
    }
    return fmt::format(
        R"(<section class="card"><div class="tools"><h2>Vectors</h2><div class="chips">{}</div>)"
        R"(<input id="search" type="search" placeholder="Filter by any text" aria-label="Filter by any text"></div>)"
        R"(<div class="scroll"><table><thead><tr><th data-key="operation">Operation</th><th data-key="suite">Suite</th>)"
        R"(<th data-key="status">Status</th><th class="number" data-key="pcc">PCC</th><th class="number" data-key="ulp">Max ULP</th>)"
        R"(<th class="number" data-key="ms">ms</th><th data-key="message">Message</th><th data-key="id">Vector</th></tr></thead>)"
        R"(<tbody></tbody></table><div class="foot"><span id="count"></span><button class="morerows" hidden>Show more</button></div></div></section>)"
        R"(<script type="application/json" id="rows">{}</script>)",
        chips, script_json(rows));
}

}  // namespace

std::string html_page(const ResultSet& set, const Summary& summary, std::span<const FailureGroup> groups) {
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>{}/{} passed: "
        "{}</title>"
        "<style>{}</style></head><body><main>",
        summary.tally.passed(), summary.tally.total, markup_text(one_line(title_of(set, summary), 120)), page_style);
    html += header(set, summary) + hero(summary);
    html += R"(<div class="charts">)" + operations_chart(summary) + signature_chart(groups) + accuracy_chart(set) +
            duration_chart(set) + signature_list(groups) + "</div>";
    html += table(set, summary);
    html += fmt::format("<footer>Made by tracelift sweep results{}</footer></main><script>{}</script></body></html>\n",
                        set.run.finished.empty() && set.has_run ? "; the run did not finish" : "", page_script);
    return html;
}

}  // namespace tracelift
