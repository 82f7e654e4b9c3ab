// Summary: the numbers that reports of a sweep show.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/sweep_report/result_set.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift {

// How many ended how.
struct Tally {
    size_t total = 0;
    std::map<Verdict, size_t> by_verdict{};
    std::map<Status, size_t> by_status{};

    void add(Status status);
    size_t count(Verdict verdict) const;
    size_t passed() const { return count(Verdict::PASSED); }
    double pass_rate() const;  // in percent, of all; 0 where there are none
};

struct Spread {
    size_t count = 0;
    double least = 0, most = 0, mean = 0;
    double median = 0;  // the element at count / 2 of the sorted ones
};
Spread spread_of(std::vector<double> values);

struct SuiteSummary {
    std::string name;
    Tally tally;
    size_t unique_configurations = 0;
};
struct OperationResults {
    std::string name;
    Tally tally;
    double milliseconds = 0;
    std::optional<double> worst_pcc{}, worst_ulp{};
};
// Vectors counted as often as models executed their configuration.
struct Weighted {
    uint64_t total = 0, passed = 0;
    size_t without_count = 0;  // vectors that no execution is known of; they count once
    double pass_rate() const;
};

struct Summary {
    Tally tally;
    size_t with_errors = 0;  // that have an error text, whatever their status
    double milliseconds = 0;
    double mean_seconds() const;
    std::vector<SuiteSummary> suites;          // in the order in which they came
    std::vector<OperationResults> operations;  // by name
    Spread accuracy;                           // of the passed ones: their PCC, or the number they reported
    Spread durations;                          // in milliseconds
    std::optional<Weighted> weighted{};
};

// `executions` by configuration; without it nothing is weighted.
using ExecutionCounts = std::map<int64_t, uint64_t>;
Summary summarise(std::span<const ResultRecord> records, const ExecutionCounts* executions = nullptr);

// The PCC of a record, or the number that it reported.
std::optional<double> accuracy_of(const ResultRecord& record);

// The `count` least accurate of those that were compared: PCC first, then ULP. Points into `records`.
std::vector<const ResultRecord*> worst_of(std::span<const ResultRecord> records, size_t count);

Json to_json(const Summary& summary);
Json result_object(const ResultRecord& record);  // of one record, for reports

}  // namespace tracelift
