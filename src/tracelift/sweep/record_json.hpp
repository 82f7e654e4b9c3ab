// Results and runs as JSON: the lines of journals.
#pragma once

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

Json to_json(const ResultRecord& record);
Json to_json(const SweepRun& run);
// Throw std::exception that says what is wrong.
ResultRecord record_from_json(const Json& json);
SweepRun run_from_json(const Json& json);

// Our own names and the words of result files; throws std::invalid_argument.
Status status_of_word(std::string_view word);

}  // namespace tracelift
