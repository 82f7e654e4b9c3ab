#include "tracelift/cli/query.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tracelift/store/lookup.hpp"

namespace tracelift::cli {
namespace {

using Stores = std::initializer_list<Catalog*>;

std::string listed(const std::set<std::string>& names) {
    return names.empty() ? "none is stored" : fmt::format("stored: {}", fmt::join(names, ", "));
}

void check_hardware(Stores stores, const std::string& wanted) {
    std::set<std::string> known;
    for (Catalog* store : stores) {
        std::ranges::copy(store->device_series(), std::inserter(known, known.end()));
    }
    if (!known.contains(wanted)) {
        throw UsageError{fmt::format("--hardware: nothing was captured on '{}'; {}", wanted, listed(known))};
    }
}

void check_stored_model(Stores stores, const std::string& wanted) {
    for (auto store = stores.begin(); store != stores.end(); ++store) {
        try {
            check_model(**store, wanted);
            return;
        } catch (const std::runtime_error& error) {
            if (store + 1 == stores.end()) {
                throw UsageError{fmt::format("--model: {}", error.what())};
            }
        }
    }
}

// A date with as much of the time as one likes, in the form that the store compares.
std::string checked_time(const std::string& text) {
    constexpr std::string_view form = "dddd-dd-dd dd:dd:dd";
    std::string time = text;
    std::ranges::replace(time, 'T', ' ');
    const std::array<size_t, 5> ends{4, 7, 10, 16, 19};  // a year, a month, a day, minutes, seconds
    bool fits = std::ranges::find(ends, time.size()) != ends.end();
    for (size_t i = 0; fits && i < time.size(); ++i) {
        fits = form[i] == 'd' ? time[i] >= '0' && time[i] <= '9' : time[i] == form[i];
    }
    const auto part = [&](size_t at) { return std::stoi(time.substr(at, 2)); };
    const bool real = fits && (time.size() < 7 || (part(5) >= 1 && part(5) <= 12)) &&
                      (time.size() < 10 || (part(8) >= 1 && part(8) <= 31)) &&
                      (time.size() < 16 || (part(11) <= 23 && part(14) <= 59)) && (time.size() < 19 || part(17) <= 60);
    if (!real) {
        throw UsageError{
            fmt::format("--since takes a date such as 2026-01-31 or '2026-01-31 10:00:00', got '{}'", text)};
    }
    return time;
}

void check_since(Stores stores, const std::string& time) {
    std::set<std::string> starts;
    for (Catalog* store : stores) {
        for (const RunSummary& run : store->runs()) {
            starts.insert(run.run.started);
        }
    }
    if (starts.lower_bound(time) == starts.end()) {
        throw UsageError{starts.empty()
                             ? "--since: no run is stored"
                             : fmt::format("--since: no run began since '{}'; the {} stored began from {} to {}", time,
                                           starts.size(), *starts.begin(), *starts.rbegin())};
    }
}

ConfigurationQuery query_of(Stores stores, const Options& options) {
    ConfigurationQuery query;
    query.model = options.value_or("--model", "");
    query.hardware = options.value_or("--hardware", "");
    if (!query.model.empty()) {
        check_stored_model(stores, query.model);
    }
    if (!query.hardware.empty()) {
        check_hardware(stores, query.hardware);
    }
    if (const auto since = options.value("--since")) {
        query.since = checked_time(*since);
        check_since(stores, query.since);
    }
    return query;
}

}  // namespace

ConfigurationQuery checked_query(Catalog& store, const Options& options) { return query_of({&store}, options); }

ConfigurationQuery checked_query(Catalog& a, Catalog& b, const Options& options) { return query_of({&a, &b}, options); }

}  // namespace tracelift::cli
