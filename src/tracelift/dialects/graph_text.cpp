#include "tracelift/dialects/graph_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/scalar_text.hpp"

namespace tracelift {
namespace {

struct Unreadable {};

constexpr int deepest = 64;

// Their members say enough: format 1 has no name here either.
constexpr std::array dropped_names = {
    std::string_view("TensorSpec"),   std::string_view("TensorLayout"), std::string_view("PageConfig"),
    std::string_view("MemoryConfig"), std::string_view("ShardSpec"),    std::string_view("NdShardSpec"),
    std::string_view("Tile"),         std::string_view("Shape"),        std::string_view("Alignment"),
    std::string_view("SmallVector"),  std::string_view("CoreCoord"),    std::string_view("CoreRangeSet")};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Value whole() {
        Value value = parse_value(/*top=*/true);
        blanks();
        if (at_ != text_.size()) {
            throw Unreadable();
        }
        return value;
    }

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void blanks() {
        while (peek() == ' ' || peek() == '\n') {
            ++at_;
        }
    }
    bool take(std::string_view piece) {
        if (!text_.substr(at_).starts_with(piece)) {
            return false;
        }
        at_ += piece.size();
        return true;
    }
    void expect(char c) {
        blanks();
        if (peek() != c) {
            throw Unreadable();
        }
        ++at_;
    }
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

    std::string_view word() {
        const size_t start = at_;
        while (is_word(peek()) || take("::")) {
            at_ += is_word(peek()) ? 1 : 0;
        }
        return text_.substr(start, at_ - start);
    }

    Value parse_value(bool top = false) {
        if (++depth_ > deepest) {
            throw Unreadable();
        }
        blanks();
        Value value = parse_kind(top);
        --depth_;
        return value;
    }

    Value parse_kind(bool top) {
        const char c = peek();
        if (text_.substr(at_).starts_with("[ unsupported type")) {
            return unsupported();
        }
        if (c == '{' && is_object()) {
            return parse_object();
        }
        if (c == '{' || c == '[') {
            return parse_list(c == '{' ? '}' : ']');
        }
        if (c == '(') {
            return parse_members(')');
        }
        if (c == '"') {
            return parse_quoted();
        }
        if (c == '<') {
            return until(">");
        }
        if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) {
            return parse_number();
        }
        return parse_name(top);
    }

    // {"key": ...
    bool is_object() const {
        size_t ahead = 1;
        while (peek(ahead) == ' ') {
            ++ahead;
        }
        return peek(ahead) == '"';
    }

    Value unsupported() {
        int open = 0;
        const size_t start = at_;
        for (; at_ < text_.size(); ++at_) {
            open += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
            if (open == 0) {
                ++at_;
                return text_.substr(start, at_ - start);
            }
        }
        throw Unreadable();
    }

    Value until(std::string_view end) {
        const size_t start = at_;
        const size_t found = text_.find(end, at_);
        if (found == text_.npos) {
            throw Unreadable();
        }
        at_ = found + end.size();
        return text_.substr(start, at_ - start);
    }

    Value parse_quoted() {
        const size_t end = text_.find('"', at_ + 1);
        if (end == text_.npos) {
            throw Unreadable();
        }
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return inside;
    }

    // Captures forget the closing brace of a range: the next range, or the end of the list, closes it too.
    Value parse_object() {
        expect('{');
        Value::Dict dict;
        while (true) {
            blanks();
            if (peek() != '"') {
                throw Unreadable();
            }
            Value key = parse_quoted();
            expect(':');
            dict.push_back({*key.as<std::string>(), parse_value()});
            blanks();
            if (take("}") || peek() == ']') {
                return dict;
            }
            const size_t comma = at_;
            expect(',');
            blanks();
            if (peek() == '{') {
                at_ = comma;
                return dict;
            }
        }
    }

    // A range of cores is written "from - to".
    Value parse_list(char close) {
        ++at_;
        Value::List list;
        blanks();
        while (peek() != close) {
            list.push_back(parse_value());
            blanks();
            if (take("- ") || take(",")) {
                blanks();
            } else if (peek() != close) {
                throw Unreadable();
            }
        }
        ++at_;
        return list;
    }

