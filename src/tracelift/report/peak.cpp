// Peaks from memory_events.
#include <iterator>
#include <map>
#include <stdexcept>

#include "tracelift/report/questions.hpp"

namespace tracelift::report {
namespace {

struct Peak {
    int64_t bytes = 0;
    int64_t row = 0;  // of the event; 0 for none
};

struct Content {
    Json buffers = Json::array();
    Json circular_buffers = Json::array();
};

// What was in memory after an event: goes through all events up to it.
class Replay {
public:
    explicit Replay(bool l1) : l1_(l1) {}

    void step(const Statement& event) {
        const std::string_view kind = event.text(2);
        if (kind == "release") {
            circular_.clear();
        } else if (kind == "circular_buffer") {
            circular_.push_back({{"size", event.integer(6)}, {"counter", event.integer(0)}});
        } else if (is_wanted(event)) {
            change(event, kind);
        }
    }

    Content content() const {
        Content content;
        for (const auto& [key, buffer] : buffers_) {
            content.buffers.push_back(buffer);
        }
        if (l1_) {
            for (const Json& buffer : circular_) {
                content.circular_buffers.push_back(buffer);
            }
        }
        return content;
    }

private:
    // The totals count by the coarse kind of memory: TRACE lies in DRAM, everything else in L1.
    bool is_wanted(const Statement& event) const {
        const int64_t type = event.integer(7);
        return !event.is_null(7) && (type == 0 || type == 4) != l1_;
    }

    void change(const Statement& event, std::string_view kind) {
        const std::string key = !event.is_null(3)
                                    ? "buffer " + std::to_string(event.integer(3))
                                    : std::to_string(event.integer(4)) + " " + std::to_string(event.integer(5));
        if (kind != "free") {
            // A function that makes a buffer in its first step has it counted as input too: the definition of the peak.
            buffers_.emplace(key, Json{{"size", event.integer(6)},
                                       {"buffer", event.is_null(3) ? Json() : Json(event.integer(3))},
                                       {"device_id", event.is_null(4) ? Json() : Json(event.integer(4))},
                                       {"address", event.is_null(5) ? Json() : Json(event.integer(5))},
                                       {"operation_id", event.is_null(1) ? Json() : Json(event.integer(1))},
                                       {"kind", std::string(kind)}});
        } else if (const auto last = buffers_.upper_bound(key); buffers_.contains(key)) {
            buffers_.erase(std::prev(last));
        } else {
            // Freed although never counted: from before the capture.
            buffers_.emplace(key + " before",
                             Json{{"size", -event.integer(6)}, {"kind", "freed, from before the capture"}});
        }
    }

    bool l1_;
    std::multimap<std::string, Json> buffers_;
    std::vector<Json> circular_;
};

Json explain(Database& database, int64_t report_id, const Peak& peak, bool l1) {
    Json answer = {{"bytes", peak.bytes}};
    if (peak.row == 0) {
        return answer;
    }
    Statement events(database,
                     "SELECT counter, operation_id, kind, buffer, device_id, address, size, buffer_type, rowid FROM "
                     "memory_events WHERE report_id = ? AND rowid <= ? ORDER BY rowid");
    events.with(report_id, peak.row);
    Replay replay(l1);
    while (events.step()) {
        replay.step(events);
        if (events.integer(8) == peak.row) {
            answer["counter"] = events.integer(0);
            answer["operation_id"] = events.is_null(1) ? Json() : Json(events.integer(1));
        }
    }
    Statement name(database,
                   "SELECT o.name FROM operations o JOIN reports r ON r.rank = o.rank WHERE o.operation_id = ? AND "
                   "r.report_id = ?");
    if (answer["operation_id"].is_number() && name.with(answer["operation_id"].get<int64_t>(), report_id).step()) {
        answer["operation"] = std::string(name.text(0));
    }
    const Content content = replay.content();
    answer["buffers"] = content.buffers;
    answer["circular_buffers"] = content.circular_buffers;
    return answer;
}

Peak find(Database& database, int64_t report_id, std::string_view total) {
    const std::string sql = "SELECT " + std::string(total) +
                            " AS total, rowid FROM memory_events WHERE report_id = ? AND total > 0 ORDER BY total "
                            "DESC, rowid LIMIT 1";
    Statement highest(database, sql);
    return highest.with(report_id).step() ? Peak{highest.integer(0), highest.integer(1)} : Peak();
}

}  // namespace

Json ask_peak(Database& database) {
    if (database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'memory_events'") == 0) {
        throw std::runtime_error("the database has no memory events: import the report with rules r");
    }
    Json answer = Json::array();
    Statement reports(database, "SELECT report_id, name, rank FROM reports ORDER BY report_id");
    while (reports.step()) {
        const int64_t id = reports.integer(0);
        answer.push_back({{"report", std::string(reports.text(1))},
                          {"rank", reports.integer(2)},
                          {"l1", explain(database, id, find(database, id, "l1_total + cb_total"), true)},
                          {"dram", explain(database, id, find(database, id, "dram_total"), false)}});
    }
    return answer;
}

}  // namespace tracelift::report
