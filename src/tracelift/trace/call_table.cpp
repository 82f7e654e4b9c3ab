#include "tracelift/trace/call_table.hpp"

#include <algorithm>

namespace tracelift {

// Threads append their beginnings nearly, but not quite, in the order of their sequence numbers.
uint64_t CallTable::order_of(const BeginRecord& record) const { return (ledger_.files << 48) | record.sequence; }

size_t CallTable::index_of(const BeginRecord& record) {
    key_.clear();
    key_.append(record.operation).push_back('\0');
    key_.append(record.board).push_back('\0');
    key_.append(record.arguments);
    const auto found = by_key_.find(key_);
    if (found != by_key_.end()) {
        return found->second;
    }
    UniqueCall call;
    call.operation = record.operation;
    call.board = record.board;
    call.arguments = record.arguments;
    call.order = order_of(record);
    calls_.push_back(std::move(call));
    by_key_.emplace(key_, calls_.size() - 1);
    return calls_.size() - 1;
}

void CallTable::end(const EndRecord& record, std::vector<OpenCall>& open) {
    // One call per thread is open at a time, and the one that ends is usually the last that began.
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](const OpenCall& call) { return call.sequence == record.sequence; });
    if (found == open.rend()) {
        return;  // its beginning was cut off
    }
    UniqueCall& call = calls_[found->index];
    *found = open.back();
    open.pop_back();
    call.nanoseconds += record.nanoseconds;
    if (!record.error.empty()) {
        ++call.failed;
        ++ledger_.failed;
        if (call.first_error.empty()) {
            call.first_error = record.error;
        }
    }
}

RawSummary CallTable::read(const std::filesystem::path& path) {
    std::vector<OpenCall> open;
    RawVisitor visitor;
    visitor.session = [&](const SessionRecord& session) {
        if (trace_uid_.empty()) {
            trace_uid_ = session.trace_uid;
            started_ = session.started;
        }
    };
    visitor.begin = [&](const BeginRecord& record) {
        const size_t index = index_of(record);
        UniqueCall& call = calls_[index];
        call.order = std::min(call.order, order_of(record));
        ++call.count;
        ++ledger_.calls;
        open.push_back({record.sequence, index});
    };
    visitor.end = [&](const EndRecord& record) { end(record, open); };
    const RawSummary summary = read_raw_file(path, visitor);
    ++ledger_.files;
    ledger_.unfinished += open.size();
    ledger_.incomplete += summary.incomplete;
    ledger_.used_bytes += summary.used_bytes;
    return summary;
}

std::vector<const UniqueCall*> CallTable::calls() const {
    std::vector<const UniqueCall*> ordered;
    for (const UniqueCall& call : calls_) {
        ordered.push_back(&call);
    }
    std::ranges::sort(ordered, {}, &UniqueCall::order);
    return ordered;
}

std::vector<std::filesystem::path> raw_files_in(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        if (entry.is_regular_file() && entry.path().extension() == raw_extension) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace tracelift
