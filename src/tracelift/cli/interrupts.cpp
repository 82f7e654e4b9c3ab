#include "tracelift/cli/interrupts.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <string_view>

namespace tracelift::cli {
namespace {

constexpr int watched[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t signal_that_came = 0;

void note(int signal) { signal_that_came = signal; }

// A signal that came is not noted a second time; the other one still is.
bool are_noted() {
    return std::ranges::any_of(watched, [](int signal) {
        struct sigaction action {};
        return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == note;
    });
}

}  // namespace

Interrupts::Interrupts() : inner_(are_noted()) {
    if (inner_) {
        return;
    }
    signal_that_came = 0;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : watched) {
        sigaction(signal, &action, nullptr);
    }
}

Interrupts::~Interrupts() {
    if (inner_) {
        return;
    }
    for (const int signal : watched) {
        std::signal(signal, SIG_DFL);
    }
}

int Interrupts::arrived() { return signal_that_came; }

void Interrupts::check() {
    if (signal_that_came != 0) {
        throw Interrupted{signal_that_came};
    }
}

const char* signal_name(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "a signal"; }

std::string shell_words(const std::vector<std::string>& words) {
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
    };
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (!word.empty() && std::ranges::all_of(word, is_plain)) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) {
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        text += '\'';
    }
    return text;
}

}  // namespace tracelift::cli
