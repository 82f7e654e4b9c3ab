#include "ttnn/graph/flow_fold.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace ttnn::graph {
namespace {

constexpr size_t longest_run = 256;  // calls of a layer
constexpr size_t deepest = 3;        // of runs inside runs

uint64_t signature(const FlowCall& call) {
    std::string text = call.name;
    for (const auto* list : {&call.gives, &call.outside}) {
        text += '\n';
        for (const std::string& tensor : *list) {
            text += tensor + '\t';
        }
    }
    return std::hash<std::string>{}(text)*2 + (call.failed || !call.ended ? 1 : 0);
}

class Folding {
public:
    explicit Folding(const std::vector<FlowCall>& calls) : prefixes_(calls.size() + 1), powers_(calls.size() + 1, 1) {
        for (size_t i = 0; i < calls.size(); ++i) {
            prefixes_[i + 1] = prefixes_[i] * base + signature(calls[i]);
            powers_[i + 1] = powers_[i] * base;
        }
    }

    std::vector<FoldedCalls> fold(size_t first, size_t last, size_t depth) const {
        std::vector<FoldedCalls> items;
        for (size_t at = first; at < last;) {
            FoldedCalls item = best_run(at, last, depth);
            at += item.length * item.times;
            items.push_back(std::move(item));
        }
        return items;
    }

private:
    static constexpr uint64_t base = 0x9E3779B97F4A7C15ULL;

    uint64_t hash(size_t first, size_t length) const {
        return prefixes_[first + length] - prefixes_[first] * powers_[length];
    }

    // What covers most calls when it begins here; the shortest of those.
    FoldedCalls best_run(size_t at, size_t last, size_t depth) const {
        FoldedCalls best{.first = at};
        const size_t longest = depth < deepest ? std::min(longest_run, (last - at) / 2) : 0;
        for (size_t length = 1; length <= longest; ++length) {
            const uint64_t run = hash(at, length);
            size_t times = 1;
            while (at + (times + 1) * length <= last && hash(at + times * length, length) == run) {
                ++times;
            }
            const bool covers_more = times > 1 && length * times > best.length * best.times;
            if (covers_more && (length > 1 || times > 2)) {
                best = {at, length, times, {}};
            }
        }
        if (best.times > 1) {
            best.inside = fold(at, at + best.length, depth + 1);
        }
        return best;
    }

    std::vector<uint64_t> prefixes_;
    std::vector<uint64_t> powers_;
};

}  // namespace

std::vector<FoldedCalls> fold(const std::vector<FlowCall>& calls) { return Folding(calls).fold(0, calls.size(), 0); }

}  // namespace ttnn::graph
