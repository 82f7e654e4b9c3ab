// RecordedRun: a sweep whose every result is in its journal first, then in the store; what was killed can be continued.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/sweep/journal.hpp"
#include "tracelift/sweep/vector.hpp"

namespace tracelift {

// Where the journals of a store are.
std::filesystem::path sweeps_folder(const Catalog& store);

class RecordedRun {
public:
    // Begins a run. With `resume` the last one of the same key goes on: its results are there already, and where it was
    // finished nothing is left. Throws std::runtime_error where that run had other vectors.
    RecordedRun(Catalog& store, JournalHead head, bool resume);

    const JournalHead& head() const { return head_; }
    const std::vector<ResultRecord>& results() const { return results_; }  // earlier ones first
    size_t earlier() const { return earlier_; }                            // results of the run that goes on
    bool was_finished() const { return was_finished_; }
    std::filesystem::path journal() const { return journal_path_; }
    int64_t sweep() const { return sweep_; }  // the store's number; 0: the store did not take it

    // Without those that have a result.
    std::vector<Vector> remaining(std::vector<Vector> vectors) const;
    // Into the journal at once, into the store now and then.
    void add(const ResultRecord& record);
    // Brings everything to the store. What it refuses stays in the journal, and store_problem says why.
    void flush();
    // Every vector has its result.
    void finish();
    const std::string& store_problem() const { return store_problem_; }

private:
    Catalog& store_;
    JournalHead head_;
    std::vector<ResultRecord> results_;
    size_t earlier_ = 0;
    size_t stored_ = 0;  // of the results
    bool was_finished_ = false;
    std::filesystem::path journal_path_;
    std::optional<Journal> journal_;
    int64_t sweep_ = 0;
    std::string store_problem_;
    std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace tracelift
