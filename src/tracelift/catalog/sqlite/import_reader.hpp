// The reading half of an import: a thread of its own cuts a master into jobs, which wait in a queue. Internal to
// import.cpp.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/import_job.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"

namespace tracelift::importing {

inline constexpr size_t batch_size = 64;  // configurations

inline std::string machine_key(const std::optional<Hardware>& hardware, const std::string& board) {
    return hardware ? fmt::format("{}\n{}\n{}\n{}\n{}\n{}", hardware->board_type, hardware->device_series,
                                  hardware->card_count, mesh_text(hardware->mesh_shape), hardware->device_count, board)
                    : std::string();
}

// Batches on their way from one thread to another.
class Queue {
public:
    static constexpr size_t most = 16;

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
    // `model`: whose executions they are that name no source.
    PieceReader(const std::string& name, Queue& queue, std::optional<std::string> model)
        : name_(name), queue_(queue), model_(std::move(model)) {}

    void configuration(MasterPiece&& piece) override {
        std::vector<Group> groups = groups_of(piece);
        batch_.push_back({std::move(piece), std::move(groups)});
        if (batch_.size() == batch_size) {
            hand_on();
        }
    }
    void metadata(const Value& metadata) override { metadata_ = metadata; }
    void hand_on() {
        if (!queue_.push(std::exchange(batch_, {}))) {
            throw NobodyWantsMore();
        }
        batch_.reserve(batch_size);
    }
    const Value& found_metadata() const { return metadata_; }

private:
    std::vector<Group> groups_of(const MasterPiece& piece) {
        std::vector<Group> groups;
        try {
            const Machines& machines = machines_of(piece);
            groups.reserve(machines.size());
            for (const auto& executed : machines) {
                digest_.add(piece.operation).add("\n").add(executed->machine).add("\n").add(piece.arguments);
                groups.push_back({executed, digest_.bytes(), {}, {}, {}});
            }
        } catch (const std::invalid_argument& error) {
            throw FileError(fmt::format("{}: {}: {}", name_, piece.place(), error.what()));
        }
        return groups;
    }

    const Machines& machines_of(const MasterPiece& piece) {
        const auto read = [&] {
            std::vector<MasterExecution> executions = parser_.executions(piece);
            for (MasterExecution& execution : executions) {
                execution.source = model_ && execution.source == unknown_source ? *model_ : execution.source;
            }
            return by_machine(std::move(executions));
        };
        if (!piece.told.empty()) {
            return told_beside_ = read();
        }
        told_ = piece.executions;
        told_.append("\n").append(piece.source).append("\n").append(piece.machine_info);
        known_.forget();
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

    const std::string& name_;
    Queue& queue_;
    std::optional<std::string> model_;
    PieceParser parser_;
    TextDigest digest_;
    std::string told_;
    TextMemo<Machines> known_;  // by the text that tells them
    Machines told_beside_;
    Batch batch_;
    Value metadata_;
};

}  // namespace tracelift::importing
