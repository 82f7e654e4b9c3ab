// The reading half of an import: a thread of its own cuts a master into jobs, which wait in a queue. Internal to
// import.cpp.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tracelift/formats/piece_parser.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/store/writer.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift::importing {

inline constexpr size_t batch_size = 256;  // configurations

inline std::string machine_key(const std::optional<Hardware>& hardware, const std::string& board) {
    return hardware ? fmt::format("{}\n{}\n{}\n{}\n{}\n{}", hardware->board_type, hardware->device_series,
                                  hardware->card_count, mesh_text(hardware->mesh_shape), hardware->device_count, board)
                    : std::string();
}

// Executions on one machine. Many configurations of a file have the same, which are then held once.
struct Executed {
    struct Rows {
        int64_t run;
        int64_t model;
    };
    std::string machine;
    std::vector<MasterExecution> executions;
    std::vector<Rows> rows{};  // of the executions; of the thread that writes
};
using Machines = std::vector<std::shared_ptr<Executed>>;

// One configuration of the file on one machine: one row of the store.
struct Group {
    std::shared_ptr<Executed> executed;
    Sha256::Digest hash;
    std::string_view digest() const { return {hash.data(), hash.size() / 2}; }
    std::optional<StoreWriter::Known> known;
    std::optional<ConfigurationRow> fresh;  // where it is not known
    std::string identity;
};

// One configuration of the file, held until its row can be written.
struct Job {
    std::string text;  // the piece's views point into this
    MasterPiece piece;
    std::vector<Group> groups;
};

using Batch = std::vector<std::unique_ptr<Job>>;

// Jobs that were written, for the reader to use again: what they hold is large, and memory that one thread takes and
// another gives back costs more than either.
class SpentJobs {
public:
    void give(Batch batch) {
        for (const auto& job : batch) {
            job->groups.clear();
            if (job->text.capacity() > largest) {
                job->text = {};
            }
        }
        const std::lock_guard lock(mutex_);
        std::ranges::move(batch, std::back_inserter(jobs_));
    }
    Batch take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(jobs_, {});
    }

private:
    static constexpr size_t largest = size_t{64} << 10;  // text that is kept for the next
    std::mutex mutex_;
    Batch jobs_;
};

// Batches on their way from one thread to another.
class Queue {
public:
    static constexpr size_t most = 4;

    // Waits for room; false when nobody wants more.
    bool push(Batch batch) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || batches_.size() < most; });
        if (!closed_) {
            batches_.push_back(std::move(batch));
            changed_.notify_all();
        }
        return !closed_;
    }
    // Waits for a batch; nothing when the last one is gone.
    std::optional<Batch> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || ended_ || !batches_.empty(); });
        if (batches_.empty()) {
            return std::nullopt;
        }
        Batch batch = std::move(batches_.front());
        batches_.pop_front();
        changed_.notify_all();
        return batch;
    }
    void end() { set(ended_); }     // no more will come
    void close() { set(closed_); }  // no more is wanted

private:
    void set(bool& flag) {
        const std::lock_guard lock(mutex_);
        flag = true;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Batch> batches_;
    bool ended_ = false;
    bool closed_ = false;
};

// Tells the other side that no more will come, however the scope is left.
class QueueEnd {
public:
    explicit QueueEnd(Queue& queue) : queue_(queue) {}
    ~QueueEnd() { queue_.end(); }
    QueueEnd(const QueueEnd&) = delete;
    QueueEnd& operator=(const QueueEnd&) = delete;

private:
    Queue& queue_;
};

struct NobodyWantsMore {};

// Cuts a master into jobs, sorted by machine and with their digests. Runs in a thread of its own.
class PieceReader final : public MasterSink {
public:
    PieceReader(const std::string& name, Queue& queue, SpentJobs& spent) : name_(name), queue_(queue), spent_(spent) {}

    void configuration(const MasterPiece& piece) override {
        batch_.push_back(prepared(piece));
        if (batch_.size() == batch_size) {
            hand_on();
        }
    }
    void metadata(const Value& metadata) override { metadata_ = metadata; }
    void hand_on() {
        if (!queue_.push(std::exchange(batch_, {}))) {
            throw NobodyWantsMore();
        }
    }
    const Value& found_metadata() const { return metadata_; }

private:
    std::unique_ptr<Job> prepared(const MasterPiece& piece) {
        auto job = unused_job();
        copy_text(piece, *job);
        try {
            for (const auto& executed : machines_of(piece)) {
                hash_.add(piece.operation).add("\n").add(executed->machine).add("\n").add(piece.arguments);
                job->groups.push_back({executed, hash_.digest(), {}, {}, {}});
            }
        } catch (const std::invalid_argument& error) {
            throw FileError(fmt::format("{}: {}: {}", name_, piece.place, error.what()));
        }
        return job;
    }

    std::unique_ptr<Job> unused_job() {
        if (unused_.empty()) {
            unused_ = spent_.take();
        }
        if (unused_.empty()) {
            return std::make_unique<Job>();
        }
        auto job = std::move(unused_.back());
        unused_.pop_back();
        return job;
    }

    const Machines& machines_of(const MasterPiece& piece) {
        const auto read = [&] { return by_machine(parser_.executions(piece)); };
        if (!piece.told.empty()) {
            return told_beside_ = read();
        }
        told_ = piece.executions;
        told_.append("\n").append(piece.source).append("\n").append(piece.machine_info);
        return known_.get(told_, read);
    }

    static Machines by_machine(std::vector<MasterExecution> executions) {
        Machines machines;
        for (MasterExecution& execution : executions) {
            std::string machine = machine_key(execution.hardware, execution.board);
            auto found = std::ranges::find(machines, machine,
                                           [](const auto& each) -> const std::string& { return each->machine; });
            if (found == machines.end()) {
                machines.push_back(std::make_shared<Executed>(Executed{std::move(machine), {}}));
                found = machines.end() - 1;
            }
            (*found)->executions.push_back(std::move(execution));
        }
        return machines;
    }

    static void copy_text(const MasterPiece& piece, Job& job) {
        job.text = piece.text;
        const auto moved = [&](std::string_view part) {
            const auto offset = static_cast<size_t>(part.empty() ? 0 : part.data() - piece.text.data());
            return std::string_view(job.text).substr(offset, part.size());
        };
        job.piece.operation = piece.operation;
        job.piece.place = piece.place;
        job.piece.text = job.text;
        job.piece.arguments = moved(piece.arguments);
        job.piece.config_hash = moved(piece.config_hash);
    }

    const std::string& name_;
    Queue& queue_;
    SpentJobs& spent_;
    Batch unused_;
    PieceParser parser_;
    Sha256 hash_;
    std::string told_;
    TextMemo<Machines> known_;  // by the text that tells them
    Machines told_beside_;
    Batch batch_;
    Value metadata_;
};

}  // namespace tracelift::importing
