// Feeds mutated inputs to every reader of foreign files. Only the errors that they promise may come out, and what is
// read must survive writing and reading again.
//   fuzz_readers CORPUS [SEED INPUTS]
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mutator.hpp"
#include "rounds.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/dialects/format1.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/graph_text.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/dialects/repair.hpp"
#include "tracelift/formats/graph_reader.hpp"
#include "tracelift/formats/piece_parser.hpp"
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
    fuzzing::Mutator mutator(round.seed());
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
