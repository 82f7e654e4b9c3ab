// `tracelift sweep run`: vectors in isolated workers, every result in a journal before anything else.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

#include <fmt/ranges.h>

#include "tracelift/cli/continuation.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/cli/sweep.hpp"
#include "tracelift/sweep/recorded_run.hpp"
#include "tracelift/sweep/result_files.hpp"
#include "tracelift/sweep/run_facts.hpp"
#include "tracelift/sweep/shard.hpp"

namespace tracelift::cli {
namespace {

using Clock = std::chrono::steady_clock;

void check_rules(const Options& options) {
    const bool module = options.has("--module-name");
    const bool file = options.value_or("--vector-source", "") == "file";
    if (module && (!options.positional().empty() || options.has("--all"))) {
        throw UsageError{"expected --module-name or operations, not both"};
    }
    if (!module && options.positional().empty()) {
        for (const char* name : {"--vector-id", "--file-path", "--vector-source"}) {
            if (options.has(name)) {
                throw UsageError{fmt::format("{} needs --module-name or an operation", name)};
            }
        }
    }
    if (options.has("--file-path") && !file) {
        throw UsageError{"--file-path goes with --vector-source file"};
    }
    if (file && !options.has("--file-path")) {
        throw UsageError{"--vector-source file needs --file-path"};
    }
    if (module || options.has("--vector-source")) {
        for (const char* name : {"--all-cases", "--budget", "--weight", "--model"}) {
            if (options.has(name)) {
                throw UsageError{
                    fmt::format("{} is for operations, not for {}", name, module ? "modules" : "vectors of files")};
            }
        }
    }
    for (const char* name : {"ARCH_NAME", "IRD_ARCH_NAME"}) {
        const char* arch = std::getenv(name);
        if (arch != nullptr && *arch != '\0' && std::string_view(arch) != "blackhole" &&
            std::string_view(arch) != "wormhole_b0") {
            throw UsageError{fmt::format("{} is '{}', expected blackhole or wormhole_b0", name, arch)};
        }
    }
}

Shard shard_of(const Options& options) {
    try {
        return parse_shard(options.value_or("--shard", ""));
    } catch (const std::invalid_argument& error) {
        throw UsageError{error.what()};
    }
}

// The command without what does not change its results: runs of the same text are the same sweep.
std::string command_text(const Options& options) {
    static const std::set<std::string_view> left_out{"--resume", "--jobs", "--json", "--summary", "--dir"};
    std::string text = "sweep run";
    for (const std::string& name : options.positional()) {
        text += " " + name;
    }
    for (const auto& [name, value] : options.given()) {
        if (!left_out.contains(name)) {
            text += value.empty() ? " " + name : fmt::format(" {} {}", name, value);
        }
    }
    return text;
}

JournalHead head_of(Catalog& store, ChosenVectors& chosen, const Options& options) {
    JournalHead head;
    const std::string board = chosen.vectors.front().native ? chosen.vectors.front().native->request.board : "";
    head.run = run_of_now(command_text(options), chosen.contents, board);
    head.key = head.run.command;
    head.ledger = ledger_of(chosen.vectors);
    head.total = chosen.vectors.size();
    const Shard shard = shard_of(options);
    head.run.shard = shard.text();
    if (shard.count > 1) {
        for (const size_t index : vectors_of_shard(chosen.vectors, store.recorded_cost(), shard)) {
            head.vectors.push_back(vector_key(chosen.vectors[index]));
        }
    }
    head.own = shard.count > 1 ? head.vectors.size() : head.total;
    return head;
}

RunnerOptions runner_options(const Options& options, const ChosenVectors& chosen, Progress& progress) {
    RunnerOptions runner;
    runner.pool = pool_options(options, progress);
    runner.pool.timeout_retries = static_cast<unsigned>(options.whole_or("--retries", 1));
    runner.perf = options.has("--perf");
    runner.measure_memory = options.has("--measure-memory");
    runner.skip_on_timeout = options.has("--skip-on-timeout");
    runner.keep_invalid = options.has("--keep-invalid");
    if (!chosen.native) {
        constexpr std::chrono::seconds to_start{120};  // Python, its libraries, and all that on a busy machine
        runner.pool.worker_command = module_worker_command();
        runner.pool.start_timeout = to_start;
        runner.module_timeouts = chosen.module_timeouts;
        if (options.has("--timeout")) {
            runner.module_timeout = runner.pool.timeout;
            runner.module_timeouts.clear();
        }
        runner.pool.timeout = std::max<std::chrono::milliseconds>(runner.pool.timeout, to_start);
    }
    return runner;
}

bool will_run(const Vector& vector) { return vector.valid && (!vector.native || vector.native->bound); }

// "12.5/s, 3:20 left; 40 pass, 2 fail; ttnn::add pass", once there is something to go by. The statuses are those of the
// whole run; the rate is that of now, of vectors that run: those that do not would promise an end that is not near.
class RateText {
public:
    RateText(std::span<const ResultRecord> earlier, std::span<const Vector> left)
        : to_run_(static_cast<size_t>(std::ranges::count_if(left, will_run))) {
        for (const ResultRecord& result : earlier) {
            ++counts_[result.status];
        }
    }
    void add(const ResultRecord& result) {
        ran_ += result.status == Status::NOT_RUN ? 0 : 1;
        ++counts_[result.status];
        last_ = fmt::format("{} {}", operation_text(result), ttnn::member_name(result.status));
    }
    std::string text() const {
        const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
        if (seconds < 3 || ran_ == 0) {
            return last_;
        }
        const double rate = static_cast<double>(ran_) / seconds;
        const auto left = static_cast<uint64_t>(static_cast<double>(to_run_ - std::min(ran_, to_run_)) / rate);
        std::vector<std::string> statuses;
        for (const auto& [status, count] : counts_) {
            statuses.push_back(fmt::format("{} {}", grouped(count), ttnn::member_name(status)));
        }
        return fmt::format("{:.1f}/s, {}:{:02} left; {}; {}", rate, left / 60, left % 60, fmt::join(statuses, ", "),
                           last_);
    }

private:
    size_t to_run_;
    size_t ran_ = 0;
    std::map<Status, uint64_t> counts_;
    std::string last_;
    Clock::time_point begun_ = Clock::now();
};

int dry_run(const ChosenVectors& chosen, const Options& options) {
    Json list = Json::array();
    std::map<std::pair<std::string, std::string>, size_t> counts;
    for (const Vector& vector : chosen.vectors) {
        ++counts[{vector.sweep_name, vector.suite}];
        if (options.json()) {
            list.push_back({{"sweep_name", vector.sweep_name}, {"suite", vector.suite}, {"vector_id", vector.id}});
        } else {
            fmt::print("{} {} {}\n", vector.sweep_name, vector.suite, vector.id);
        }
    }
    if (options.json()) {
        print_json(list);
        return 0;
    }
    for (const auto& [names, count] : counts) {
        fmt::print("{} vectors of {}, suite {}: not run\n", count, names.first, names.second);
    }
    return 0;
}

// Pass rates as models see them. As in `sweep results`, what has no count weighs 1.
void print_weighted(const std::vector<Vector>& vectors, std::span<const ResultRecord> results) {
    std::map<std::string, int64_t> executions;
    for (const Vector& vector : vectors) {
        executions[vector_key(vector)] = std::max<int64_t>(vector.executions, 1);
    }
    int64_t passed = 0;
    int64_t all = 0;
    for (const ResultRecord& result : results) {
        const int64_t weight = executions[vector_key(result)];
        all += weight;
        passed += result.status == Status::PASS ? weight : 0;
    }
    fmt::print("weighted by executions: {} of {} pass ({:.2f}%)\n", grouped(static_cast<uint64_t>(passed)),
               grouped(static_cast<uint64_t>(all)),
               all == 0 ? 0.0 : 100.0 * static_cast<double>(passed) / static_cast<double>(all));
}

void print_coverage(const PairCoverage& coverage, size_t vectors) {
    const auto percent = [](uint64_t part, uint64_t whole) {
        return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    fmt::print("the budget of {} covers {} of {} values ({:.1f}%) and {} of {} pairs of values ({:.1f}%)\n",
               grouped(vectors), grouped(coverage.values), grouped(coverage.values_there),
               percent(coverage.values, coverage.values_there), grouped(coverage.pairs), grouped(coverage.pairs_there),
               percent(coverage.pairs, coverage.pairs_there));
}

void print_summary(std::span<const ResultRecord> results) {
    std::map<std::pair<std::string, std::string>, std::map<Status, size_t>> suites;
    for (const ResultRecord& result : results) {
        ++suites[{result.sweep_name, result.suite}][result.status];
    }
    for (const auto& [names, counts] : suites) {
        std::vector<std::string> statuses;
        for (const auto& [status, count] : counts) {
            statuses.push_back(fmt::format("{} {}", count, ttnn::member_name(status)));
        }
        fmt::print("{}, {}: {}\n", names.first, names.second, fmt::join(statuses, ", "));
    }
}

std::string file_stamp() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y%m%d_%H%M%S", &parts)};
}

// What was done before a signal came, in the place of a table of everything.
void tell_interrupted(int signal, const RecordedRun& run, OpenedStore& store, const Options& options,
                      std::string_view unit) {
    const bool kept = !store.is_scratch();
    const std::vector<std::string> resume{"--resume"};
    fmt::print(
        stderr, "ended by {} after {} of {} {}; what ran is {}stored. To continue: {}\n", signal_name(signal),
        run.results().size(), run.head().own, unit, kept ? "" : "not ",
        continuation("sweep run", options, options.positional(), resume, kept ? resume : std::vector<std::string>()));
}

void tell_where(const RecordedRun& run, OpenedStore& store, std::string_view unit) {
    const std::string kept = store.is_scratch()
                                 ? fmt::format("not kept, since {} is not a store", store.named().string())
                                 : fmt::format("in {}", store->place());
    fmt::print("\n{}; results are {}\n", pass_text(run.results(), unit), kept);
    if (!run.head().run.shard.empty() && !store.is_scratch()) {
        fmt::print("shard {}: {} of {} vectors; 'tracelift sweep merge' joins the journals: {}\n", run.head().run.shard,
                   run.head().own, run.head().total, run.journal().string());
    }
}

void print_results(const ChosenVectors& chosen, const RecordedRun& run, const Options& options) {
    if (options.json()) {
        Json list = Json::array();
        for (const ResultRecord& result : run.results()) {
            list.push_back(sweep_result_json(result));
        }
        print_json(list);
        return;
    }
    print_sweep_table(run.results());
    if (options.has("--summary")) {
        print_summary(run.results());
    }
    print_sweep_problems(run.results());
    if (chosen.coverage) {
        print_coverage(*chosen.coverage, chosen.vectors.size());
    }
    if (options.has("--weight")) {
        print_weighted(chosen.vectors, run.results());
    }
}

void keep_own(std::vector<Vector>& vectors, const JournalHead& head) {
    if (head.run.shard.empty()) {
        return;
    }
    const std::set<std::string> own(head.vectors.begin(), head.vectors.end());
    std::erase_if(vectors, [&](const Vector& vector) { return !own.contains(vector_key(vector)); });
}

// Runs what is left. The signal that ended it; 0: none did.
int run_remaining(RecordedRun& run, const ChosenVectors& chosen, const Options& options, std::string_view unit) {
    std::vector<Vector> mine = chosen.vectors;
    keep_own(mine, run.head());
    const std::vector<Vector> left = run.remaining(std::move(mine));
    if (run.earlier() != 0 || run.was_finished()) {
        fmt::print(stderr, "{}: {} of {} {} have a result{}\n", run.journal().string(), run.earlier(), run.head().own,
                   unit, run.was_finished() ? "; the run is finished" : "");
    }
    const Interrupts interrupts;
    Progress progress(std::string(unit), run.head().own);
    RateText rate(run.results(), left);
    if (!left.empty() && !run.was_finished()) {
        RunnerOptions runner = runner_options(options, chosen, progress);
        const auto show = [&] { progress.reach(run.results().size(), rate.text()); };
        runner.pool.go_on = [&] {
            show();  // the rate falls while nothing ends
            return Interrupts::arrived() == 0;
        };
        run_vectors(left, runner, [&](const Vector&, const ResultRecord& result) {
            run.add(result);
            rate.add(result);
            show();
        });
    }
    progress.finish();
    return run.results().size() < run.head().own ? Interrupts::arrived() : 0;
}

// Modules load traced configurations of the store that --dir names, as with `sweep generate`. A store that only gets
// results leaves them what they find.
void name_master(Catalog& store, const Options& options) {
    if (options.has("--dir") && !store.operations().empty()) {
        setenv("TTNN_MASTER_JSON_PATH", (store.directory() / master_name).c_str(), 1);
    }
}

int run_sweep(const Options& options) {
    check_rules(options);
    const auto mode = options.has("--module-name") ? OpenedStore::Mode::CREATE : OpenedStore::Mode::WRITE;
    OpenedStore store(options, mode);
    if (options.has("--module-name")) {
        name_master(*store, options);
    }
    ChosenVectors chosen = choose_vectors(*store, options);
    if (options.has("--dry-run")) {
        return dry_run(chosen, options);
    }
    const std::string_view unit = chosen.native && !options.has("--all-cases") ? "configurations" : "vectors";
    RecordedRun run(*store, head_of(*store, chosen, options), options.has("--resume"));
    const int signal = run_remaining(run, chosen, options, unit);
    if (signal != 0) {
        run.flush();
        print_results(chosen, run, options);
        tell_interrupted(signal, run, store, options, unit);
        return interrupted_status(signal);
    }
    std::vector<std::filesystem::path> files;
    if (options.value_or("--result-dest", "store") == "results_export" && !run.was_finished()) {
        SweepRun facts = run.head().run;
        facts.finished = run.results().empty() ? facts.started : run.results().back().ended;
        files =
            write_result_files(options.value_or("--results-dir", "results_export"), facts, run.results(), file_stamp());
    }
    run.finish();
    print_results(chosen, run, options);
    if (!options.json()) {
        tell_where(run, store, unit);
        for (const auto& file : files) {
            fmt::print("{}\n", file.string());
        }
    }
    if (!run.store_problem().empty()) {
        fmt::print(stderr, "the results could not be stored; they are in {}: {}\n", run.journal().string(),
                   run.store_problem());
        return 1;
    }
    const bool nothing_to_do = run.head().own == 0;  // a shard of more shards than vectors
    return nothing_to_do || all_good(run.results()) ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {operations_argument};
constexpr OptionInfo options[] = {
    {"--all", {}, "all stored operations"},
    module_name_option,
    suite_name_option,
    suite_option,
    {"--vector-id", "ID", "only this vector: its id, or the beginning of it"},
    {"--vector-source", "vectors_export|file",
     "where vectors come from (default: the store; for modules: their vector files, if any)"},
    {"--file-path", "FILE", "the file to read with --vector-source file"},
    {"--result-dest", "results_export|store", "also write result files (default: store)"},
    {"--perf", {}, "record the time of each vector as a metric"},
    {"--measure-memory", {}, "record how much L1 each call takes, by a capture that runs nothing"},
    {"--dry-run", {}, "list the vectors and run none"},
    {"--summary", {}, "counts by suite"},
    {"--skip-on-timeout", {}, "after a timeout, skip the rest of the suite"},
    {"--keep-invalid", {}, "also record a result for invalid vectors"},
    {"--shard", "I/N", "only this part of the vectors; 'tracelift sweep merge' joins the parts"},
    {"--resume", {}, "continue the last unfinished run of this command"},
    {"--budget", "N", "for operations: the N vectors that cover most of the traced values and their pairs", any_count},
    all_cases_option,
    {"--weight", "executions", "pass rates also by how often models execute a configuration"},
    {"--tag", "TAG", "only vectors with this tag"},
    {"--retries", "N", "how many times to retry a vector that took too long (default: 1)", Range{0, 100, true}},
    model_option,
    timeout_option,
    memory_option,
    jobs_option,
    sweeps_dir_option,
    vectors_dir_option,
    results_dir_option,
    dir_option,
    json_option};

}  // namespace

const Command sweep_run_command{
    .name = "run",
    .help = "run stored configurations or Python modules in isolated workers",
    .example = "tracelift sweep run add softmax --timeout 10",
    .arguments = arguments,
    .options = options,
    .statuses =
        "0 all that can run pass, 1 something does not or nothing ran, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_sweep};

}  // namespace tracelift::cli
