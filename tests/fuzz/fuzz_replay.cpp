// Feeds mutated records of calls to replay: they are read and bound, and small ones are carried out in this process.
// Only the promised errors may come out, every refusal has a reason, and a call survives the way to a worker.
//   fuzz_replay CORPUS [SEED INPUTS]
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "mutator.hpp"
#include "rounds.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/input_domains.hpp"
#include "tracelift/replay/nesting.hpp"
#include "tracelift/replay/replay.hpp"
#include "tracelift/sweep/execute.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "tracelift/value/bytes.hpp"

namespace {

using namespace tracelift;

constexpr uint64_t small_call = 4 << 20;  // bytes of inputs and outputs
constexpr unsigned longest_seconds = 60;  // of one input; sanitizers are slow
std::string current;                      // for the handler

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(bool good, std::string_view what) {
    if (!good) {
        throw Failure(std::string(what));
    }
}

void too_slow(int) {
    constexpr std::string_view told = "\nan input takes longer than a minute:\n";
    (void)!::write(STDERR_FILENO, told.data(), told.size());
    (void)!::write(STDERR_FILENO, current.data(), current.size());
    ::_exit(1);
}

// Shows the input, and leaves the rest to whoever handled the signal before: a sanitizer, or the system.
constexpr int crashes[] = {SIGSEGV, SIGFPE};
struct sigaction handled_before[32];  // by signal
void crashed(int signal) {
    constexpr std::string_view told = "\nan input crashes:\n";
    (void)!::write(STDERR_FILENO, told.data(), told.size());
    (void)!::write(STDERR_FILENO, current.data(), current.size());
    ::sigaction(signal, &handled_before[signal], nullptr);
}

std::string bytes_of(const Value::Dict& arguments) {
    ByteWriter writer;
    emit(Value(arguments), writer);
    return std::string(writer.bytes());
}

class Replayer {
public:
    // What became of one line.
    struct Counts {
        size_t unread = 0, unbound = 0, large = 0, refused = 0, judged = 0, differs = 0;
    };

    void operator()(const std::string& line) {
        if (nesting(line) > deepest_record) {
            ++counts.unread;
            return;
        }
        FileCall read;
        try {
            read = read_call_line(line, "fuzz");
        } catch (const FileError&) {
            ++counts.unread;
            return;
        }
        const ReplayCall call = replay_of(read, "fuzz", binder_);
        if (!call.call.bound) {
            check(!call.call.note.empty(), "a call is not bound for no reason");
            ++counts.unbound;
            return;
        }
        const CallRequest request{.operation = call.call.operation,
                                  .arguments = replayable(call.call.arguments),
                                  .board = call.board,
                                  .memory_limit = uint64_t{64} << 20};
        const CallRequest arrived = request_from_json(Json::parse(to_line(to_json(request))));
        check(bytes_of(arrived.arguments) == bytes_of(request.arguments), "a worker gets other arguments");
        if (tensor_bytes(request.arguments) > small_call || output_elements(line) > small_call / sizeof(float)) {
            ++counts.large;
            return;
        }
        carry_out(request);
    }

    Counts counts;

private:
    void carry_out(const CallRequest& request) {
        const CallResult result = execute(request);
        check(!result.message.starts_with("unexpected exception"), result.message);
        switch (result.status) {
            case Status::PASS:
            case Status::NOT_JUDGED: ++counts.judged; break;
            case Status::FAIL:
                ++counts.differs;
                fmt::print("replay: {}: {}\n", result.message, current);
                break;
            default: check(!result.message.empty(), "a call is refused for no reason"); ++counts.refused;
        }
    }

