#include "tracelift/sweep_report/junit.hpp"

#include <iterator>
#include <map>

#include <fmt/format.h>

#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {
namespace {

struct Suite {
    std::string name;
    std::vector<const ResultRecord*> records;
    Tally tally;
    double milliseconds = 0;
};

std::vector<Suite> suites_of(const ResultSet& set) {
    std::vector<Suite> suites;
    std::map<std::pair<std::string_view, std::string_view>, size_t> places;
    for (const ResultRecord& record : set.results) {
        const auto [place, fresh] = places.try_emplace({record.sweep_name, record.suite}, suites.size());
        if (fresh) {
            suites.push_back({fmt::format("{}.{}", operation_of(record), record.suite), {}, {}, 0});
        }
        Suite& suite = suites[place->second];
        suite.records.push_back(&record);
        suite.tally.add(record.status);
        suite.milliseconds += record.milliseconds;
    }
    return suites;
}

size_t skipped(const Tally& tally) {
    return tally.count(Verdict::SKIPPED) + tally.count(Verdict::NOT_JUDGED) + tally.count(Verdict::EXPECTED);
}

std::string counts(const Tally& tally, double milliseconds) {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.6f}")", tally.total,
                       tally.count(Verdict::FAILED), tally.count(Verdict::FAULT), skipped(tally), milliseconds / 1000);
}

void put_outcome(std::string& xml, const ResultRecord& record) {
    const std::string_view status = ttnn::member_name(record.status);
    const std::string& reason = reason_of(record);
    const std::string message = one_line(reason.empty() ? status : reason, 300);
    const auto element = [&](std::string_view tag) {
        fmt::format_to(std::back_inserter(xml), "      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", tag,
                       markup_text(message), status, markup_text(reason));
    };
    switch (verdict_of(record.status)) {
        case Verdict::PASSED: break;
        case Verdict::FAILED: element("failure"); break;
        case Verdict::FAULT: element("error"); break;
        case Verdict::EXPECTED:
        case Verdict::SKIPPED:
        case Verdict::NOT_JUDGED:
            fmt::format_to(std::back_inserter(xml), "      <skipped message=\"{}\"/>\n",
                           markup_text(fmt::format("{}: {}", status, message)));
            break;
    }
}

// Numbers of the vector, for people who open the case.
std::string facts(const ResultRecord& record) {
    std::string text;
    const auto add = [&](std::string_view name, const std::optional<double>& value) {
        if (value) {
            text += fmt::format("{}: {}\n", name, *value);
        }
    };
    add("pcc", accuracy_of(record));
    add("max_ulp", record.max_ulp);
    for (const Metric& metric : record.metrics) {
        add(metric.name, metric.value);
    }
    if (!record.source.empty()) {
        text += fmt::format("source: {}\n", record.source);
    }
    return text;
}

void put_case(std::string& xml, const ResultRecord& record) {
    const std::string& id = record.vector_id.empty() ? record.identity : record.vector_id;
    fmt::format_to(std::back_inserter(xml), "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6f}\">\n",
                   markup_text(id.empty() ? "vector" : id),
                   markup_text(fmt::format("{}.{}", operation_of(record), record.suite)), record.milliseconds / 1000);
    put_outcome(xml, record);
    if (const std::string text = facts(record); !text.empty()) {
        xml += fmt::format("      <system-out>{}</system-out>\n", markup_text(text));
    }
    xml += "    </testcase>\n";
}

// "2026-01-15T10:46:16": the schema has neither fractions nor zones.
std::string timestamp(const Suite& suite) {
    const std::string& started = suite.records.front()->started;
    return started.size() < 19 ? std::string() : fmt::format(R"( timestamp="{}")", markup_text(started.substr(0, 19)));
}

}  // namespace

std::string junit_xml(const ResultSet& set) {
    const std::vector<Suite> suites = suites_of(set);
    Tally total;
    double milliseconds = 0;
    for (const ResultRecord& record : set.results) {
        total.add(record.status);
        milliseconds += record.milliseconds;
    }
    std::string xml = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
                                  markup_text("sweep " + set.label), counts(total, milliseconds));
    for (const Suite& suite : suites) {
        xml += fmt::format("  <testsuite name=\"{}\" {}{}{}>\n", markup_text(suite.name),
                           counts(suite.tally, suite.milliseconds), timestamp(suite),
                           set.run.host.empty() ? "" : fmt::format(R"( hostname="{}")", markup_text(set.run.host)));
        for (const ResultRecord* record : suite.records) {
            put_case(xml, *record);
        }
        xml += "  </testsuite>\n";
    }
    return xml + "</testsuites>\n";
}

}  // namespace tracelift
