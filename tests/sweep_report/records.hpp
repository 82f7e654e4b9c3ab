// Records of sweeps that the tests report on.
#pragma once

#include <string>

#include <fmt/format.h>

#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift {

inline ResultRecord record_of(std::string id, Status status, std::string reason = {}) {
    ResultRecord record;
    record.vector_id = std::move(id);
    record.sweep_name = record.operation = "ttnn.sigmoid_accurate";
    record.suite = "model_traced";
    record.status = status;
    record.exception = status == Status::PASS ? std::string() : std::move(reason);
    record.milliseconds = 600;
    record.started = "2026-01-15T10:46:16.000Z";
    record.parameters = Json{{"traced_config_name", record.vector_id}};
    return record;
}

// What every output has to survive.
inline constexpr std::string_view hostile =
    "]]> <script>alert('x')</script> & \"quoted\" %0A ::error:: | `code` \\ \n\r\n\x01\x1b[31mred \xff\xfe "
    "\xef\xbf\xbe end";

// The thirty vectors of the guide: PCC from 0.999989 to 1, 0.6 s each.
inline ResultSet thirty() {
    ResultSet set{.label = "run 1"};
    for (int i = 0; i < 30; ++i) {
        ResultRecord record = record_of(fmt::format("vector_{}", i), Status::PASS);
        record.pcc = i == 0 ? 0.999989 : i == 1 ? 1.0 : i == 29 ? 0.999994 : 0.9999962593;
        record.message = fmt::format("{}", *record.pcc);
        set.results.push_back(std::move(record));
    }
    return set;
}

}  // namespace tracelift
