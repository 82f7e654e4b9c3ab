#include "tracelift/catalog/sqlite/known_rows.hpp"

#include <algorithm>
#include <tuple>

#include "tracelift/catalog/sqlite/rows.hpp"

namespace tracelift {
namespace {

constexpr size_t most_rows = 500'000;  // about 50 MB of texts, 20 MB of executions

std::string_view view(const TextDigest::Bytes& digest) { return {digest.data(), digest.size()}; }

}  // namespace

std::optional<KnownRows> KnownRows::read(Database& database) {
    KnownRows rows;
    const bool all = rows.read_texts(database) && rows.read_executions(database);
    return all ? std::optional(std::move(rows)) : std::nullopt;
}

bool KnownRows::read_texts(Database& database) {
    // In the order of an index that holds all four.
    Statement select(database,
                     "SELECT digest, ordinal, identity, id FROM configuration WHERE digest IS NOT NULL ORDER BY "
                     "digest, ordinal");
    while (select.step()) {
        const auto [digest, ordinal, identity, id] = select.row<std::string_view, int64_t, std::string_view, int64_t>();
        StoredText text{{}, id, ordinal, identities_.size(), identity.size()};
        if (digest.size() != text.digest.size()) {
            continue;  // of an older kind, which no text has any more
        }
        if (texts_.size() == most_rows) {
            return false;
        }
        digest.copy(text.digest.data(), text.digest.size());
        identities_ += identity;
        texts_.push_back(text);
    }
    return true;
}

bool KnownRows::read_executions(Database& database) {
    Select<stored::ExecutionRow> select(database, "ORDER BY configuration_id, trace_run_id, model_id");
    for (stored::ExecutionRow row; select.next(row);) {
        if (executions_.size() == most_rows) {
            return false;
        }
        executions_.push_back({row.configuration_id, row.trace_run_id, row.model_id, row.count, row.nanoseconds});
    }
    return true;
}

std::optional<KnownRows::Text> KnownRows::text(std::string_view digest) const {
    const auto found =
        std::ranges::lower_bound(texts_, digest, {}, [](const StoredText& text) { return view(text.digest); });
    if (found == texts_.end() || view(found->digest) != digest) {
        return std::nullopt;
    }
    return Text{found->id, found->ordinal,
                std::string_view(identities_).substr(found->identity_begin, found->identity_size)};
}

KnownRows::Execution* KnownRows::execution(int64_t configuration, int64_t run, int64_t model) {
    const auto key = [](const Execution& each) { return std::tuple(each.configuration, each.run, each.model); };
    const std::tuple wanted(configuration, run, model);
    const auto found = std::ranges::lower_bound(executions_, wanted, {}, key);
    return found != executions_.end() && key(*found) == wanted ? &*found : nullptr;
}

}  // namespace tracelift
