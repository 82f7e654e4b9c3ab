// Feeds mutated reports to the importer. Only ReportError may come out, and what is imported keeps the rules.
//   fuzz_report [SEED INPUTS]
// The corpus are the cases of tests/report/cases.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "../report/case_file.hpp"
#include "rounds.hpp"
#include "tracelift/report/check.hpp"
#include "tracelift/report/import.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tracelift;
using namespace tracelift::report;

// Rules that hold whatever a report says; the others depend on its numbers.
const std::set<std::string> always = {"integrity",     "tables",        "known-inputs",     "known-outputs",
                                      "dense-inputs",  "dense-outputs", "known-operations", "one-graph",
                                      "errors-placed", "spans",         "lifetimes",        "mirrors",
                                      "functions",     "graphs",        "id-ranges"};

class Mutator {
public:
    explicit Mutator(uint64_t seed) : random_(seed) {
        for (const auto& entry : fs::directory_iterator(fs::path(TRACELIFT_SOURCE_DIR) / "tests/report/cases")) {
            for (const auto& [name, text] : report::testing::read_case(entry.path()).files) {
                corpus_.push_back(text);
            }
        }
        std::sort(corpus_.begin(), corpus_.end());  // folders have no order
    }

    std::string report() {
        std::string text = corpus_[below(corpus_.size())];
        for (size_t i = 1 + below(6); i > 0; --i) {
            mutate(text);
        }
        return text;
    }
    size_t below(size_t limit) { return random_() % limit; }

private:
    void mutate(std::string& text) {
        if (text.empty()) {
            return;
        }
        const size_t at = below(text.size());
        switch (below(9)) {
            case 0: text[at] = static_cast<char>(random_()); break;
            case 1: text.erase(at, 1 + below(40)); break;
            case 2: text.resize(at); break;
            case 3:
            case 4: copy_line(text); break;
            case 5: swap_words(text); break;
            default: replace_number(text, at); break;
        }
    }

    // Nodes stand on lines of their own: a copied line is most often a graph again.
    void copy_line(std::string& text) {
        const std::string& from = below(3) == 0 ? corpus_[below(corpus_.size())] : text;
        const size_t begin = from.find("  {", below(from.size()));
        const size_t end = begin == from.npos ? from.npos : from.find('\n', begin);
        const size_t to = text.find("  {", below(text.size()));
        if (end == from.npos || to == text.npos) {
            return;
        }
        std::string line = from.substr(begin, end - begin);
        line += line.ends_with(',') ? "\n" : ",\n";
        text.insert(to, line);
    }

    void replace_number(std::string& text, size_t from) {
        static const std::vector<std::string> numbers = {
            "0",    "-1", "1.5", "18446744073709551615", "9223372036854775807", "\"\"",
            "null", "[]", "{}",  "99999999999999999999"};
        const size_t at = text.find_first_of("0123456789", from);
        if (at != text.npos) {
            const size_t end = text.find_first_not_of("0123456789", at);
            const bool small = below(4) > 0;
            text.replace(at, end == text.npos ? text.npos : end - at,
                         small ? std::to_string(below(20)) : numbers[below(numbers.size())]);
        }
    }

    void swap_words(std::string& text) {
        static const std::vector<std::string> words = {"function_start",
                                                       "function_end",
                                                       "tensor",
                                                       "buffer_allocate",
                                                       "buffer",
                                                       "capture_end",
                                                       "error",
                                                       "buffer_deallocate",
                                                       "connections",
                                                       "input_tensors",
                                                       "params",
                                                       "counter",
                                                       "per_operation_buffers",
                                                       "python_io",
                                                       "buffer_pages",
                                                       "L1"};
        const std::string& from = words[below(words.size())];
        const size_t at = text.find(from, below(text.size()));
        if (at != text.npos) {
            text.replace(at, from.size(), words[below(words.size())]);
        }
    }

    std::mt19937_64 random_;
    std::vector<std::string> corpus_;
};

// Memory is quicker than a disk, and an import asks for the disk.
fs::path work_folder() {
    const fs::path memory = "/dev/shm";
    return (fs::is_directory(memory) ? memory : fs::temp_directory_path()) / fmt::format("fuzz_report_{}", getpid());
}

bool keeps_rules(const fs::path& path) {
    Database database(path, Database::Mode::READ);
    for (const Violation& violation : check_database(database).violations) {
        if (always.contains(violation.rule)) {
            fmt::print("{}: {} times, first by {}\n", violation.rule, violation.count, violation.example);
            return false;
        }
    }
    return true;
}

bool run_round(fuzzing::Round& round) {
    const fs::path folder = work_folder();
    fs::create_directories(folder);
    Mutator mutator(round.seed());
    size_t accepted = 0;
    bool good = true;
    while (good && round.next()) {
        ImportOptions options;
        options.inputs = {folder / "report.json"};
        options.directory = folder / "out";
        options.existing = Existing::REPLACE;
        options.rules = mutator.below(4) == 0 ? Rules::S : Rules::R;
        options.svg = mutator.below(4) == 0;
        options.materialize = mutator.below(4) == 0;
        options.longest_table = mutator.below(2) == 0 ? 0 : options.longest_table;
        options.repeated_inputs = mutator.below(4) == 0;
        const std::string text = mutator.report();
        std::ofstream(options.inputs.front(), std::ios::binary) << text;
        try {
            accepted += static_cast<size_t>(import_reports(options).reports);
        } catch (const ReportError&) {
            continue;
        }
        good = options.rules == Rules::S || keeps_rules(options.directory / options.database);
        if (!good) {
            fuzzing::report_finding("report", round, "a rule of the database is broken", text);
        }
    }
    fs::remove_all(folder);
    return good && accepted > 0;
}

}  // namespace

int main(int argc, char** argv) {
    return tracelift::fuzzing::run_rounds("report", 1500, {argv + 1, argv + argc}, 1, run_round);
}
