#include "tracelift/sweep_report/signature.hpp"

#include <algorithm>
#include <map>

#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/verdict.hpp"

namespace tracelift {
namespace {

constexpr size_t longest_signature = 240;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_path(char c) { return is_word(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '~'; }

// Reads a message from left to right; each `skip_` gives where what stands at `at` ends, or `at`.
class Normaliser {
public:
    explicit Normaliser(std::string_view text) : text_(text) {}

    std::string run() {
        while (at_ < text_.size()) {
            const bool inside = at_ > 0 && is_word(text_[at_ - 1]);  // of a name, such as bfloat16
            if (!inside && (replace(skip_address(), "ADDRESS") || replace(skip_path(), "PATH") ||
                            replace(skip_digest(), "ID") || replace(skip_number(at_), "N"))) {
                continue;
            }
            if (!replace(skip_shape(), "SHAPE")) {
                result_ += text_[at_++];
            }
        }
        return std::move(result_);
    }

private:
    bool replace(size_t end, std::string_view by) {
        if (end == at_) {
            return false;
        }
        result_ += by;
        at_ = end;
        return true;
    }
    char look(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    size_t skip_address() const {
        if (look(at_) != '0' || (look(at_ + 1) != 'x' && look(at_ + 1) != 'X') || !is_hex(look(at_ + 2))) {
            return at_;
        }
        size_t end = at_ + 2;
        while (is_hex(look(end))) {
            ++end;
        }
        return end;
    }

    // With its line number: "/usr/x.py:12", "src/a.cpp". Words like and/or are no paths, nor is 1/4.
    size_t skip_path() const {
        size_t end = at_;
        bool slash = false, letter = false;
        while (is_path(look(end))) {
            slash = slash || look(end) == '/';
            letter = letter || is_letter(look(end));
            ++end;
        }
        while (end > at_ && (look(end - 1) == '.' || look(end - 1) == '-')) {
            --end;  // the end of a sentence
        }
        const std::string_view found = text_.substr(at_, end - at_);
        const bool rooted = found.starts_with('/') || found.starts_with("./") || found.starts_with("~/");
        const bool with_extension = slash && found.find('.', found.rfind('/') + 1) != found.npos;
        if (!slash || !letter || !(rooted || with_extension)) {
            return at_;
        }
        while (look(end) == ':' && is_digit(look(end + 1))) {
            for (++end; is_digit(look(end)); ++end) {
            }
        }
        return end;
    }

    // Hashes and addresses without 0x: twelve hexadecimal digits or more, of both kinds.
    size_t skip_digest() const {
        size_t end = at_;
        bool digit = false, letter = false;
        while (is_hex(look(end))) {
            digit = digit || is_digit(look(end));
            letter = letter || is_letter(look(end));
            ++end;
        }
        return end - at_ >= 12 && digit && letter && !is_word(look(end)) ? end : at_;
    }

    size_t skip_number(size_t at) const {
        size_t end = at;
        if (look(end) == '-' || look(end) == '+') {
            ++end;
        }
        if (!is_digit(look(end))) {
            return at;
        }
        while (is_digit(look(end))) {
            ++end;
        }
        if (look(end) == '.' && is_digit(look(end + 1))) {
            for (++end; is_digit(look(end)); ++end) {
            }
        }
        if (look(end) == 'e' || look(end) == 'E') {
            const size_t sign = look(end + 1) == '-' || look(end + 1) == '+' ? 1 : 0;
            if (is_digit(look(end + 1 + sign))) {
                for (end += 1 + sign; is_digit(look(end)); ++end) {
                }
            }
        }
        return is_word(look(end)) && !is_unit(end) ? at : end;
    }
    // What may stand behind a number without a gap: s, ms, B, KB, x as in 8x8.
    bool is_unit(size_t at) const {
        size_t end = at;
        while (is_letter(look(end))) {
            ++end;
        }
        return end - at <= 3 && (!is_word(look(end)) || look(at) == 'x');
    }

    // [1, 1, 32, 32] and (32, 32): numbers and commas in brackets.
    size_t skip_shape() const {
        const char close = look(at_) == '[' ? ']' : look(at_) == '(' ? ')' : '\0';
        if (close == '\0') {
            return at_;
        }
        size_t end = at_ + 1, numbers = 0, commas = 0;
        while (look(end) == ' ' || look(end) == ',' || look(end) == '-' || is_digit(look(end))) {
            commas += look(end) == ',' ? 1 : 0;
            numbers += is_digit(look(end)) && !is_digit(look(end + 1)) ? 1 : 0;
            ++end;
        }
        return look(end) == close && numbers > 0 && (commas > 0 || close == ']') ? end + 1 : at_;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string result_;
};

std::string_view last_line(std::string_view text) {
    const size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) {
        return {};
    }
    text = text.substr(0, end + 1);
    const size_t begin = text.find_last_of('\n');
    return begin == text.npos ? text : text.substr(begin + 1);
}

// The text with OPERATION in the place of a name that stands alone.
std::string replaced(std::string text, std::string_view name) {
    constexpr std::string_view by = "OPERATION";
    for (size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
        const size_t end = at + name.size();
        const bool alone = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
        if (alone) {
            text.replace(at, name.size(), by);
        }
        at += alone ? by.size() : name.size();
    }
    return text;
}

}  // namespace

std::string signature_of(std::string_view message, std::string_view operation) {
    if (message.find("Traceback (most recent call last)") != message.npos) {
        message = last_line(message);
    }
    std::string line = one_line(message, 2000);
    if (!operation.empty()) {
        std::string cpp_name(operation);
        for (size_t at = cpp_name.find('.'); at != cpp_name.npos; at = cpp_name.find('.', at)) {
            cpp_name.replace(at, 1, "::");
        }
        line = replaced(replaced(std::move(line), operation), cpp_name);
    }
    return one_line(Normaliser(line).run(), longest_signature);
}

std::vector<FailureGroup> group_failures(std::span<const ResultRecord> records) {
    std::map<std::pair<Status, std::string>, FailureGroup> groups;
    for (const ResultRecord& record : records) {
        if (!needs_explaining(record.status)) {
            continue;
        }
        std::string signature = signature_of(reason_of(record), operation_of(record));
        FailureGroup& group = groups[{record.status, signature}];
        if (group.example == nullptr) {
            group.status = record.status;
            group.signature = std::move(signature);
            group.example = &record;
        }
        group.operations.insert(operation_of(record));
        group.records.push_back(&record);
    }
    std::vector<FailureGroup> list;
    for (auto& [key, group] : groups) {
        list.push_back(std::move(group));
    }
    std::ranges::stable_sort(list, std::greater{}, [](const FailureGroup& group) { return group.records.size(); });
    return list;
}

}  // namespace tracelift
