#include "tracelift/trace/ingest.hpp"

#include <unordered_map>

#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

class Ingest {
public:
    Ingest(const OperationFilter& filter, const std::string& model, bool include_failed)
        : filter_(filter), model_(model), include_failed_(include_failed) {}

    void add(const UniqueCall& call) {
        using Verdict = OperationFilter::Verdict;
        IngestLedger& ledger = result_.ledger;
        const Verdict verdict = filter_.judge(call.operation);
        if (verdict != Verdict::KEPT) {
            (verdict == Verdict::EXCLUDED ? ledger.excluded : ledger.not_listed) += call.count;
            ledger.dropped[call.operation] += call.count;
            return;
        }
        const uint64_t counted = include_failed_ ? call.count : call.count - call.failed;
        ledger.failed += call.count - counted;
        if (call.failed != 0) {
            ledger.problems.try_emplace(call.operation, call.first_error);
        }
        if (counted != 0) {
            ledger.kept += counted;
            add_configuration(call, counted);
        }
    }

    Ingested take() { return std::move(result_); }

private:
    void add_configuration(const UniqueCall& call, uint64_t count) {
        NewConfiguration configuration;
        configuration.hardware = hardware_of_board(call.board);
        configuration.board = call.board;
        const StoredCall stored{call.operation, {}, *ByteReader(call.arguments).value().as<Value::Dict>()};
        configuration.call = binder_.bind(stored, Order::PYTHON, call.board);
        if (!configuration.call.bound) {
            ++result_.ledger.unbound;
            result_.ledger.problems.try_emplace(call.operation, configuration.call.note);
        }
        OperationCount& of_operation = result_.operations[configuration.call.operation];
        of_operation.executions += count;
        // Calls that were written down differently may still be the same configuration.
        const auto [place, fresh] =
            by_identity_.try_emplace(identity(configuration.call, configuration.hardware), result_.executions.size());
        if (!fresh) {
            NewExecution& known = result_.executions[place->second];
            known.count += count;
            known.nanoseconds += call.nanoseconds;
            return;
        }
        ++of_operation.configurations;
        result_.executions.push_back({std::move(configuration), model_, count, call.nanoseconds});
    }

    const OperationFilter& filter_;
    const std::string& model_;
    bool include_failed_;
    Binder binder_;
    Ingested result_;
    std::unordered_map<std::string, size_t> by_identity_;
};

}  // namespace

Ingested ingest(const CallTable& table, const OperationFilter& filter, const std::string& model, bool include_failed) {
    Ingest work(filter, model, include_failed);
    for (const UniqueCall* call : table.calls()) {
        work.add(*call);
    }
    Ingested result = work.take();
    result.ledger.raw = table.ledger();
    return result;
}

}  // namespace tracelift
