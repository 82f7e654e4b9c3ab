#include "tracelift/replay/shrink_call.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/replay/shrink.hpp"
#include "tracelift/sweep_report/signature.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

// What has to stay.
class Failure {
public:
    Failure(const Replayed& replayed, std::string expect)
        : operation_(replayed.call->call.operation),
          expect_(std::move(expect)),
          status_(replayed.result.status),
          signature_(expect_.empty() ? signature_of(replayed.reason, operation_) : "") {}

    const std::string& signature() const { return signature_; }
    bool is_kept_by(const Replayed& replayed) const {
        if (!expect_.empty()) {
            return expect_ == ttnn::member_name(replayed.result.status) ||
                   expect_ == ttnn::member_name(replayed.outcome);
        }
        return replayed.result.status == status_ && signature_of(replayed.reason, operation_) == signature_;
    }

private:
    std::string operation_;
    std::string expect_;
    Status status_;
    std::string signature_;
};

// Replays calls while there is time.
class Trials {
public:
    Trials(const ReplayCall& like, const ShrinkOptions& options, const std::function<void(const Replayed&)>& each)
        : like_(like), options_(options), replay_(options.replay), each_(each), end_(Clock::now() + options.budget) {
        replay_.repeat = 1;
        replay_.pool.go_on = [this] {
            over_ = over_ || Clock::now() > end_;
            interrupted_ = interrupted_ || (options_.replay.pool.go_on && !options_.replay.pool.go_on());
            return !over_ && !interrupted_;
        };
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    ReplayCall call_of(const Value::Dict& arguments) const {
        ReplayCall call = like_;
        call.call = {like_.call.operation, arguments, true, {}};
        return call;
    }

    // Those that ended, by their position among the calls. Nothing else is said of the others.
    std::vector<std::optional<Replayed>> run(std::span<const ReplayCall> calls) {
        std::vector<std::optional<Replayed>> results(calls.size());
        replay(calls, replay_, [&](const Replayed& replayed) {
            results[static_cast<size_t>(replayed.call - calls.data())] = replayed;
            if (each_) {
                each_(replayed);
            }
        });
        return results;
    }
    std::optional<Replayed> run_one(const ReplayCall& call) { return run(std::span(&call, 1)).front(); }

    bool over() const { return over_; }
    bool interrupted() const { return interrupted_; }

private:
    const ReplayCall& like_;
    const ShrinkOptions& options_;
    ReplayOptions replay_;
    const std::function<void(const Replayed&)>& each_;
    Clock::time_point end_;
    bool over_ = false;
    bool interrupted_ = false;
};

// Throws where there is nothing to shrink.
void check_failure(const ReplayCall& call, const std::optional<Replayed>& replayed, const std::string& expect) {
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error(fmt::format("{}: {}: {}", call.place, cpp_name(call.call.operation), why));
    };
    if (!replayed) {
        refuse("there was no time to replay it once");
    }
    const Status status = replayed->result.status;
    const std::string word(ttnn::member_name(replayed->outcome));
    const std::string said = replayed->reason.empty() ? word : word + ": " + replayed->reason;
    if (replayed->outcome == Outcome::UNDECODABLE || replayed->outcome == Outcome::UNKNOWN) {
        refuse(fmt::format("it cannot be replayed: {}", said));
    }
    if (status == Status::INFRA_WORKER_LOST) {
        refuse(fmt::format("its worker was lost: {}", replayed->reason));
    }
    if (!expect.empty() && !Failure(*replayed, expect).is_kept_by(*replayed)) {
        refuse(fmt::format("expected {}, but it is {} (status {})", expect, said, ttnn::member_name(status)));
    }
    if (expect.empty() && verdict_of(status) != Verdict::FAILED) {
        refuse(fmt::format("it does not fail, so there is nothing to shrink: {}; `--expect {}` shrinks it all the same",
                           said, ttnn::member_name(status)));
    }
}

ShrinkEnd end_of(const Shrunk& shrunk, const Trials& trials) {
    if (shrunk.smallest) {
        return ShrinkEnd::SMALLEST;
    }
    if (trials.interrupted()) {
        return ShrinkEnd::INTERRUPTED;
    }
    return trials.over() ? ShrinkEnd::BUDGET : ShrinkEnd::ATTEMPTS;
}

}  // namespace

std::vector<std::string> expected_words() {
    std::vector<std::string> words;
    for (const auto& member : ttnn::EnumInfo<Status>::members) {
        words.emplace_back(member.name);
    }
    for (const auto& member : ttnn::EnumInfo<Outcome>::members) {
        if (std::ranges::find(words, member.name) == words.end()) {
            words.emplace_back(member.name);
        }
    }
    return words;
}

ShrunkCall shrink_call(const ReplayCall& call, const ShrinkOptions& options,
                       const std::function<void(const Replayed&)>& each) {
    Trials trials(call, options, each);
    const std::optional<Replayed> first = trials.run_one(call);
    check_failure(call, first, options.expect);
    const Failure failure(*first, options.expect);
    const auto fails_alike = [&](std::span<const Value::Dict> all) {
        std::vector<ReplayCall> calls;
        for (const Value::Dict& arguments : all) {
            calls.push_back(trials.call_of(arguments));
        }
        std::vector<bool> answers;
        for (const std::optional<Replayed>& replayed : trials.run(calls)) {
            if (!replayed) {
                break;
            }
            answers.push_back(failure.is_kept_by(*replayed));
        }
        return answers;
    };
    const Value::Dict before = replayable(call.call.arguments);
    const Shrunk shrunk = shrink(*ttnn::find_operation(call.call.operation), before, fails_alike, options.attempts);

    ShrunkCall result;
    result.call = trials.call_of(shrunk.arguments);
    result.call.identity = identity(result.call.call, call.hardware);
    result.end = end_of(shrunk, trials);
    result.signature = failure.signature();
    result.changes = field_changes(before, shrunk.arguments);
    result.tried = shrunk.tried;
    result.alike = shrunk.alike;
    // Once more, without the limits that may have ended the search.
    ShrinkOptions last = options;
    last.replay.pool.go_on = {};
    last.budget = std::chrono::hours(24);
    const std::optional<Replayed> again = Trials(call, last, each).run_one(result.call);
    result.steady = again && failure.is_kept_by(*again);
    result.outcome = again->outcome;
    result.result = again->result;
    return result;
}

}  // namespace tracelift
