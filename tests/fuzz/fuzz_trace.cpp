// Feeds traces to everything that reads them: those of tests/fuzz/corpus/trace, then mutations of them. Only TraceError
// may come out.
//   fuzz_trace [SEED INPUTS]
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../graph/sample.hpp"
#include "rounds.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace {

using namespace ttnn::graph;
using namespace ttnn::graph::testing;

class Mutator {
public:
    explicit Mutator(uint64_t seed) : random_(seed) {
        const Trace full = guide_sample(Releases::YES, TraceRecorder::Flavour::FULL);
        const std::string report = R"({"version":1,"devices":[{"a":1}],"graph":)" + to_json(full) + "}";
        corpus_ = {"[]",
                   to_json(TraceRecorder().finish()),
                   to_json(guide_sample()),
                   to_json(full),
                   to_json(full, tracelift::JsonForm::INDENTED),
                   report};
        for (const auto& [name, text] : tracelift::fuzzing::read_corpus(TRACELIFT_CORPUS_DIR)) {
            corpus_.push_back(text);
        }
    }

    const std::vector<std::string>& corpus() const { return corpus_; }

    std::string json() {
        std::string text = corpus_[below(corpus_.size())];
        for (size_t i = below(6); i > 0; --i) {
            mutate(text);
        }
        return text;
    }

    // Changes that no file can bring, since reading refuses them.
    void mutate(Trace& trace) {
        if (trace.empty()) {
            return;
        }
        Node& node = trace[below(trace.size())];
        switch (below(9)) {
            case 0: node.connections.push_back(static_cast<uint32_t>(below(2 * trace.size()))); break;
            case 1: node.connections.clear(); break;
            case 2: node.type = static_cast<NodeType>(below(11)); break;
            case 3: node.stacking_level = static_cast<int32_t>(random_()); break;
            case 4: node.counter = static_cast<uint32_t>(below(2 * trace.size())); break;
            case 5: node.input_tensors.push_back(static_cast<uint32_t>(below(2 * trace.size()))); break;
            case 6: std::swap(node, trace[below(trace.size())]); break;
            case 7: trace.erase(trace.begin() + static_cast<ptrdiff_t>(below(trace.size()))); break;
            default:
                if (!node.params.empty()) {
                    node.params[below(node.params.size())].second = number();
                }
                break;
        }
    }

    size_t below(size_t limit) { return random_() % limit; }

private:
    std::string number() {
        static const std::vector<std::string> numbers = {
            "0",   "1", "-1", "1152921504606846976", "18446744073709551615",
            "1.5", "",  "[",  "4294967295",          "99999999999999999999"};
        return numbers[below(numbers.size())];
    }

    void mutate(std::string& text) {
        if (text.empty()) {
            return;
        }
        const size_t at = below(text.size());
        switch (below(6)) {
            case 0: text[at] = static_cast<char>(random_()); break;
            case 1: text.erase(at, 1 + below(40)); break;
            case 2: text.insert(at, text, below(text.size()), below(200)); break;
            case 3: text.resize(at); break;
            case 4: swap_words(text); break;
            default: replace_number(text, at); break;
        }
    }

    // The likeliest way to another trace that can still be read.
    void replace_number(std::string& text, size_t from) {
        const size_t at = text.find_first_of("0123456789", from);
        if (at != text.npos) {
            const size_t end = text.find_first_not_of("0123456789", at);
            const bool small = below(3) > 0;
            text.replace(at, end == text.npos ? text.npos : end - at, small ? std::to_string(below(40)) : number());
        }
    }

    void swap_words(std::string& text) {
        static const std::vector<std::string> words = {"function_start", "function_end", "tensor",  "buffer", "L1",
                                                       "DRAM",           "size",         "name",    "false",  "error",
                                                       "connections",    "params",       "counter", "null",   "{}"};
        const std::string& from = words[below(words.size())];
        const size_t at = text.find(from, below(text.size()));
        if (at != text.npos) {
            text.replace(at, from.size(), words[below(words.size())]);
        }
    }

    std::mt19937_64 random_;
    std::vector<std::string> corpus_;
};

// True when nothing was thrown; anything but TraceError goes on and ends the program.
bool passes(const std::function<void()>& call) {
    try {
        call();
        return true;
    } catch (const TraceError&) {
        return false;
    }
}

void analyse(const Trace& trace) {
    const std::vector<std::function<void()>> analyses = {
        [&] { extract_calltrace(trace); },
        [&] { extract_arguments(trace); },
        [&] { extract_operation_durations(trace); },
        [&] { extract_total_duration(trace); },
        [&] { extract_output_tensors(trace); },
        [&] { count_intermediate_and_output_tensors(trace); },
        [&] { extract_output_info(trace); },
        [&] { extract_peak_L1_memory_usage(trace); },
        [&] { extract_dram_usage(trace); },
        [&] { format_memory_table(extract_memory_table(trace)); },
        [&] { explain_peak(trace, MemoryKind::L1); },
        [&] { explain_peak(trace, MemoryKind::DRAM); },
        [&] { extract_resource_usage_per_core(trace, 64); },
        [&] { pretty_format(trace); },
        [&] { pretty_format(trace, PrintStyle::E26); },
        [&] { LevelizedGraph(trace, 2).to_json(); },
        [&] { to_json(trace); },
        [&] { to_svg(trace); },
    };
    for (const auto& analysis : analyses) {
        passes(analysis);
    }
}

bool run_round(tracelift::fuzzing::Round& round) {
    Mutator mutator(round.seed());
    size_t accepted = 0;
    while (round.next()) {
        Trace trace;
        const bool whole = round.tried() <= mutator.corpus().size();
        const std::string json = whole ? mutator.corpus()[round.tried() - 1] : mutator.json();
        if (!passes([&] { trace = read_trace(json, "fuzz"); })) {
            continue;
        }
        ++accepted;
        if (read_trace(to_json(trace), "again") != trace) {
            tracelift::fuzzing::report_finding("trace", round, "not the same after writing and reading", json);
            return false;
        }
        analyse(trace);
        for (size_t i = mutator.below(4); i > 0; --i) {
            mutator.mutate(trace);
        }
        analyse(trace);
    }
    return accepted > 0;
}

}  // namespace

int main(int argc, char** argv) {
    return tracelift::fuzzing::run_rounds("trace", 25000, {argv + 1, argv + argc}, 1, run_round);
}
