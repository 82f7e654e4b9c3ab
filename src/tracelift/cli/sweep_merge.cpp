// `tracelift sweep merge`: the shards of a sweep become one run.
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/sweep.hpp"
#include "tracelift/sweep/recorded_run.hpp"
#include "tracelift/sweep/result_files.hpp"
#include "tracelift/sweep/shard.hpp"

namespace tracelift::cli {
namespace {

namespace fs = std::filesystem;

// A journal, the folder of one, or a run of the store by its number or as `latest~1`.
JournalContents journal_of(Catalog& store, const std::string& given) {
    if (fs::exists(given)) {
        return read_journal(given);
    }
    const auto run = store.find_sweep(given);
    if (!run) {
        throw std::runtime_error(
            fmt::format("'{}' is neither a journal (results.jsonl) nor a run of this store", given));
    }
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(sweeps_folder(store), absent)) {
        const auto head = read_head(entry.path());
        if (head && head->run.started == run->started && head->run.shard == run->shard &&
            head->run.command == run->command) {
            return read_journal(entry.path());
        }
    }
    throw std::runtime_error(fmt::format("{}: run {} has no journal here", sweeps_folder(store).string(), given));
}

std::string stamp_of(const std::string& instant) {  // "2026-01-15T10:46:16.123Z" -> "20260115_104616"
    std::string stamp;
    for (const char c : instant.substr(0, instant.find('.'))) {
        stamp += c == 'T' ? "_" : c >= '0' && c <= '9' ? std::string(1, c) : "";
    }
    return stamp;
}

int run_merge(const Options& options) {
    OpenedStore store(options, OpenedStore::Mode::CREATE);
    std::vector<JournalContents> shards;
    Json ledger = Json::array();
    for (const std::string& given : options.positional()) {
        shards.push_back(journal_of(*store, given));
        const JournalContents& shard = shards.back();
        ledger.push_back({{"shard", shard.head.run.shard},
                          {"vectors", shard.head.own},
                          {"results", shard.results.size()},
                          {"host", shard.head.run.host},
                          {"journal", shard.path.string()}});
        if (!options.json()) {
            fmt::print("shard {}: {} of {} vectors, {}\n", shard.head.run.shard.empty() ? "1/1" : shard.head.run.shard,
                       shard.results.size(), shard.head.own, shard.path.string());
        }
    }
    MergedShards merged = merge_shards(std::move(shards));
    RecordedRun run(*store, merged.head, false);
    for (const ResultRecord& result : merged.results) {
        run.add(result);
    }
    std::vector<fs::path> files;
    if (options.value_or("--result-dest", "store") == "results_export") {
        files = write_result_files(options.value_or("--results-dir", "results_export"), merged.head.run, merged.results,
                                   stamp_of(merged.head.run.finished));
    }
    run.finish();
    if (options.json()) {
        Json results = Json::array();
        for (const ResultRecord& result : run.results()) {
            results.push_back(sweep_result_json(result));
        }
        print_json({{"sweep", run.sweep()}, {"shards", std::move(ledger)}, {"results", std::move(results)}});
    } else {
        print_sweep_table(run.results());
        print_sweep_problems(run.results());
        fmt::print("\n{}; the ledger balances: {} vectors, {} results; run {} in {}\n",
                   pass_text(run.results(), "vectors"), merged.head.total, run.results().size(), run.sweep(),
                   store->place());
        for (const fs::path& file : files) {
            fmt::print("{}\n", file.string());
        }
    }
    if (!run.store_problem().empty()) {
        throw std::runtime_error(run.store_problem());
    }
    return all_good(run.results()) ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {
    {"RUN_OR_FILE", "every shard: its journal (results.jsonl or its folder), or its run in the store", 1, any_number}};
constexpr OptionInfo options[] = {{"--result-dest", "results_export|store", "also write result files (default: store)"},
                                  results_dir_option,
                                  dir_option,
                                  json_option};

}  // namespace

const Command sweep_merge_command{
    .name = "merge",
    .help = "join the shards of a sweep; every vector must have exactly one result",
    .example = "tracelift sweep merge machine*/sweeps/*/results.jsonl",
    .arguments = arguments,
    .options = options,
    .statuses = "0 all that could run passed, 1 something did not, or the shards do not balance, 2 wrong usage",
    .run = run_merge};

}  // namespace tracelift::cli
