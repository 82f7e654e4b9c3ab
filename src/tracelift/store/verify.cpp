#include "tracelift/store/verify.hpp"

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/formats/legacy_hash.hpp"

namespace tracelift {
namespace {

constexpr size_t most_told = 20;  // of one kind of error

void check_database(Database& database, VerifyReport& report) {
    Statement integrity(database, "PRAGMA integrity_check(20)");
    while (integrity.step()) {
        if (integrity.text(0) != "ok") {
            report.errors.push_back(fmt::format("database: {}", integrity.text(0)));
        }
    }
    Statement references(database, "PRAGMA foreign_key_check");
    for (size_t told = 0; references.step() && told < most_told; ++told) {
        report.errors.push_back(fmt::format("table {}: row {} refers to a row of {} that is not there",
                                            references.text(0), references.integer(1), references.text(2)));
    }
}

void check_legacy_hash(const Configuration& configuration, VerifyReport& report) {
    if (!configuration.legacy_hash || !configuration.stored) {
        return;
    }
    const auto json = nlohmann::json::parse(*configuration.stored, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) {
        report.errors.push_back(fmt::format("configuration {}: its stored text is damaged", configuration.id));
        return;
    }
    if (const auto match = match_legacy_hash(configuration.call.operation, json)) {
        ++report.variants[std::string(variant_name(match->variant))];
        return;
    }
    ++report.other_hashes;
    if (report.other_hashes <= most_told) {
        report.warnings.push_back(fmt::format("configuration {} ({}): no known variant gives its config_hash {}",
                                              configuration.id, configuration.call.operation,
                                              *configuration.legacy_hash));
    }
}

void check_configurations(Store& store, VerifyReport& report) {
    size_t wrong = 0;
    store.visit({.with_texts = true}, [&](Configuration& configuration) {
        ++report.configurations;
        ++(configuration.call.bound ? report.bound : report.unbound);
        if (identity(configuration.call, configuration.hardware) != configuration.identity && ++wrong <= most_told) {
            report.errors.push_back(fmt::format("configuration {} ({}): its arguments do not give its identity {}",
                                                configuration.id, configuration.call.operation,
                                                configuration.identity));
        }
        if (configuration.executions.empty()) {
            report.warnings.push_back(
                fmt::format("configuration {}: no run executed it ('tracelift gc' removes it)", configuration.id));
        }
        check_legacy_hash(configuration, report);
        return true;
    });
}

void read_groups(Database& database, VerifyReport& report) {
    Statement select(database,
                     "SELECT o.name, c.identity, count(*) FROM configuration c JOIN operation o ON o.id = "
                     "c.operation_id GROUP BY c.identity HAVING count(*) > 1 ORDER BY count(*) DESC, o.name");
    while (select.step()) {
        report.groups.push_back({std::string(select.text(0)), std::string(select.text(1)), select.integer(2)});
    }
}

}  // namespace

VerifyReport verify_store(Store& store) {
    VerifyReport report;
    Database& database = store.database();
    check_database(database, report);
    check_configurations(store, report);
    read_groups(database, report);
    const auto count = [&](std::string_view sql) { return static_cast<uint64_t>(database.integer(sql)); };
    report.identities = count("SELECT count(DISTINCT identity) FROM configuration");
    report.with_unparsed = count("SELECT count(*) FROM configuration WHERE unparsed > 0");
    report.with_lost = count("SELECT count(*) FROM configuration WHERE lost > 0");
    report.unread = count("SELECT count(*) FROM unread");
    report.executions = count("SELECT coalesce(sum(count), 0) FROM execution");
    return report;
}

}  // namespace tracelift
