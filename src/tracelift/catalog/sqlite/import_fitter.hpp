// The fitting part of an import: batches wait in line, and whoever has time fits one to the declarations. Internal to
// import.cpp.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/catalog/sqlite/import_job.hpp"

namespace tracelift::importing {

// Fits configurations to their declarations; used by one thread at a time.
class Fitter {
public:
    explicit Fitter(const std::string& name) : name_(name) {}

    // Makes the row of every configuration that is not known.
    void fit(Batch& batch);

private:
    void fit(const MasterPiece& piece, Group& group);
    std::string_view minified(std::string_view text);  // valid until the next

    const std::string& name_;  // of the file, for messages
    std::vector<char> minified_;
    Binder binder_;
    PieceParser parser_;
};

// Batches in the order of the file, on their way to be fitted.
class FittingLine {
public:
    void push(Batch batch);
    size_t size() const { return line_.size(); }  // for the thread that pushes and pops
    // The first batch, fitted; whoever waits for it fits others meanwhile. Throws what its fitting threw.
    Batch pop(Fitter& fitter);
    // Fits what others push until there will be no more.
    void help(Fitter& fitter);
    void end();

private:
    enum class Step : uint8_t { WAITING, IN_WORK, FITTED };
    struct Entry {
        Batch batch;
        Step step;
        std::exception_ptr error;
    };

    // False when none waits. The lock is open meanwhile: entries stay where they are while others come and go.
    bool fit_one(Fitter& fitter, std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry> line_;
    bool ended_ = false;
};

}  // namespace tracelift::importing
