#include "tracelift/report/json_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "tracelift/report/report_error.hpp"

namespace tracelift::report {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Characters that matter inside an object or array.
constexpr auto structure = [] {
    std::array<bool, 256> table = {};
    for (const char c : {'"', '{', '}', '[', ']'}) {
        table[static_cast<uint8_t>(c)] = true;
    }
    return table;
}();

}  // namespace

char JsonScan::peek() {
    while (at_ < text_.size() && is_blank(text_[at_])) {
        ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonScan::take(char wanted) {
    if (peek() != wanted || at_ == text_.size()) {
        return false;
    }
    ++at_;
    return true;
}

void JsonScan::expect(char wanted, std::string_view what) {
    if (!take(wanted)) {
        fail(what);
    }
}

void JsonScan::skip_string() {
    const size_t begin = at_++;
    for (;;) {
        const void* found = std::memchr(text_.data() + at_, '"', text_.size() - at_);
        if (found == nullptr) {
            fail_at(begin, "the end of the string that begins here");
        }
        const auto quote = static_cast<size_t>(static_cast<const char*>(found) - text_.data());
        size_t backslashes = 0;
        while (quote - backslashes > begin + 1 && text_[quote - backslashes - 1] == '\\') {
            ++backslashes;
        }
        at_ = quote + 1;
        if (backslashes % 2 == 0) {
            return;
        }
    }
}

Span JsonScan::string() {
    if (peek() != '"') {
        fail("a string");
    }
    const size_t begin = at_;
    skip_string();
    return {begin, at_};
}

Span JsonScan::container(std::optional<uint64_t>* counter) {
    constexpr std::string_view counter_key = "\"counter\"";
    const size_t begin = at_;
    size_t depth = 0;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (!structure[static_cast<uint8_t>(c)]) {
            ++at_;
            continue;
        }
        if (c == '"') {
            const size_t string_begin = at_;
            skip_string();
            if (counter != nullptr && depth == 1 && at_ - string_begin == counter_key.size() &&
                text_.substr(string_begin, counter_key.size()) == counter_key && peek() == ':') {
                ++at_;
                peek();
                uint64_t number = 0;
                const char* end = text_.data() + text_.size();
                const auto read = std::from_chars(text_.data() + at_, end, number);
                *counter = read.ec == std::errc() ? std::optional(number) : std::nullopt;
            }
            continue;
        }
        ++at_;
        if (c == '{' || c == '[') {
            ++depth;
        } else if (--depth == 0) {
            return {begin, at_};
        }
    }
    fail_at(begin,
            text_[begin] == '{' ? "the end of the object that begins here" : "the end of the array that begins here");
}

Span JsonScan::value() {
    const char first = peek();
    if (first == '{' || first == '[') {
        return container(nullptr);
    }
    if (first == '"') {
        return string();
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']') {
        ++at_;
    }
    if (at_ == begin) {
        fail("a value");
    }
    return {begin, at_};
}

Span JsonScan::node(std::optional<uint64_t>& counter) {
    counter.reset();
    return container(&counter);
}

void JsonScan::fail_at(size_t position, std::string_view expected) {
    const std::string_view before = text_.substr(0, position);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    throw ReportError(fmt::format("{}: broken JSON at line {} column {} (byte {}): expected {}{}", name_, line,
                                  position - line_begin + 1, position, expected,
                                  position >= text_.size() ? ", found the end of the file" : ""));
}

}  // namespace tracelift::report
