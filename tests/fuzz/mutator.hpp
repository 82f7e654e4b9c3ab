// Mutator: makes damaged and merely unusual texts of good ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracelift::fuzzing {

class Mutator {
public:
    explicit Mutator(uint64_t seed) : random_(seed) {}
    size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

    // Mostly by structure: tokens are swapped, dropped and doubled, so that much of it can still be read.
    std::string mutated(std::string text, const std::vector<std::string>& corpus) {
        for (size_t i = 1 + below(5); i > 0 && !text.empty(); --i) {
            const size_t at = below(text.size());
            switch (below(9)) {
                case 0: text[at] = static_cast<char>(random_()); break;
                case 1: text.erase(at, 1 + below(30)); break;
                case 2: text.insert(at, text.substr(below(text.size()), below(120))); break;
                case 3: text.resize(below(8) == 0 ? at : text.size()); break;
                case 4: text.insert(at, word()); break;
                case 5: replace_token(text, at, word()); break;
                case 6: replace_token(text, at, number()); break;
                case 7: swap_values(text, at); break;
                default: {
                    const std::string& other = corpus[below(corpus.size())];
                    text.insert(at, other.substr(below(other.size()), below(200)));
                }
            }
        }
        return text;
    }

private:
    static std::vector<std::string> usual_words() {
        return {"null",
                "true",
                "{}",
                "[]",
                "\"\"",
                "{\"x\":0,\"y\":0}",
                " - ",
                "{...}",
                "nullopt",
                "\"std::nullopt\"",
                "Tensor",
                "MemoryConfig",
                "\"type\":",
                "\"value\":",
                "\"repr\":",
                "\"grid\":{[",
                "NaN",
                "-Infinity",
                "\\u0000",
                "arg0",
                "UnparsedElement",
                "\"executions\":",
                "\"arguments\":",
                "(",
                ")",
                ",",
                ":",
                "\"",
                "::",
                "="};
    }
    const std::string& word() {
        static const std::vector<std::string> words = usual_words();
        return words[below(words.size())];
    }
    std::string number() {
        static const std::vector<std::string> numbers = {
            "0",  "-1",  "1e400",      "18446744073709551615",    "9223372036854775808",
            "-0", "1.5", "4294967296", "99999999999999999999999", "1e-5"};
        return numbers[below(numbers.size())];
    }
    static void replace_token(std::string& text, size_t from, const std::string& with) {
        static constexpr std::string_view edges = ",:[]{}()= \n";
        const size_t begin = text.find_first_not_of(edges, from);
        if (begin != text.npos) {
            const size_t end = std::min(text.find_first_of(edges, begin), text.size());
            text.replace(begin, end - begin, with);
        }
    }
    void swap_values(std::string& text, size_t at) {
        const size_t a = text.find(": ", at);
        const size_t b = text.find(": ", below(text.size()));
        if (a != text.npos && b != text.npos && a + 12 < b && b + 12 < text.size()) {
            const size_t length = 1 + below(10);
            std::swap_ranges(text.begin() + static_cast<ptrdiff_t>(a),
                             text.begin() + static_cast<ptrdiff_t>(a + length),
                             text.begin() + static_cast<ptrdiff_t>(b));
        }
    }

    std::mt19937_64 random_;
};

}  // namespace tracelift::fuzzing
