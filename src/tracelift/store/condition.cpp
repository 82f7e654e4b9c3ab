#include "tracelift/store/condition.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/catalog/value_path.hpp"

namespace tracelift {
namespace {

enum class Kind { AND, OR, NOT, TEST };

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Without blanks and case, so that [1, 32] and [1,32] are one.
std::string folded(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ') {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return result;
}

bool compare(std::string_view sign, const Value& value, std::string_view wanted) {
    std::string text = plain_text(value);
    const auto* flag = value.as<bool>();
    if (flag != nullptr && (wanted == "0" || wanted == "1")) {
        text = *flag ? "1" : "0";
    }
    const auto left = number_of(text);
    const auto right = number_of(wanted);
    const std::string a = folded(text);
    const std::string b = folded(wanted);
    if (sign == "~") {
        return a.find(b) != a.npos;
    }
    const int order = left && right ? (*left < *right ? -1 : *left > *right ? 1 : 0) : a.compare(b);
    if (sign == "=" || sign == "!=") {
        return (order == 0) == (sign == "=");
    }
    return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

}  // namespace

struct Condition::Node {
    Kind kind = Kind::TEST;
    std::vector<std::unique_ptr<Node>> parts{};
    std::string path{}, sign{}, wanted{};

    void collect_paths(std::vector<std::string>& paths) const {
        if (kind == Kind::TEST) {
            paths.push_back(path);
        }
        for (const auto& part : parts) {
            part->collect_paths(paths);
        }
    }

    bool holds(const Configuration& configuration) const {
        const auto holds_part = [&](const auto& part) { return part->holds(configuration); };
        switch (kind) {
            case Kind::AND: return std::ranges::all_of(parts, holds_part);
            case Kind::OR: return std::ranges::any_of(parts, holds_part);
            case Kind::NOT: return !parts[0]->holds(configuration);
            case Kind::TEST: break;
        }
        const auto values = values_at(configuration, path);
        if (sign.empty()) {
            return std::ranges::any_of(values, [](const Value& value) { return !value.is_null(); });
        }
        if (values.empty()) {
            return compare(sign, Value(), wanted);  // `dim=none` finds what was not given
        }
        return std::ranges::any_of(values, [&](const Value& value) { return compare(sign, value, wanted); });
    }
};

namespace {

using Node = Condition::Node;

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::unique_ptr<Node> whole() {
        auto node = several(Kind::OR, "or");
        blanks();
        if (at_ != text_.size()) {
            fail("'and', 'or' or the end");
        }
        return node;
    }

private:
    [[noreturn]] void fail(std::string_view expected) const {
        throw std::invalid_argument(
            fmt::format("in the condition '{}', character {}: expected {}", text_, at_ + 1, expected));
    }
    void blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    static bool is_path(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' || c == ']';
    }
    bool take_word(std::string_view word) {
        blanks();
        const std::string_view rest = text_.substr(at_);
        const bool ends = rest.size() <= word.size() || !is_path(rest[word.size()]);
        if (folded(rest.substr(0, word.size())) != word || !ends) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    std::unique_ptr<Node> several(Kind kind, std::string_view word) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        do {
            node->parts.push_back(kind == Kind::OR ? several(Kind::AND, "and") : test());
        } while (take_word(word));
        return node->parts.size() == 1 ? std::move(node->parts[0]) : std::move(node);
    }

    std::unique_ptr<Node> test() {
        if (++depth_ > 100) {
            fail("less depth");
        }
        blanks();
        auto node = std::make_unique<Node>();
        if (at_ < text_.size() && text_[at_] == '(') {
            ++at_;
            node = several(Kind::OR, "or");
            blanks();
            if (at_ >= text_.size() || text_[at_] != ')') {
                fail("')'");
            }
            ++at_;
        } else if (take_word("not")) {
            node->kind = Kind::NOT;
            node->parts.push_back(test());
        } else {
            compared(*node);
        }
        --depth_;
        return node;
    }

    void compared(Node& node) {
        const size_t start = at_;
        while (at_ < text_.size() && is_path(text_[at_])) {
            ++at_;
        }
        node.path = text_.substr(start, at_ - start);
        if (node.path.empty()) {
            fail("a path such as arg0.dtype");
        }
        blanks();
        for (const std::string_view sign : {"!=", "<=", ">=", "==", "=", "<", ">", "~"}) {
            if (text_.substr(at_).starts_with(sign)) {
                at_ += sign.size();
                node.sign = sign == "==" ? "=" : sign;
                node.wanted = value();
                return;
            }
        }
    }

    std::string value() {
        blanks();
        if (at_ == text_.size()) {
            fail("a value");
        }
        const char open = text_[at_];
        const char close = open == '[' ? ']' : open;
        if (open == '"' || open == '\'' || open == '[') {
            const size_t end = text_.find(close, at_ + 1);
            if (end == text_.npos) {
                fail(fmt::format("'{}' somewhere after it", close));
            }
            const size_t start = at_;
            at_ = end + 1;
            return std::string(open == '[' ? text_.substr(start, at_ - start)
                                           : text_.substr(start + 1, end - start - 1));
        }
        const size_t start = at_;
        while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != ')') {
            ++at_;
        }
        return std::string(text_.substr(start, at_ - start));
    }

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Condition::Condition(std::string_view text) : root_(Parser(text).whole()) {}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;

bool Condition::holds(const Configuration& configuration) const { return root_->holds(configuration); }

std::vector<std::string> Condition::paths() const {
    std::vector<std::string> paths;
    root_->collect_paths(paths);
    return paths;
}

}  // namespace tracelift
