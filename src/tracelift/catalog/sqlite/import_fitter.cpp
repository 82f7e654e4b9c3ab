#include "tracelift/catalog/sqlite/import_fitter.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <simdjson.h>

namespace tracelift::importing {
namespace {

// Some processors have AVX-512 and take a hundred cycles for its store of chosen bytes, which simdjson uses here.
const simdjson::implementation& minifier() {
    static const simdjson::implementation& chosen = []() -> const simdjson::implementation& {
        const simdjson::implementation* older = simdjson::get_available_implementations()["haswell"];
        const bool usable = older != nullptr && older->supported_by_runtime_system();
        return usable ? *older : *simdjson::get_active_implementation();
    }();
    return chosen;
}

}  // namespace

void Fitter::fit(Batch& batch) {
    for (Job& job : batch) {
        for (Group& group : job.groups) {
            if (group.known) {
                continue;
            }
            try {
                fit(job.piece, group);
            } catch (const std::invalid_argument& error) {
                throw FileError(fmt::format("{}: {}: {}", name_, job.piece.place(), error.what()));
            }
        }
    }
}

void Fitter::fit(const MasterPiece& piece, Group& group) {
    const MasterExecution& execution = group.executed->executions.front();
    const PieceCall read = parser_.call(piece);
    NewConfiguration fresh;
    fresh.hardware = execution.hardware;
    fresh.board = execution.board;
    fresh.format = piece.is_format2() ? "2" : "1";
    fresh.call = binder_.bind(read.call, read.order, execution.board);
    fresh.digest = group.digest();
    fresh.stored = std::string(minified(piece.text));
    if (!piece.config_hash.empty()) {
        fresh.legacy_hash = std::string(piece.config_hash);
    }
    group.identity = identity(fresh.call, fresh.hardware);
    group.fresh = prepare(std::move(fresh));
}

std::string_view Fitter::minified(std::string_view text) {
    minified_.resize(std::max(minified_.size(), text.size() + simdjson::SIMDJSON_PADDING));
    size_t size = 0;
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    auto* to = reinterpret_cast<uint8_t*>(minified_.data());
    if (minifier().minify(bytes, text.size(), to, size) != simdjson::SUCCESS) {
        return text;
    }
    return {minified_.data(), size};
}

void FittingLine::push(Batch batch) {
    const std::lock_guard lock(mutex_);
    line_.push_back({std::move(batch), Step::WAITING, nullptr});
    changed_.notify_all();
}

Batch FittingLine::pop(Fitter& fitter) {
    std::unique_lock lock(mutex_);
    while (line_.front().step != Step::FITTED) {
        if (!fit_one(fitter, lock)) {
            changed_.wait(lock, [&] { return line_.front().step == Step::FITTED; });
        }
    }
    Entry first = std::move(line_.front());
    line_.pop_front();
    if (first.error) {
        std::rethrow_exception(first.error);
    }
    return std::move(first.batch);
}

void FittingLine::help(Fitter& fitter) {
    std::unique_lock lock(mutex_);
    while (true) {
        if (!fit_one(fitter, lock)) {
            if (ended_) {
                return;
            }
            changed_.wait(lock);
        }
    }
}

void FittingLine::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

bool FittingLine::fit_one(Fitter& fitter, std::unique_lock<std::mutex>& lock) {
    const auto entry = std::ranges::find(line_, Step::WAITING, &Entry::step);
    if (entry == line_.end()) {
        return false;
    }
    Entry& mine = *entry;
    mine.step = Step::IN_WORK;
    lock.unlock();
    try {
        fitter.fit(mine.batch);
    } catch (...) {
        mine.error = std::current_exception();
    }
    lock.lock();
    mine.step = Step::FITTED;
    changed_.notify_all();
    return true;
}

}  // namespace tracelift::importing
