#include "tracelift/trace/ingest.hpp"

#include <unordered_map>

#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {

// Judges calls, binds those that are kept and merges equal ones.
class CallIngest::Merger {
public:
    Merger(const OperationFilter& filter, bool include_failed) : filter_(filter), include_failed_(include_failed) {}

    struct Call {
        const std::string& operation;
        uint64_t count;
        uint64_t failed;  // of them
        uint64_t nanoseconds;
        const std::string& first_error;
    };
    // How many of the calls count; 0: none is kept.
    uint64_t judge(const Call& call) {
        using Verdict = OperationFilter::Verdict;
        IngestLedger& ledger = result_.ledger;
        const Verdict verdict = filter_.judge(call.operation);
        if (verdict != Verdict::KEPT) {
            (verdict == Verdict::EXCLUDED ? ledger.excluded : ledger.not_listed) += call.count;
            ledger.dropped[call.operation] += call.count;
            return 0;
        }
        const uint64_t counted = include_failed_ ? call.count : call.count - call.failed;
        ledger.failed += call.count - counted;
        if (call.failed != 0) {
            ledger.problems.try_emplace(call.operation, call.first_error);
        }
        ledger.kept += counted;
        return counted;
    }

    void add(NewConfiguration configuration, const StoredCall& stored, Order order, const std::string& model,
             uint64_t count, uint64_t nanoseconds) {
        configuration.call = binder_.bind(stored, order, configuration.board);
        OperationCount& of_operation = result_.operations[configuration.call.operation];
        of_operation.executions += count;
        // Calls that were written down differently may still be the same configuration.
        configuration.identity = identity(configuration.call, configuration.hardware);
        const auto [place, fresh] = by_identity_.try_emplace(configuration.identity + model, result_.executions.size());
        if (!fresh) {
            NewExecution& known = result_.executions[place->second];
            known.count += count;
            known.nanoseconds += nanoseconds;
            return;
        }
        if (!configuration.call.bound) {
            ++result_.ledger.unbound;
            result_.ledger.problems.try_emplace(configuration.call.operation, configuration.call.note);
        }
        result_.ledger.with_lost += configuration.call.bound && has_lost_arguments(configuration.call) ? 1 : 0;
        ++of_operation.configurations;
        result_.executions.push_back({std::move(configuration), model, count, nanoseconds});
    }

    Ingested& result() { return result_; }

private:
    const OperationFilter& filter_;
    bool include_failed_;
    Binder binder_;
    Ingested result_;
    std::unordered_map<std::string, size_t> by_identity_;
};

Ingested ingest(const CallTable& table, const OperationFilter& filter, const std::string& model, bool include_failed) {
    CallIngest::Merger work(filter, include_failed);
    for (const UniqueCall* call : table.calls()) {
        const uint64_t counted =
            work.judge({call->operation, call->count, call->failed, call->nanoseconds, call->first_error});
        if (counted == 0) {
            continue;
        }
        NewConfiguration configuration;
        configuration.hardware = hardware_of_board(call->board);
        configuration.board = board_without_mesh(call->board);
        configuration.format = "raw";
        const StoredCall stored{call->operation, {}, *ByteReader(call->arguments).value().as<Value::Dict>()};
        work.add(std::move(configuration), stored, Order::PYTHON, model, counted, call->nanoseconds);
    }
    Ingested result = std::move(work.result());
    result.ledger.raw = table.ledger();
    return result;
}

CallIngest::CallIngest(const OperationFilter& filter, std::string format, std::string model, bool override_source,
                       bool include_failed)
    : merger_(std::make_unique<Merger>(filter, include_failed)),
      format_(std::move(format)),
      model_(std::move(model)),
      override_source_(override_source) {}

CallIngest::~CallIngest() = default;

void CallIngest::call(FileCall&& call) {
    RawLedger& raw = merger_->result().ledger.raw;
    const uint64_t failed = call.error.empty() ? 0 : call.count;
    raw.calls += call.count;
    raw.failed += failed;
    trace_uid_ = trace_uid_.empty() ? call.trace_uid : trace_uid_;
    const uint64_t counted = merger_->judge({call.call.operation, call.count, failed, call.nanoseconds, call.error});
    if (counted == 0) {
        return;
    }
    NewConfiguration configuration;
    configuration.hardware = call.hardware;
    configuration.board = call.hardware ? board_of_series(call.hardware->device_series) : std::string();
    configuration.format = format_;
    const std::string& model = override_source_ || call.source.empty() ? model_ : call.source;
    merger_->add(std::move(configuration), call.call, call.order, model, counted, call.nanoseconds);
}

void CallIngest::unread(UnreadPiece&& piece) { merger_->result().unread.push_back(std::move(piece)); }

const std::string& CallIngest::trace_uid() const { return trace_uid_; }

Ingested CallIngest::take() { return std::move(merger_->result()); }

}  // namespace tracelift
