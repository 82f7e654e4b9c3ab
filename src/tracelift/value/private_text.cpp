#include "tracelift/value/private_text.hpp"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace tracelift {
namespace {

struct Person {
    std::string home;
    std::string user;
};

const Person& person() {
    static const Person found = [] {
        Person who;
        const char* home = std::getenv("HOME");
        const passwd* entry = getpwuid(getuid());
        who.home = home != nullptr ? home : entry != nullptr ? entry->pw_dir : "";
        who.user = entry != nullptr ? entry->pw_name : "";
        return who;
    }();
    return found;
}

bool ends_name(char c) { return c == '/' || c == '"' || c == '\'' || c == ' ' || c == ':' || c == ',' || c == ')'; }

// Replaces `what` where it begins a path or follows a slash and is a whole name.
std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
    std::string out;
    size_t at = 0;
    while (true) {
        const size_t found = text.find(what, at);
        if (found == std::string_view::npos) {
            return out.append(text.substr(at));
        }
        const size_t behind = found + what.size();
        const bool whole = behind == text.size() || ends_name(text[behind]);
        out.append(text.substr(at, found - at));
        out.append(whole ? by : what);
        at = behind;
    }
}

}  // namespace

std::string private_text(std::string_view text, std::string_view home, std::string_view user) {
    if (text.find('/') == std::string_view::npos) {
        return std::string(text);
    }
    std::string out(text);
    if (home.size() > 1) {
        out = replaced(out, home, "~");
    }
    if (!user.empty()) {
        out = replaced(out, "/" + std::string(user), "/<user>");
    }
    return out;
}

std::string private_text(std::string_view text) { return private_text(text, person().home, person().user); }

}  // namespace tracelift
