#include "tracelift/replay/replay_summary.hpp"

#include <numeric>

#include "tracelift/value/json.hpp"

namespace tracelift {

size_t OutcomeCounts::total() const { return std::accumulate(counts.begin(), counts.end(), size_t{0}); }

Json OutcomeCounts::json() const {
    Json json = {{"total", total()}};
    for (const auto& member : ttnn::EnumInfo<Outcome>::members) {
        json[std::string(member.name)] = (*this)[member.value];
    }
    return json;
}

void ReplaySummary::add(const Replayed& replayed) {
    ++overall[replayed.outcome];
    ++operations[cpp_name(replayed.call->call.operation)][replayed.outcome];
}

bool ReplaySummary::good() const {
    const size_t bad = overall[Outcome::DIFFERS] + overall[Outcome::REJECTED] + overall[Outcome::FAILED];
    const size_t ran = overall[Outcome::MATCHED] + overall[Outcome::MATCHED_WITH_LOST_ARGUMENTS] +
                       overall[Outcome::NOT_JUDGED] + overall[Outcome::TOO_LARGE];
    return bad == 0 && ran != 0;
}

Json ReplaySummary::json() const {
    Json json = overall.json();
    Json& list = json["operations"] = Json::object();
    for (const auto& [name, counts] : operations) {
        list[name] = counts.json();
    }
    return json;
}

Json replayed_json(const Replayed& replayed) {
    const CallResult& result = replayed.result;
    return {{"operation", cpp_name(replayed.call->call.operation)},
            {"place", replayed.call->place},
            {"identity", replayed.call->identity},
            {"outcome", ttnn::member_name(replayed.outcome)},
            {"reason", replayed.reason},
            {"outputs", result.outputs},
            {"pcc", to_json(Value(result.pcc))},
            {"max_ulp", to_json(Value(result.max_ulp))},
            {"max_absolute", to_json(Value(result.max_absolute))},
            {"call_milliseconds", replayed.call_milliseconds}};
}

}  // namespace tracelift