    Value parse_number() {
        const size_t start = at_;
        at_ += peek() == '-' ? 1 : 0;
        const auto is_part = [&] {
            const char c = peek();
            const bool sign = (c == '-' || c == '+') && at_ > start && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
            return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == 'e' || c == 'E' || sign;
        };
        while (is_part()) {
            ++at_;
        }
        const std::string_view digits = text_.substr(start, at_ - start);
        if (is_word(peek())) {  // a name that begins with a digit
            word();
            return text_.substr(start, at_ - start);
        }
        Value number = read_text(digits);
        if (number.as<std::string>() != nullptr && digits.find_first_not_of("-0123456789") != digits.npos) {
            throw Unreadable();
        }
        if (peek() == '-' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0) {  // 8-8: a grid
            ++at_;
            return Value::List{std::move(number), parse_number()};
        }
        return number;
    }

    // member=value pairs, or values alone.
    Value parse_members(char close) {
        ++at_;
        blanks();
        Value::Dict dict;
        Value::List list;
        while (peek() != close) {
            const size_t start = at_;
            const std::string_view name = word();
            if (!name.empty() && peek() == '=') {
                ++at_;
                dict.push_back({std::string(name), parse_value()});
            } else {
                at_ = start;
                list.push_back(parse_value());
            }
            blanks();
            if (!take(",") && peek() != close) {
                throw Unreadable();
            }
            blanks();
        }
        ++at_;
        if (!dict.empty() && !list.empty()) {
            throw Unreadable();
        }
        if (list.size() == 1 && list[0].as<Value::List>() != nullptr) {
            return std::move(list[0]);
        }
        return list.empty() ? Value(std::move(dict)) : Value(std::move(list));
    }

    Value parse_name(bool top) {
        const std::string_view name = word();
        if (name.empty()) {
            throw Unreadable();
        }
        if (peek() != '(' && peek() != '{') {
            return name == "true" ? Value(true) : name == "false" ? Value(false) : Value(name);
        }
        Value body = parse_members(peek() == '(' ? ')' : '}');
        const std::string_view plain = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
        if (plain == "Tensor") {
            settle_tensor(body);
        }
        const bool vector = plain == "SmallVector" || plain == "Alignment";
        if (vector || (!top && std::ranges::find(dropped_names, plain) != dropped_names.end())) {
            return body;
        }
        return Value::Dict{{std::string(plain), std::move(body)}};
    }

    static Value* member(Value* tree, std::string_view name) {
        return tree == nullptr ? nullptr : const_cast<Value*>(tree->find(name));
    }

    // {"RowMajorPageConfig": body} -> body; true when it was that kind.
    static bool unwrap(Value* tree, std::string_view kind) {
        const Value::Entry* entry = tree == nullptr ? nullptr : format1::only_entry(*tree);
        const bool hit = entry != nullptr && entry->key == kind;
        if (entry != nullptr && std::isupper(static_cast<unsigned char>(entry->key[0])) != 0) {
            Value body = entry->value;
            *tree = std::move(body);
        }
        return hit;
    }

    // What the names of storage and pages say goes into members of its own.
    static void settle_tensor(Value& body) {
        Value* spec = member(&body, "tensor_spec");
        Value* layout = member(spec, "tensor_layout");
        Value* pages = member(member(layout, "page_config"), "config");
        const bool row_major = unwrap(pages, "RowMajorPageConfig");
        const bool host = unwrap(member(&body, "storage"), "HostStorage");
        const auto* dict = body.as<Value::Dict>();
        if (dict == nullptr || pages == nullptr) {
            return;
        }
        Value::Dict fields = *dict;
        if (body.find("layout") == nullptr) {
            fields.push_back({"layout", row_major ? "Layout::ROW_MAJOR" : "Layout::TILE"});
        }
        if (body.find("storage_type") == nullptr) {
            fields.push_back({"storage_type", host ? "StorageType::HOST" : "StorageType::DEVICE"});
        }
        body = std::move(fields);
    }

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;
};

// Name( or Name{ at the front, or a bracket.
bool has_structure(std::string_view text) {
    const size_t end = text.find_first_of("({[ ,=\"");
    return end != text.npos && (text[end] == '(' || text[end] == '{' || text[end] == '[');
}

}  // namespace

std::optional<Value> cpp_tree(std::string_view text) {
    if (!has_structure(text)) {
        return Value(text);
    }
    try {
        return Parser(text).whole();
    } catch (const Unreadable&) {
        return std::nullopt;
    }
}

Value read_cpp_text(std::string_view text) {
    if (text == "[any, empty]") {
        return {};
    }
    const auto tree = cpp_tree(text);
    if (!tree) {
        return Value::Unparsed{std::string(text), "C++ text of unknown form"};
    }
    try {
        return format1::read_body(*tree);
    } catch (const std::invalid_argument& error) {
        return Value::Unparsed{std::string(text), error.what()};
    }
}

}  // namespace tracelift
