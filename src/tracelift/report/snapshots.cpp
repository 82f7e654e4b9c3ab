#include "tracelift/report/snapshots.hpp"

#include <algorithm>

namespace tracelift::report {

void SpanWriter::write(const Open& span) {
    if (span.first <= last_operation_) {
        const BufferFacts& facts = span.facts;
        rows_({epoch_, span.first, last_operation_, facts.device_id, facts.address, facts.max_size_per_bank,
               facts.buffer_type, facts.buffer_layout});
    }
}

void SpanWriter::add(uint64_t id, const BufferFacts& facts, int64_t operation) {
    open_[id] = {facts, operation};
    ++changes_;
}

void SpanWriter::remove(uint64_t id) {
    const auto found = open_.find(id);
    if (found != open_.end()) {
        write(found->second);
        open_.erase(found);
        ++changes_;
    }
}

int64_t SpanWriter::end_operation(int64_t operation) {
    const bool is_new = epoch_ == 0 || changes_ > std::max(shortest_epoch, open_.size());
    if (is_new && epoch_ != 0) {
        for (auto& [id, span] : open_) {
            write(span);
            // What came after the last operation keeps its beginning, which is this operation at the earliest.
            span.first = std::max(span.first, last_operation_ + 1);
        }
    }
    if (is_new) {
        epoch_ = next_epoch_++;
        changes_ = 0;
    }
    last_operation_ = operation;
    return epoch_;
}

void SpanWriter::finish() {
    for (const auto& [id, span] : open_) {
        write(span);
    }
    open_.clear();
}

int64_t ListedSnapshots::end_operation(int64_t operation, std::vector<BufferFacts> list) {
    std::ranges::sort(list);
    std::vector<std::pair<BufferFacts, uint64_t>> next;
    next.reserve(list.size());
    auto old = current_.begin();
    for (const BufferFacts& facts : list) {
        for (; old != current_.end() && old->first < facts; ++old) {
            spans_.remove(old->second);
        }
        if (old != current_.end() && old->first == facts) {
            next.push_back(*old++);
        } else {
            spans_.add(next_id_, facts, operation);
            next.emplace_back(facts, next_id_++);
        }
    }
    for (; old != current_.end(); ++old) {
        spans_.remove(old->second);
    }
    current_ = std::move(next);
    return spans_.end_operation(operation);
}

}  // namespace tracelift::report