    Binder binder_;
};

// Values that a record may have, legal somewhere or nowhere.
const std::vector<Json>& values() {
    static const std::vector<Json> all = [] {
        std::vector<Json> made;
        for (const auto* text : {"0",
                                 "1",
                                 "-1",
                                 "2",
                                 "31",
                                 "32",
                                 "33",
                                 "64",
                                 "2147483648",
                                 "4294967296",
                                 "9223372036854775807",
                                 "0.5",
                                 "-1e30",
                                 "1e300",
                                 "true",
                                 "null",
                                 "[]",
                                 "{}",
                                 "[32, 32]",
                                 "[1, 1, 32, 64]",
                                 "[0]",
                                 "[[32]]",
                                 R"("")",
                                 R"("DataType.FLOAT32")",
                                 R"("DataType.UINT32")",
                                 R"("DataType.INT32")",
                                 R"("DataType.UINT8")",
                                 R"("DataType.BFLOAT8_B")",
                                 R"("DataType.BFLOAT4_B")",
                                 R"("DataType.INVALID")",
                                 R"("Layout.ROW_MAJOR")",
                                 R"("Layout.TILE")",
                                 R"("HEIGHT_SHARDED")",
                                 R"("WIDTH_SHARDED")",
                                 R"("BLOCK_SHARDED")",
                                 R"("INTERLEAVED")",
                                 R"("SINGLE_BANK")",
                                 R"("L1")",
                                 R"("L1_SMALL")",
                                 R"("SYSTEM_MEMORY")",
                                 R"("StorageType.HOST")",
                                 R"("COL_MAJOR")",
                                 R"("p150")",
                                 R"("../../etc/passwd")",
                                 R"("import os")",
                                 R"({"__type__":"path","value":"/etc/passwd"})",
                                 R"({"__type__":"repr","value":"x","type":"y","reason":"z"})",
                                 R"({"__type__":"float","value":"nan"})",
                                 R"({"__type__":"float","value":"-inf"})",
                                 R"({"__enum__":"ttnn.DataType","name":"INT32"})",
                                 R"({"__enum__":"ttnn.Layout","name":"ROW_MAJOR"})",
                                 R"({"__type__":"ttnn.MeshDevice","mesh_shape":[1,1]})",
                                 R"({"__type__":"ttnn.CoreCoord","x":3,"y":0})",
                                 R"({"x":0,"y":0})"}) {
            made.push_back(Json::parse(text));
        }
        for (const ttnn::OpInfo* op : ttnn::all_operations()) {
            made.emplace_back(std::string(op->name));
        }
        return made;
    }();
    return all;
}

void collect(Json& node, std::vector<Json*>& nodes) {
    for (Json& child : node) {
        if (child.is_structured()) {
            collect(child, nodes);
        }
        nodes.push_back(&child);
    }
}

// A record with some of its parts changed: it is JSON still, and most often a call.
std::string changed(const std::string& line, const std::vector<std::string>& corpus, fuzzing::Mutator& mutator) {
    Json record = Json::parse(line);
    for (size_t i = 1 + mutator.below(4); i > 0; --i) {
        std::vector<Json*> nodes;
        collect(record, nodes);
        Json& node = *nodes[mutator.below(nodes.size())];
        Json other = Json::parse(corpus[mutator.below(corpus.size())]);
        std::vector<Json*> others;
        collect(other, others);
        switch (mutator.below(6)) {
            case 0: node = *others[mutator.below(others.size())]; break;
            case 1:
                if (node.is_array() && !node.empty()) {
                    node.erase(mutator.below(node.size()));
                } else if (node.is_object() && !node.empty()) {
                    node.erase(std::next(node.begin(), static_cast<ptrdiff_t>(mutator.below(node.size()))));
                }
                break;
            case 2:
                if (node.is_array()) {
                    node.push_back(*others[mutator.below(others.size())]);
                }
                break;
            case 3:
                if (node.is_number_integer()) {
                    const auto number = static_cast<uint64_t>(node.get<int64_t>());  // the largest has a next one
                    node = static_cast<int64_t>(number + mutator.below(65) - 32);
                }
                break;
            case 4: record["kwargs"].update(other["kwargs"]); break;
            default: node = values()[mutator.below(values().size())];
        }
        if (!record["kwargs"].is_object()) {
            break;
        }
    }
    return record.dump();
}

bool run_round(const std::vector<std::string>& corpus, fuzzing::Round& round) {
    fuzzing::Mutator mutator(round.seed());
    Replayer replay;
    while (round.next()) {
        const bool whole = round.tried() <= corpus.size();
        const std::string& seed_line = corpus[whole ? round.tried() - 1 : mutator.below(corpus.size())];
        current = whole                   ? seed_line
                  : mutator.below(4) == 0 ? mutator.mutated(seed_line, corpus)
                                          : changed(seed_line, corpus, mutator);
        ::alarm(longest_seconds);
        try {
            const size_t judged = replay.counts.judged;
            replay(current);
            check(!whole || replay.counts.judged == judged + 1, "a record of the corpus is not replayed");
            if (round.tried() % 16 == 0) {
                input_domains(current);
            }
        } catch (const std::exception& error) {
            fuzzing::report_finding("replay", round, error.what(), current);
            return false;
        }
    }
    ::alarm(0);
    const auto& counts = replay.counts;
    fmt::print("replay: {} unread, {} not bound, {} too large, {} refused, {} replayed, {} differ\n", counts.unread,
               counts.unbound, counts.large, counts.refused, counts.judged, counts.differs);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: fuzz_replay CORPUS [SEED INPUTS]\n");
        return 2;
    }
    std::signal(SIGALRM, too_slow);
    struct sigaction show {};
    show.sa_handler = crashed;
    for (const int signal : crashes) {
        ::sigaction(signal, &show, &handled_before[signal]);
    }
    std::vector<std::string> corpus;
    for (const auto& [file, text] : fuzzing::read_corpus(std::filesystem::path(argv[1]) / "replay")) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            corpus.push_back(line);
        }
    }
    if (corpus.empty()) {
        fmt::print(stderr, "no corpus in {}\n", argv[1]);
        return 1;
    }
    const auto one = [&](fuzzing::Round& round) { return run_round(corpus, round); };
    return fuzzing::run_rounds("replay", 10000, {argv + 2, argv + argc}, 1, one);
}
