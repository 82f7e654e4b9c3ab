// Feeds mutated inputs to every reader of foreign files. Only the errors that they promise may come out, and what is
// read must survive writing and reading again.
//   fuzz_readers CORPUS [SEED INPUTS]
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rounds.hpp"
#include "tracelift/formats/calls_reader.hpp"
#include "tracelift/formats/cpp_text.hpp"
#include "tracelift/formats/format1.hpp"
#include "tracelift/formats/graph_reader.hpp"
#include "tracelift/formats/json_tree.hpp"
#include "tracelift/formats/param_file_reader.hpp"
#include "tracelift/formats/piece_parser.hpp"
#include "tracelift/formats/python_values.hpp"
#include "tracelift/formats/repair.hpp"
#include "tracelift/value/bytes.hpp"

namespace {

using namespace tracelift;

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(bool good, const char* what) {
    if (!good) {
        throw Failure(what);
    }
}

// Equal to the last type; a NaN equals itself.
bool is_same(const Value& a, const Value& b) {
    ByteWriter first;
    ByteWriter second;
    emit(a, first);
    emit(b, second);
    return first.bytes() == second.bytes();
}

struct NullSink final : CallSink {
    void call(FileCall&&) override {}
    void unread(UnreadPiece&&) override {}
};

// Binds nothing, but reads everything that a configuration says, and what both formats make of it.
struct ReadingSink final : MasterSink {
    PieceParser parser;
    void metadata(const Value&) override {}
    void configuration(MasterPiece&& piece) override {
        parser.executions(piece);
        const PieceCall read = parser.call(piece);
        for (const Value* argument : read.call.positional) {
            if (argument != nullptr) {
                write_again(*argument);
            }
        }
        for (const auto& keyword : read.call.keywords) {
            write_again(*keyword.value);
        }
    }
    static void write_again(const Value& value) {
        check(is_same(read_python_value(json_tree(write_python_value(value))), value),
              "a value does not come back from format 2");
        if (!value.is_null()) {  // that is an argument which was not given
            const auto back = read_arguments(write_arguments({value}, Typing::OWN)).at(0);
            check(back && is_same(*back, value), "a value does not come back from format 1");
        }
    }
};

using Target = std::function<void(const std::string&)>;

const std::map<std::string, Target>& targets() {
    static const std::map<std::string, Target> all = {
        {"master",
         [](const std::string& text) {
             ReadingSink sink;
             JsonStream stream([&, at = size_t{0}](char* to, size_t size) mutable {
                 const size_t count = std::min({size, text.size() - at, size_t{61}});
                 text.copy(to, count, at);
                 at += count;
                 return count;
             });
             read_master(stream, "fuzz", sink);
         }},
        {"params", [](const std::string& text) { read_param_file(text, "fuzz"); }},
        {"calls",
         [](const std::string& text) {
             std::istringstream lines(text);
             for (std::string line; std::getline(lines, line);) {
                 read_call_line(line, "fuzz");
             }
         }},
        {"graph",
         [](const std::string& text) {
             NullSink sink;
             read_graph_calls(text, "fuzz", sink);
         }},
        {"cpp",
         [](const std::string& text) {
             const Value value = read_cpp_text(text);
             repair(text);
             readable_shape(text);
             const auto* unparsed = value.as<Value::Unparsed>();
             check(unparsed == nullptr || unparsed->text == text, "an unread text is not kept whole");
         }},
    };
    return all;
}

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
    std::string word() {
        static const std::vector<std::string> words = {"null",
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

// True when it was read; anything but the promised errors goes on and ends the program.
bool passes(const Target& target, const std::string& text) {
    try {
        target(text);
        return true;
    } catch (const FileError&) {
        return false;
    } catch (const JsonStreamError&) {
        return false;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

// One round of one reader: the corpus itself, then mutations of it.
bool run_round(const std::string& name, const Target& target, const std::vector<std::string>& corpus,
               fuzzing::Round& round) {
    Mutator mutator(round.seed());
    size_t accepted = 0;
    while (round.next()) {
        const bool whole = round.tried() <= corpus.size();
        const std::string& seed_text = corpus[whole ? round.tried() - 1 : mutator.below(corpus.size())];
        const std::string text = whole ? seed_text : mutator.mutated(seed_text, corpus);
        try {
            const bool read_well = passes(target, text);
            accepted += read_well ? 1 : 0;
            if (whole && !read_well) {
                fuzzing::report_finding(name, round, "a text of the corpus is refused", text);
                return false;
            }
        } catch (const std::exception& error) {
            fuzzing::report_finding(name, round, error.what(), text);
            return false;
        }
    }
    return accepted > 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: fuzz_readers CORPUS [SEED INPUTS]\n");
        return 2;
    }
    int status = 0;
    for (const auto& [name, target] : targets()) {
        std::vector<std::string> corpus;
        for (const auto& [file, text] : fuzzing::read_corpus(std::filesystem::path(argv[1]) / name)) {
            corpus.push_back(text);
        }
        if (corpus.empty()) {
            fmt::print(stderr, "no corpus for {}\n", name);
            return 1;
        }
        const auto one = [&](fuzzing::Round& round) { return run_round(name, target, corpus, round); };
        const double share = 1.0 / static_cast<double>(targets().size());
        status = std::max(status, fuzzing::run_rounds(name, 10000, {argv + 2, argv + argc}, share, one));
    }
    return status;
}
