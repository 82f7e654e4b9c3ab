// From raw traces to the store: filtered, bound to declarations, merged by identity.
#pragma once

#include <map>
#include <memory>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/trace/call_table.hpp"
#include "tracelift/trace/filter.hpp"

namespace tracelift {

// Where every captured call went: calls = kept + excluded + not_listed + failed.
struct IngestLedger {
    RawLedger raw;
    uint64_t kept = 0;                            // calls that count
    uint64_t excluded = 0;                        // calls of excluded operations
    uint64_t not_listed = 0;                      // calls of operations that are not valid ones
    uint64_t failed = 0;                          // calls that raised an error (kept with include_failed)
    uint64_t unbound = 0;                         // configurations that no declaration took; stored as they are
    uint64_t with_lost = 0;                       // bound without arguments that the capture lost
    std::map<std::string, uint64_t> dropped;      // operation -> calls, of excluded and not listed ones
    std::map<std::string, std::string> problems;  // operation -> why it is unbound, or the first error it raised
};

struct Ingested {
    std::vector<NewExecution> executions;  // one per configuration and source, in the order they came
    std::map<std::string, OperationCount> operations;
    IngestLedger ledger;
    std::vector<UnreadPiece> unread;
};

// Takes calls from a reader of parameter files, call lines or graph reports; filters, binds and merges them as they
// come. Memory grows with distinct calls, not with calls.
class CallIngest final : public CallSink {
public:
    // `format` is what the store will call the road they came by; `model` goes where a call names no source, and
    // everywhere when `override_source`.
    CallIngest(const OperationFilter& filter, std::string format, std::string model, bool override_source,
               bool include_failed);
    ~CallIngest() override;
    void call(FileCall&& call) override;
    void unread(UnreadPiece&& piece) override;

    const std::string& trace_uid() const;  // the first that a call named; empty: none
    Ingested take();

private:
    class Merger;
    friend Ingested ingest(const CallTable& table, const OperationFilter& filter, const std::string& model,
                           bool include_failed);
    std::unique_ptr<Merger> merger_;
    std::string format_;
    std::string model_;
    bool override_source_;
    std::string trace_uid_;
};

Ingested ingest(const CallTable& table, const OperationFilter& filter, const std::string& model, bool include_failed);

}  // namespace tracelift
