#include "tracelift/report/source_place.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tracelift::report {
namespace {

std::optional<int64_t> number_at(std::string_view text, size_t& at) {
    int64_t number = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (read.ec != std::errc()) {
        return std::nullopt;
    }
    at = static_cast<size_t>(read.ptr - text.data());
    return number;
}

std::optional<SourcePlace> python_place(std::string_view line) {
    constexpr std::string_view before = "File \"";
    constexpr std::string_view after = "\", line ";
    const size_t begin = line.find(before);
    const size_t end = begin == line.npos ? begin : line.find(after, begin);
    if (end == line.npos) {
        return std::nullopt;
    }
    size_t at = end + after.size();
    const auto number = number_at(line, at);
    const size_t path = begin + before.size();
    return number ? std::optional(SourcePlace{std::string(line.substr(path, end - path)), *number}) : std::nullopt;
}

std::optional<SourcePlace> short_place(std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == 0 || colon == line.npos) {
        return std::nullopt;
    }
    size_t at = colon + 1;
    const auto number = number_at(line, at);
    if (!number || (at != line.size() && line.substr(at, 4) != " in ")) {
        return std::nullopt;
    }
    const size_t path = line.find_first_not_of(' ');
    return SourcePlace{std::string(line.substr(path, colon - path)), *number};
}

// Places of a trace, line by line, until `visit` has seen enough.
template <class Visit>
void for_each_place(std::string_view trace, Visit visit) {
    while (!trace.empty()) {
        const size_t end = trace.find('\n');
        const std::string_view line = trace.substr(0, end);
        auto place = python_place(line);
        place = place ? std::move(place) : short_place(line);
        if (place && !visit(std::move(*place))) {
            return;
        }
        trace = end == trace.npos ? std::string_view() : trace.substr(end + 1);
    }
}

}  // namespace

std::optional<SourcePlace> first_place(std::string_view trace) {
    std::optional<SourcePlace> first;
    for_each_place(trace, [&](SourcePlace place) {
        first = std::move(place);
        return false;
    });
    return first;
}

std::vector<std::string> files_of(std::string_view trace) {
    std::vector<std::string> files;
    for_each_place(trace, [&](SourcePlace place) {
        if (std::ranges::find(files, place.file) == files.end()) {
            files.push_back(std::move(place.file));
        }
        return true;
    });
    return files;
}

}  // namespace tracelift::report
