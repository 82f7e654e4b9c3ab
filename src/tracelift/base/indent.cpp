#include "tracelift/base/indent.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace tracelift {
namespace {

enum class Kind : uint8_t { OTHER, BLANK, QUOTE, OPEN, CLOSE, COMMA, COLON };

constexpr std::array<Kind, 256> kinds = [] {
    std::array<Kind, 256> table{};
    table[' '] = table['\n'] = table['\r'] = table['\t'] = Kind::BLANK;
    table['"'] = Kind::QUOTE;
    table['{'] = table['['] = Kind::OPEN;
    table['}'] = table[']'] = Kind::CLOSE;
    table[','] = Kind::COMMA;
    table[':'] = Kind::COLON;
    return table;
}();

Kind kind_of(char c) { return kinds[static_cast<unsigned char>(c)]; }

// Collects short pieces, which a string would take one by one.
class Pieces {
public:
    explicit Pieces(std::string& out) : out_(out) {}
    ~Pieces() { flush(); }
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    void put(char c) {
        if (size_ == room) {
            flush();
        }
        bytes_[size_++] = c;
    }
    void put(std::string_view text) {
        if (text.size() > room - size_) {
            flush();
        }
        if (text.size() > room) {
            out_ += text;
            return;
        }
        std::memcpy(bytes_.data() + size_, text.data(), text.size());
        size_ += text.size();
    }
    void new_line(size_t depth) {
        static constexpr std::string_view blanks = "\n                                                                ";
        put(blanks.substr(0, 1 + 2 * depth));
        for (size_t i = blanks.size() / 2; i < depth; ++i) {
            put("  ");
        }
    }

private:
    static constexpr size_t room = 4096;
    void flush() {
        out_.append(bytes_.data(), size_);
        size_ = 0;
    }

    std::string& out_;
    std::array<char, room> bytes_;
    size_t size_ = 0;
};

size_t past_string(std::string_view text, size_t quote) {
    size_t end = quote + 1;
    while (end < text.size() && text[end] != '"') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

size_t past_blanks(std::string_view text, size_t at) {
    while (at < text.size() && kind_of(text[at]) == Kind::BLANK) {
        ++at;
    }
    return at;
}

}  // namespace

void indent_json(std::string_view compact, size_t depth, std::string& out) {
    Pieces pieces(out);
    for (size_t i = 0; i < compact.size();) {
        const char c = compact[i];
        size_t next = i + 1;
        switch (kind_of(c)) {
            case Kind::QUOTE:
                next = past_string(compact, i);
                pieces.put(compact.substr(i, next - i));
                break;
            case Kind::OPEN:
                pieces.put(c);
                next = past_blanks(compact, next);
                if (next < compact.size() && kind_of(compact[next]) == Kind::CLOSE) {
                    pieces.put(compact[next++]);
                } else {
                    pieces.new_line(++depth);
                }
                break;
            case Kind::CLOSE:
                depth -= depth > 0 ? 1 : 0;
                pieces.new_line(depth);
                pieces.put(c);
                break;
            case Kind::COMMA:
                pieces.put(c);
                pieces.new_line(depth);
                break;
            case Kind::COLON: pieces.put(": "); break;
            case Kind::BLANK: break;
            case Kind::OTHER: pieces.put(c); break;
        }
        i = next;
    }
}

}  // namespace tracelift
