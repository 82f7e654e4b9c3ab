#include "tracelift/replay/shrink.hpp"

#include <algorithm>
#include <unordered_map>

#include "tracelift/replay/call_size.hpp"
#include "tracelift/replay/smaller_calls.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

class Shrinker {
public:
    Shrinker(const ttnn::OpInfo& op, Value::Dict arguments, const FailsAlike& fails_alike, size_t attempts)
        : op_(op), fails_alike_(fails_alike), attempts_(attempts), size_(size_of(arguments)) {
        shrunk_.arguments = std::move(arguments);
    }

    Shrunk run() {
        while (pass()) {
        }
        shrunk_.smallest = !stopped_;
        return std::move(shrunk_);
    }

private:
    // Every move as often as it helps; false when none did.
    bool pass() {
        bool helped = false;
        for (const Move& move : all_moves()) {
            while (!stopped_ && step(move)) {
                helped = true;
            }
        }
        return helped && !stopped_;
    }

    bool step(const Move& move) {
        std::vector<Value::Dict> calls;
        move.propose(op_, shrunk_.arguments, calls);
        std::erase_if(calls, [&](const Value::Dict& call) { return size_of(call) >= size_; });
        constexpr size_t first_batch = 4;
        constexpr size_t largest_batch = 64;
        size_t batch = first_batch;
        for (size_t begin = 0; begin < calls.size() && !stopped_; batch = std::min(2 * batch, largest_batch)) {
            const size_t end = std::min(begin + batch, calls.size());
            if (take_first(std::span(calls).subspan(begin, end - begin))) {
                return true;
            }
            begin = end;
        }
        return false;
    }

    // The first of these that fails alike is the next to go on from.
    bool take_first(std::span<Value::Dict> calls) {
        std::vector<std::string> keys;
        std::vector<Value::Dict> unknown;
        std::vector<std::string> unknown_keys;
        for (const Value::Dict& call : calls) {
            keys.push_back(content_hash(call));
            const bool asked = known_.contains(keys.back()) || std::ranges::count(unknown_keys, keys.back()) != 0;
            if (!asked && shrunk_.tried + unknown.size() < attempts_) {
                unknown.push_back(call);
                unknown_keys.push_back(keys.back());
            } else if (!asked) {
                stopped_ = true;
            }
        }
        ask(unknown, unknown_keys);
        for (size_t i = 0; i < calls.size(); ++i) {
            const auto found = known_.find(keys[i]);
            if (found != known_.end() && found->second) {
                shrunk_.arguments = std::move(calls[i]);
                size_ = size_of(shrunk_.arguments);
                return true;
            }
        }
        return false;
    }

    void ask(std::span<const Value::Dict> calls, const std::vector<std::string>& keys) {
        if (calls.empty()) {
            return;
        }
        const std::vector<bool> answers = fails_alike_(calls);
        stopped_ = stopped_ || answers.size() < calls.size();
        for (size_t i = 0; i < std::min(answers.size(), calls.size()); ++i) {
            known_[keys[i]] = answers[i];
            ++shrunk_.tried;
            shrunk_.alike += answers[i] ? 1 : 0;
        }
    }

    const ttnn::OpInfo& op_;
    const FailsAlike& fails_alike_;
    size_t attempts_;
    CallSize size_;
    Shrunk shrunk_;
    bool stopped_ = false;
    std::unordered_map<std::string, bool> known_;  // by content
};

}  // namespace

Shrunk shrink(const ttnn::OpInfo& op, Value::Dict arguments, const FailsAlike& fails_alike, size_t attempts) {
    return Shrinker(op, std::move(arguments), fails_alike, attempts).run();
}

}  // namespace tracelift
