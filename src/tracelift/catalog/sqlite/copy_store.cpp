#include <unordered_map>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/catalog/sqlite/writer.hpp"

namespace tracelift {

ImportReport copy_store(Database& database, Store& from) {
    ImportReport report;
    StoreWriter writer(database);
    std::unordered_map<std::string, int64_t> runs;
    for (const RunSummary& summary : from.runs()) {
        runs.emplace(summary.run.uid, writer.run(summary.run));
    }
    Statement digest_of(from.database(), "SELECT coalesce(digest, x''), stored FROM configuration WHERE id = ?");
    from.visit({}, [&](Configuration& configuration) {
        OperationCount& count = report.operations[configuration.call.operation];
        ++count.configurations;
        ++report.configurations;
        auto row = writer.find(configuration.identity, configuration.ordinal);
        if (row) {
            writer.known();
        } else {
            digest_of.with(configuration.id).step();
            NewConfiguration fresh;
            fresh.digest = digest_of.text(0);
            fresh.stored = digest_of.is_null(1) ? std::nullopt : std::optional(std::string(digest_of.text(1)));
            fresh.call = std::move(configuration.call);
            fresh.hardware = configuration.hardware;
            fresh.board = configuration.board;
            fresh.format = configuration.format;
            fresh.legacy_hash = configuration.legacy_hash;
            report.unbound += fresh.call.bound ? 0 : 1;
            report.with_lost += fresh.call.bound && has_lost_arguments(fresh.call) ? 1 : 0;
            row = writer.add(configuration_row(std::move(fresh)), configuration.identity, configuration.ordinal);
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
    Statement unread(from.database(),
                     "SELECT r.uid, u.place, u.text, u.reason FROM unread u JOIN trace_run r ON r.id = u.trace_run_id");
    while (unread.step()) {
        writer.unread(runs.at(std::string(unread.text(0))),
                      {std::string(unread.text(1)), std::string(unread.text(2)), std::string(unread.text(3))});
    }
    add_text_bytes(database, writer.bytes());
    report.added = writer.added();
    return report;
}

}  // namespace tracelift
