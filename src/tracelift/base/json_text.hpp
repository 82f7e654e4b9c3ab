// JsonText: writes JSON straight into a string, for output too large to be built as a tree first.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracelift/base/json.hpp"

namespace tracelift {

// INDENTED: by two blanks per level. PYTHON: as json.dumps writes it, with a blank behind ',' and ':', in ASCII.
enum class JsonForm : uint8_t { COMPACT, INDENTED, PYTHON };
enum class JsonCharacters : uint8_t { ALL, ASCII };  // ASCII: the others as \uXXXX

// Appends `text` in quotation marks. Bytes that are not UTF-8 become U+FFFD, since JSON cannot hold them.
void append_json_string(std::string& out, std::string_view text, JsonCharacters characters = JsonCharacters::ALL);

// The text of a tree on one line, or indented by that many blanks. Never throws: bytes that are not UTF-8 are replaced.
std::string json_text(const Json& json, int indent = -1, JsonCharacters characters = JsonCharacters::ALL);

// Calls must pair up as in the document: begin and end, key and value. Looks like nlohmann's dump() and dump(2).
class JsonText {
public:
    // `depth`: how deep in an indented document the value stands that is written here.
    explicit JsonText(JsonForm form = JsonForm::COMPACT, size_t depth = 0) : form_(form), depth_(depth) {}

    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    void begin_object() { begin('{'); }
    void end_object() { end('}'); }

    void key(std::string_view name) {
        separate();
        append_json_string(out_, name, characters());
        out_ += form_ == JsonForm::COMPACT ? ":" : ": ";
        after_key_ = true;
    }

    void text(std::string_view value) {
        separate();
        append_json_string(out_, value, characters());
    }

    void number(std::integral auto value) {
        separate();
        char digits[24];
        out_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
    }

    // JSON as it is.
    void raw(std::string_view json) {
        separate();
        out_ += json;
    }

    template <class Range>
    void numbers(const Range& values) {
        begin_array();
        for (const auto value : values) {
            number(value);
        }
        end_array();
    }

    template <class Range>
    void texts(const Range& values) {
        begin_array();
        for (const auto& value : values) {
            text(value);
        }
        end_array();
    }

    // What has been written; the owner may take it away or clear it at any time.
    std::string& buffer() { return out_; }

private:
    void begin(char bracket) {
        separate();
        out_ += bracket;
        ++open_;
        first_ = true;
    }

    void end(char bracket) {
        --open_;
        if (!first_) {
            new_line();
        }
        out_ += bracket;
        first_ = false;
    }

    void separate() {
        if (after_key_ || open_ == 0) {
            after_key_ = false;
            return;
        }
        if (!first_) {
            out_ += form_ == JsonForm::PYTHON ? ", " : ",";
        }
        first_ = false;
        new_line();
    }

    JsonCharacters characters() const {
        return form_ == JsonForm::PYTHON ? JsonCharacters::ASCII : JsonCharacters::ALL;
    }

    void new_line() {
        if (form_ == JsonForm::INDENTED) {
            out_ += '\n';
            out_.append(2 * (depth_ + open_), ' ');
        }
    }

    JsonForm form_;
    size_t depth_;
    size_t open_ = 0;  // arrays and objects begun here
    bool first_ = true;
    bool after_key_ = false;
    std::string out_;
};

}  // namespace tracelift
