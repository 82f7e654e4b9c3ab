#include "tracelift/report/report_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/report/report_error.hpp"

namespace tracelift::report {
namespace {

constexpr size_t release_step = size_t{32} << 20;

uint64_t fnv(uint64_t hash, std::string_view bytes) {
    for (const char c : bytes) {
        hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

}  // namespace

JsonFile::JsonFile(const std::filesystem::path& path) : name_(path.filename().string()), file_(path) {}

Element JsonFile::parse(simdjson::dom::parser& parser, Span span, std::string_view what) const {
    if (span.size() > largest_piece) {
        throw ReportError(fmt::format("{}: {}: {} bytes, more than the {} that a part of a report may have", name_,
                                      what, span.size(), largest_piece));
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(file_.text().data() + span.begin);
    Element element;
    // The padding of the mapped file lets the parser read on behind the piece.
    const auto error = parser.parse(bytes, span.size(), false).get(element);
    if (error != simdjson::SUCCESS) {
        throw ReportError(
            fmt::format("{}: {} (byte {}): broken JSON: {}", name_, what, span.begin, simdjson::error_message(error)));
    }
    return element;
}

Element JsonFile::parse(simdjson::dom::parser& parser, Span span, std::string_view what, size_t index) const {
    const auto* bytes = reinterpret_cast<const uint8_t*>(file_.text().data() + span.begin);
    Element element;
    if (span.size() <= largest_piece && parser.parse(bytes, span.size(), false).get(element) == simdjson::SUCCESS) {
        return element;
    }
    return parse(parser, span, fmt::format("{} {}", what, index));  // fails, with all words
}

bool JsonFile::for_each_element(Span array, const std::function<void(Span)>& visit) const {
    JsonScan scan = this->scan(array.begin);
    if (!scan.take('[')) {
        return false;
    }
    if (scan.take(']')) {
        return true;
    }
    do {
        visit(scan.value());
    } while (scan.take(','));
    scan.expect(']', "',' or ']'");
    return true;
}

bool JsonFile::for_each_member(Span object, const std::function<void(std::string_view, Span)>& visit) const {
    JsonScan scan = this->scan(object.begin);
    if (!scan.take('{')) {
        return false;
    }
    if (scan.take('}')) {
        return true;
    }
    do {
        const Span key = scan.string();
        scan.expect(':', "':'");
        visit(file_.text().substr(key.begin + 1, key.size() - 2), scan.value());
    } while (scan.take(','));
    scan.expect('}', "',' or '}'");
    return true;
}

ReportFile::ReportFile(const std::filesystem::path& path, Progress progress)
    : json_(path), progress_(std::move(progress)) {
    JsonScan scan = json_.scan(0);
    scan.expect('{', "a report, which is an object");
    if (!scan.take('}')) {
        do {
            const Span key = scan.string();
            const std::string name(json_.text({key.begin + 1, key.end - 1}));
            scan.expect(':', "':'");
            if (name == "graph" && scan.peek() == '[') {
                read_graph(scan);
            } else {
                keys_[name] = scan.value();
            }
        } while (scan.take(','));
        scan.expect('}', "',' or '}'");
    }
    if (scan.peek() != '\0' || scan.position() != json_.file().text().size()) {
        scan.fail("the end of the file");
    }
    if (const auto graph = find("graph")) {
        throw ReportError(fmt::format("{}: key \"graph\" (byte {}): expected a list of nodes", name(), graph->begin));
    }
}

void ReportFile::read_graph(JsonScan& scan) {
    if (has_graph_) {
        scan.fail("only one \"graph\"");
    }
    has_graph_ = true;
    scan.expect('[', "a list of nodes");
    size_t released = 0;
    size_t end = scan.position();
    if (!scan.take(']')) {
        do {
            if (scan.peek() != '{') {
                scan.fail(fmt::format("node {}, which is an object", offsets_.size()));
            }
            const size_t position = offsets_.size();
            std::optional<uint64_t> counter;
            const Span span = scan.node(counter);
            offsets_.push_back(span.begin);
            if (counter.value_or(0) != position) {
                odd_counters_.emplace(counter.value_or(0), position);
                odd_positions_.insert(position);
            }
            end = span.end;
            if (span.end - released > release_step) {
                json_.file().release(released, span.end);
                offsets_.release();
                released = span.end;
                if (progress_) {
                    progress_(span.end / 2);
                }
            }
        } while (scan.take(','));
        scan.expect(']', "',' or ']'");
    }
    offsets_.push_back(end);
}

std::optional<Span> ReportFile::find(std::string_view key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

Span ReportFile::node(size_t position) const {
    const size_t begin = offsets_[position];
    if (position + 2 == offsets_.size()) {
        return {begin, offsets_[position + 1]};
    }
    // Between two nodes stand a comma and blanks.
    size_t end = offsets_[position + 1];
    while (json_.file().text()[end - 1] != '}') {
        --end;
    }
    return {begin, end};
}

std::optional<size_t> ReportFile::position_of(uint64_t counter) const {
    if (!odd_positions_.empty()) {
        if (const auto odd = odd_counters_.find(counter); odd != odd_counters_.end()) {
            return odd->second;
        }
        if (odd_positions_.contains(counter)) {
            return std::nullopt;
        }
    }
    return counter < nodes() ? std::optional<size_t>(counter) : std::nullopt;
}

void ReportFile::passed(size_t position) {
    const size_t at = offsets_[position];
    if (at - released_ > release_step || at < released_) {
        json_.file().release(0, at);
        offsets_.release();
        released_ = at;
        if (progress_) {
            progress_((json_.file().text().size() + at) / 2);
        }
    }
}

std::string ReportFile::fingerprint() const {
    constexpr size_t sample = size_t{1} << 16;
    const std::string_view text = json_.file().text();
    uint64_t hash = fnv(0xCBF29CE484222325ULL, text.substr(0, sample));
    hash = fnv(hash, text.substr(text.size() - std::min(text.size(), sample)));
    return fmt::format("{}-{:016x}", text.size(), hash);
}

}  // namespace tracelift::report
