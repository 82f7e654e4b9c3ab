#include <unordered_map>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/catalog/sqlite/writer.hpp"

namespace tracelift {

ImportReport copy_catalog(Database& database, Catalog& from) {
    ImportReport report;
    StoreWriter writer(database);
    std::unordered_map<std::string, int64_t> runs;
    for (const RunSummary& summary : from.runs()) {
        runs.emplace(summary.run.uid, writer.run(summary.run));
    }
    from.visit({.with_texts = true}, [&](Configuration& configuration) {
        OperationCount& count = report.operations[configuration.call.operation];
        ++count.configurations;
        ++report.configurations;
        auto row = writer.find(configuration.identity, configuration.ordinal);
        if (row) {
            writer.known();
        } else {
            NewConfiguration fresh;
            fresh.digest = std::move(configuration.digest);
            fresh.stored = std::move(configuration.stored);
            fresh.call = std::move(configuration.call);
            fresh.hardware = configuration.hardware;
            fresh.board = configuration.board;
            fresh.format = configuration.format;
            fresh.legacy_hash = configuration.legacy_hash;
            report.unbound += fresh.call.bound ? 0 : 1;
            report.with_lost += fresh.call.bound && has_lost_arguments(fresh.call) ? 1 : 0;
            PreparedConfiguration prepared = prepare(std::move(fresh));
            row = writer.add(prepared, configuration.identity, configuration.ordinal);
        }
        for (const Execution& execution : configuration.executions) {
            const auto count_of = static_cast<uint64_t>(execution.count);
            writer.execute(*row, runs.at(execution.trace_uid), writer.model(execution.model), count_of,
                           static_cast<uint64_t>(execution.nanoseconds));
            count.executions += count_of;
            report.executions += count_of;
        }
        return true;
    });
    from.visit_unread([&](const std::string& uid, const UnreadPiece& piece) { writer.unread(runs.at(uid), piece); });
    add_text_bytes(database, writer.bytes());
    report.added = writer.added();
    return report;
}

}  // namespace tracelift
