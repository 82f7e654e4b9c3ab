#include "tracelift/cli/replayed.hpp"

#include <stdexcept>

#include "tracelift/base/whole_file.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/store/lookup.hpp"

namespace tracelift::cli {
namespace {

std::vector<ReplayCall> from_lines(const Options& options) {
    LineChoice choice;
    if (options.has("--index")) {
        choice.index = static_cast<uint64_t>(options.whole_or("--index", 0));
    }
    choice.operation = options.value_or("--op", "");
    return replays_of_lines(*options.value("--jsonl"), choice,
                            [](const std::string& problem) { fmt::print(stderr, "{}\n", problem); });
}

std::vector<ReplayCall> from_store(Catalog& store, const Options& options) {
    const auto stored = store.operations();
    const std::string operation = options.value_or("--op", "");
    const std::string model = options.value_or("--model", "");
    const std::string hash = options.value_or("--hash", "");
    if (!model.empty()) {
        check_model(store, model);
    }
    std::vector<ReplayCall> calls;
    for (const OperationSummary& each : operation.empty() ? stored : find_stored(stored, operation)) {
        for (const Configuration& configuration : store.configurations(each.name, model)) {
            const bool wanted = configuration.identity.starts_with(hash) ||
                                (configuration.legacy_hash && configuration.legacy_hash->starts_with(hash));
            if (wanted) {
                calls.push_back(replay_of(configuration));
            }
        }
    }
    return calls;
}

}  // namespace

std::vector<ReplayCall> chosen_replays(const Options& options) {
    const bool lines = options.has("--jsonl");
    if (lines && (options.has("--master") || options.has("--hash") || options.has("--model"))) {
        throw UsageError{"--jsonl goes with --index and --op only"};
    }
    if (options.has("--index") && !lines) {
        throw UsageError{"--index needs --jsonl"};
    }
    std::vector<ReplayCall> calls;
    if (lines) {
        calls = from_lines(options);
    } else if (options.has("--values") && !options.has("--master") && !options.has("--hash") && !options.has("--op")) {
        const std::string file = *options.value("--values");
        Binder binder;
        calls.push_back(replay_of(read_param_file(read_file(file), file), file, binder));
    } else if (options.has("--master")) {
        OpenedStore store(std::filesystem::path(*options.value("--master")));
        calls = from_store(*store, options);
    } else {
        OpenedStore store(options);
        calls = from_store(*store, options);
    }
    if (calls.empty()) {
        throw std::runtime_error("no recorded call matches");
    }
    if (options.has("--values") && calls.size() > 1) {
        throw UsageError{
            fmt::format("--values has the inputs of one call, but {} are chosen; use --index or --hash", calls.size())};
    }
    return calls;
}

}  // namespace tracelift::cli
