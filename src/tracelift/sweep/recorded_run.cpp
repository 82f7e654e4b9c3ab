#include "tracelift/sweep/recorded_run.hpp"

#include <set>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"

namespace tracelift {
namespace {

constexpr std::chrono::milliseconds between_flushes{200};

// The run may have been killed after the store took it.
int64_t sweep_in_store(Catalog& store, const SweepRun& run) {
    for (const SweepRun& known : store.sweeps()) {
        if (known.started == run.started && known.command == run.command && known.shard == run.shard) {
            return known.id;
        }
    }
    return store.begin_sweep(run);
}

}  // namespace

std::filesystem::path sweeps_folder(const Catalog& store) { return store.directory() / "sweeps"; }

RecordedRun::RecordedRun(Catalog& store, JournalHead head, bool resume) : store_(store), head_(std::move(head)) {
    std::optional<JournalContents> before;
    if (resume) {
        before = last_journal(sweeps_folder(store), head_.key);
    }
    if (before && before->head.ledger != head_.ledger) {
        throw std::runtime_error(
            fmt::format("{}: the vectors of this command have changed since (there were {}, there are {}); run it "
                        "without --resume",
                        before->path.string(), before->head.total, head_.total));
    }
    if (before) {
        if (!before->finished) {
            journal_.emplace(Journal::reopen(*before));
        }
        was_finished_ = before->finished;
        results_ = std::move(before->results);
        earlier_ = results_.size();
        head_ = before->head;
        journal_path_ = before->path;
    } else {
        journal_.emplace(Journal::create(sweeps_folder(store), head_));
        journal_path_ = journal_->path();
    }
    try {
        sweep_ = sweep_in_store(store_, head_.run);
    } catch (const StoreError& error) {
        store_problem_ = error.what();
    }
}

std::vector<Vector> RecordedRun::remaining(std::vector<Vector> vectors) const {
    std::set<std::string> done;
    for (const ResultRecord& result : results_) {
        done.insert(vector_key(result));
    }
    std::erase_if(vectors, [&](const Vector& vector) { return done.contains(vector_key(vector)); });
    return vectors;
}

void RecordedRun::add(const ResultRecord& record) {
    journal_->append(record);
    results_.push_back(record);
    if (std::chrono::steady_clock::now() - flushed_ > between_flushes) {
        flush();
    }
}

void RecordedRun::flush() {
    flushed_ = std::chrono::steady_clock::now();
    if (sweep_ == 0) {
        return;
    }
    try {
        store_.add_results(sweep_, std::span(results_).subspan(stored_));
        stored_ = results_.size();
        store_problem_.clear();
    } catch (const StoreError& error) {
        store_problem_ = error.what();
    }
}

void RecordedRun::finish() {
    flush();
    if (was_finished_) {
        return;
    }
    if (sweep_ != 0 && store_problem_.empty()) {
        store_.finish_sweep(sweep_);
    }
    head_.run.finished = utc_instant();
    journal_->finish(head_.run.finished);
}

}  // namespace tracelift
