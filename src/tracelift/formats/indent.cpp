#include "tracelift/formats/indent.hpp"

namespace tracelift {
namespace {

void new_line(size_t depth, std::string& out) {
    out += '\n';
    out.append(2 * depth, ' ');
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void indent_json(std::string_view compact, size_t depth, std::string& out) {
    for (size_t i = 0; i < compact.size(); ++i) {
        const char c = compact[i];
        if (c == '"') {
            size_t end = i + 1;
            while (end < compact.size() && compact[end] != '"') {
                end += compact[end] == '\\' ? 2 : 1;
            }
            out += compact.substr(i, end - i + 1);
            i = end;
        } else if (c == '{' || c == '[') {
            size_t next = i + 1;
            while (next < compact.size() && is_blank(compact[next])) {
                ++next;
            }
            out += c;
            if (next < compact.size() && (compact[next] == '}' || compact[next] == ']')) {
                out += compact[next];
                i = next;
            } else {
                new_line(++depth, out);
            }
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
            new_line(depth, out);
            out += c;
        } else if (c == ',') {
            out += c;
            new_line(depth, out);
        } else if (c == ':') {
            out += ": ";
        } else if (!is_blank(c)) {
            out += c;
        }
    }
}

}  // namespace tracelift
