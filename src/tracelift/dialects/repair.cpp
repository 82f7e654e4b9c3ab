#include "tracelift/dialects/repair.hpp"

#include <algorithm>
#include <cctype>

#include "tracelift/dialects/json_tree.hpp"

namespace tracelift {
namespace {

// Reads pieces off a text; every function moves on only when the whole piece is there.
class Scanner {
public:
    Scanner(std::string_view text, size_t at) : text_(text), at_(at) {}

    size_t at() const { return at_; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void blanks() {
        while (peek() == ' ') {
            ++at_;
        }
    }
    bool literal(std::string_view piece) {
        if (!text_.substr(at_).starts_with(piece)) {
            return false;
        }
        at_ += piece.size();
        return true;
    }
    bool integer() {
        size_t end = at_ + (peek() == '-' ? 1 : 0);
        const size_t digits = end;
        while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) {
            ++end;
        }
        return move_if(end > digits, end);
    }
    bool qualified_name() {
        size_t end = at_;
        while (end < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_' || text_[end] == ':')) {
            ++end;
        }
        return move_if(text_.substr(at_, end - at_).find("::") != std::string_view::npos, end);
    }
    // {"x":<int>,"y":<int>}
    bool core() {
        const size_t start = at_;
        const bool found = literal(R"({"x":)") && integer() && literal(R"(,"y":)") && integer() && literal("}");
        at_ = found ? at_ : start;
        return found;
    }

private:
    bool move_if(bool condition, size_t end) {
        at_ = condition ? end : at_;
        return condition;
    }

    std::string_view text_;
    size_t at_;
};

std::string_view between(std::string_view text, size_t begin, size_t end) { return text.substr(begin, end - begin); }

// R1 "grid":{[..], [..]} -> "grid":[[..], [..]]
std::string bracket_range_sets(std::string text) {
    static constexpr std::string_view mark = R"("grid":{[)";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        const size_t open = at + mark.size() - 2;
        int depth = 0;
        for (size_t i = open; i < text.size(); ++i) {
            depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
            if (depth == 0) {
                text[open] = '[';
                text[i] = ']';
                break;
            }
        }
    }
    return text;
}

// R2 {"x":0,"y":0} - {"x":7,"y":7} -> {"x":0,"y":0}, {"x":7,"y":7}
std::string separate_corners(const std::string& text) {
    static constexpr std::string_view mark = R"({"x":)";
    std::string result;
    result.reserve(text.size());
    size_t at = 0;
    while (at < text.size()) {
        const size_t found = std::min(text.find(mark, at), text.size());
        result += between(text, at, found);
        at = found;
        Scanner scan(text, at);
        if (!scan.core()) {
            result += between(text, at, at + 1);  // also at the end, where there is none
            ++at;
            continue;
        }
        result += between(text, at, scan.at());
        at = scan.at();
        if (scan.literal(" - ") && scan.core()) {
            result += ", ";
            at += std::string_view(" - ").size();
        }
    }
    return result;
}

// R3 {...} -> "..."
std::string quote_opaque_bodies(std::string text) {
    static constexpr std::string_view opaque = "{...}";
    for (size_t at = text.find(opaque); at != std::string::npos; at = text.find(opaque, at)) {
        text.replace(at, opaque.size(), R"("...")");
    }
    return text;
}

// R4 "compute_grid":8,8 -> "compute_grid":[8,8]
size_t bare_pair_end(std::string_view text, size_t begin) {
    Scanner scan(text, begin);
    if (!scan.integer() || !scan.literal(",")) {
        return begin;
    }
    scan.blanks();
    if (!scan.integer()) {
        return begin;
    }
    const size_t end = scan.at();
    scan.blanks();
    return scan.peek() == ',' || scan.peek() == '}' ? end : begin;
}

// R6 "storage_type":StorageType::DEVICE -> "storage_type":"StorageType::DEVICE"
size_t bare_name_end(std::string_view text, size_t begin) {
    Scanner scan(text, begin);
    return scan.qualified_name() ? scan.at() : begin;
}

// Puts brackets or quotes around member values that lack them (R4, R6).
std::string enclose_bare_values(const std::string& text) {
    std::string result;
    size_t done = 0;
    for (size_t colon = text.find("\":"); colon != std::string::npos; colon = text.find("\":", colon + 1)) {
        const size_t begin = colon + 2;
        const size_t pair = bare_pair_end(text, begin);
        const size_t name = bare_name_end(text, begin);
        if (pair == begin && name == begin) {
            continue;
        }
        result += between(text, done, begin);
        result += pair > begin ? '[' : '"';
        done = std::max(pair, name);
        result += between(text, begin, done);
        result += pair > begin ? ']' : '"';
    }
    return result + text.substr(done);
}

// R5 {"arg0": "[{..}, {..}]"} -> {"arg0": [{..}, {..}]}
std::string unquote_array(std::string text) {
    static constexpr std::string_view opening = R"(": "[{)";
    static constexpr std::string_view closing = R"(}]"})";
    const size_t open = text.find(opening);
    const bool is_argument = text.starts_with(R"({"arg)") && open == text.find(R"(":)");
    if (is_argument && open != std::string::npos && text.ends_with(closing)) {
        text.erase(text.size() - 2, 1);
        text.erase(open + 3, 1);
    }
    return text;
}

}  // namespace

std::string repaired_text(std::string_view text) {
    std::string result = quote_opaque_bodies(separate_corners(bracket_range_sets(std::string(text))));
    return unquote_array(enclose_bare_values(result));
}

namespace {

std::optional<Value> parsed(std::string_view text) {
    thread_local JsonParser parser;
    try {
        return parser.parse(text);
    } catch (const JsonError&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<Value> repair(std::string_view text) {
    auto tree = parsed(repaired_text(text));
    return tree && tree->as<Value::Dict>() != nullptr ? std::move(tree) : std::nullopt;
}

std::optional<Value> readable_shape(std::string_view text) {
    static constexpr std::string_view mark = R"("logical_shape":)";
    const size_t at = text.find(mark);
    const size_t open = at == std::string_view::npos ? at : text.find_first_not_of(' ', at + mark.size());
    const size_t close = open == std::string_view::npos ? open : text.find(']', open);
    if (close == std::string_view::npos) {
        return std::nullopt;
    }
    auto tree = parsed(between(text, open, close + 1));
    return tree && tree->as<Value::List>() != nullptr ? std::move(tree) : std::nullopt;
}

}  // namespace tracelift
