#include "tracelift/sweep/shard.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <set>
#include <stdexcept>

#include <fmt/ranges.h>

#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

std::vector<double> costs_of(std::span<const Vector> vectors, const std::map<std::string, double>& cost) {
    std::vector<double> costs(vectors.size(), -1);
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < vectors.size(); ++i) {
        auto found = cost.find(vectors[i].id);
        if (found == cost.end() && vectors[i].native) {
            found = cost.find(vectors[i].native->identity);
        }
        if (found != cost.end()) {
            costs[i] = found->second;
            sum += found->second;
            ++known;
        }
    }
    const double usual = known == 0 ? 1.0 : sum / static_cast<double>(known);
    std::ranges::replace(costs, -1.0, usual);
    return costs;
}

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error("cannot merge: " + why); }

std::string shard_text(const JournalContents& journal) {
    return journal.head.run.shard.empty() ? "a whole run" : "shard " + journal.head.run.shard;
}

// Every shard of one sweep once; their places by number.
void check_complete(const std::vector<JournalContents>& shards) {
    std::map<size_t, const JournalContents*> by_number;
    const JournalContents& first = shards.front();
    const size_t count = parse_shard(first.head.run.shard).count;
    for (const JournalContents& each : shards) {
        if (each.head.ledger != first.head.ledger) {
            fail(fmt::format("{} and {} are shards of different sweeps ('{}' of {} vectors, '{}' of {})",
                             first.path.string(), each.path.string(), first.head.run.command, first.head.total,
                             each.head.run.command, each.head.total));
        }
        const Shard shard = parse_shard(each.head.run.shard);
        if (shard.count != count) {
            fail(fmt::format("{} is {}, {} is {}", first.path.string(), shard_text(first), each.path.string(),
                             shard_text(each)));
        }
        if (!each.finished) {
            fail(fmt::format("{} ({}) is not finished: {} of {} vectors have a result", shard_text(each),
                             each.path.string(), each.results.size(), each.head.own));
        }
        const auto [other, fresh] = by_number.emplace(shard.number, &each);
        if (!fresh) {
            fail(fmt::format("{} and {} are both {}", other->second->path.string(), each.path.string(),
                             shard_text(each)));
        }
    }
    std::vector<std::string> missing;
    for (size_t number = 1; number <= count; ++number) {
        if (!by_number.contains(number)) {
            missing.push_back(Shard{number, count}.text());
        }
    }
    if (!missing.empty()) {
        fail(fmt::format("shard {} {} missing", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"));
    }
}

// What is merged is what the command would have run without --shard.
void drop_shard(std::string& command) {
    constexpr std::string_view option = " --shard ";
    const size_t begin = command.find(option);
    if (begin != command.npos) {
        command.erase(begin, std::min(command.find(' ', begin + option.size()), command.size()) - begin);
    }
}

}  // namespace

std::string Shard::text() const { return count == 1 ? "" : fmt::format("{}/{}", number, count); }

Shard parse_shard(std::string_view text) {
    if (text.empty()) {
        return {};
    }
    Shard shard{0, 0};
    const char* end = text.data() + text.size();
    const auto [slash, problem] = std::from_chars(text.data(), end, shard.number);
    const bool parted = problem == std::errc() && slash != end && *slash == '/';
    const auto [last, second] = std::from_chars(parted ? slash + 1 : end, end, shard.count);
    if (!parted || second != std::errc() || last != end || shard.number < 1 || shard.number > shard.count) {
        throw std::invalid_argument(fmt::format("expected a shard as 1/4, from 1/N to N/N, got '{}'", text));
    }
    return shard;
}

std::vector<size_t> vectors_of_shard(std::span<const Vector> vectors, const std::map<std::string, double>& cost,
                                     const Shard& shard) {
    const std::vector<double> costs = costs_of(vectors, cost);
    std::vector<std::string> keys;
    for (const Vector& vector : vectors) {
        keys.push_back(vector_key(vector));
    }
    std::vector<size_t> order(vectors.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(
        order, [&](size_t a, size_t b) { return costs[a] != costs[b] ? costs[a] > costs[b] : keys[a] < keys[b]; });
    using Load = std::pair<double, size_t>;  // what a shard has to do, and its number
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (size_t number = 1; number <= shard.count; ++number) {
        loads.emplace(0.0, number);
    }
    std::vector<size_t> own;
    for (const size_t index : order) {
        const auto [load, number] = loads.top();
        loads.pop();
        loads.emplace(load + costs[index], number);
        if (number == shard.number) {
            own.push_back(index);
        }
    }
    std::ranges::sort(own);
    return own;
}

std::string ledger_of(std::vector<std::string> keys) {
    std::ranges::sort(keys);
    Sha256 hash;
    for (const std::string& key : keys) {
        hash.add(key).add("\n");
    }
    return hash.hex();
}

std::string ledger_of(std::span<const Vector> vectors) {
    std::vector<std::string> keys;
    for (const Vector& vector : vectors) {
        keys.push_back(vector_key(vector));
    }
    return ledger_of(std::move(keys));
}

MergedShards merge_shards(std::vector<JournalContents> shards) {
    check_complete(shards);
    MergedShards merged;
    merged.head = shards.front().head;
    std::map<std::string, std::string> owners;  // the shard of each vector
    std::vector<std::string> keys;
    for (JournalContents& each : shards) {
        merged.head.run.started = std::min(merged.head.run.started, each.head.run.started);
        merged.head.run.finished = std::max(merged.head.run.finished, each.head.run.finished);
        for (ResultRecord& result : each.results) {
            keys.push_back(vector_key(result));
            const auto [other, fresh] = owners.emplace(keys.back(), each.head.run.shard);
            if (!fresh) {
                fail(fmt::format("vector {} of {} has a result in shard {} and in shard {}", result.vector_id,
                                 result.sweep_name, other->second, each.head.run.shard));
            }
            result.configuration = 0;  // a row of the store where it ran: others have other numbers
            merged.results.push_back(std::move(result));
        }
    }
    if (merged.results.size() != merged.head.total || ledger_of(std::move(keys)) != merged.head.ledger) {
        fail(fmt::format("the shards have {} results, the sweep {} vectors", merged.results.size(), merged.head.total));
    }
    for (std::string* text : {&merged.head.run.command, &merged.head.key}) {
        drop_shard(*text);
    }
    merged.head.run.shard.clear();
    merged.head.own = merged.head.total;
    merged.head.vectors.clear();
    return merged;
}

}  // namespace tracelift
