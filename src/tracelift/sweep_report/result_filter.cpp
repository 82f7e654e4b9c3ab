#include "tracelift/sweep_report/result_filter.hpp"

#include <algorithm>

namespace tracelift {
namespace {

// "ttnn.add" of "ttnn::add"; other names stay.
std::string dotted(std::string_view name) {
    std::string text(name);
    for (size_t at = text.find("::"); at != text.npos; at = text.find("::", at)) {
        text.replace(at, 2, ".");
    }
    return text;
}

// Whether `part` stands in `name` between dots or ends.
bool has_part(std::string_view name, std::string_view part) {
    for (size_t at = name.find(part); at != name.npos; at = name.find(part, at + 1)) {
        const size_t end = at + part.size();
        if ((at == 0 || name[at - 1] == '.') && (end == name.size() || name[end] == '.')) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool set_status(ResultFilter& filter, std::string_view word) {
    filter.status = ttnn::member_of<Status>(word);
    if (!filter.status) {
        std::string words(word);
        std::ranges::replace(words, '_', ' ');
        filter.verdict = ttnn::member_of<Verdict>(words);
    }
    return filter.status || filter.verdict;
}

bool matches(const ResultFilter& filter, const ResultRecord& record) {
    const std::string operation = dotted(filter.operation);
    return (operation.empty() || has_part(dotted(record.operation), operation) ||
            has_part(record.sweep_name, operation)) &&
           (!filter.status || record.status == *filter.status) &&
           (!filter.verdict || verdict_of(record.status) == *filter.verdict) &&
           (filter.since.empty() || record.started >= filter.since);
}

}  // namespace tracelift
