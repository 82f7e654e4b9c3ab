#include "tracelift/store/verify.hpp"

#include <fmt/format.h>

#include "tracelift/formats/legacy_hash.hpp"

namespace tracelift {
namespace {

constexpr size_t most_told = 20;  // of one kind of error

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

void check_configurations(Catalog& store, VerifyReport& report, const std::function<void(uint64_t)>& progress) {
    size_t wrong = 0;
    store.visit({.with_texts = true}, [&](Configuration& configuration) {
        ++report.configurations;
        if (progress) {
            progress(report.configurations);
        }
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

}  // namespace

VerifyReport verify_store(Catalog& store, const std::function<void(uint64_t)>& progress) {
    VerifyReport report;
    CatalogFacts facts = store.facts();
    report.errors = std::move(facts.errors);
    check_configurations(store, report, progress);
    report.groups = std::move(facts.groups);
    report.identities = facts.identities;
    report.with_unparsed = facts.with_unparsed;
    report.with_lost = facts.with_lost;
    report.unread = facts.unread;
    report.executions = facts.executions;
    return report;
}

}  // namespace tracelift
