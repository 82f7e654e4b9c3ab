#include "tracelift/cli/stored.hpp"

#include <set>
#include <stdexcept>

#include "tracelift/cli/interrupts.hpp"
#include "tracelift/store/lookup.hpp"

namespace tracelift::cli {

std::vector<Configuration> chosen_configurations(Catalog& store, const Options& options, bool none_means_all) {
    const auto stored = store.operations();
    const std::string model = options.value_or("--model", "");
    if (!model.empty()) {
        check_model(store, model);
    }
    std::vector<OperationSummary> operations;
    if (options.has("--all") || (none_means_all && options.positional().empty())) {
        operations = stored;
    } else if (options.positional().empty()) {
        throw UsageError{"expected operations, or --all"};
    }
    for (const std::string& name : options.positional()) {
        for (OperationSummary& found : find_stored(stored, name)) {
            operations.push_back(std::move(found));
        }
    }
    std::vector<Configuration> configurations;
    std::set<std::string> taken;  // an operation may be named twice, as add and as ttnn::add
    for (const OperationSummary& operation : operations) {
        if (!taken.insert(operation.name).second) {
            continue;
        }
        for (Configuration& configuration : store.configurations(operation.name, model)) {
            configurations.push_back(std::move(configuration));
        }
    }
    if (configurations.empty()) {
        throw std::runtime_error("the store has no such configuration");
    }
    return configurations;
}

PoolOptions pool_options(const Options& options, Progress& progress) {
    PoolOptions pool;
    const double seconds = options.number_or("--timeout", static_cast<double>(pool.timeout.count()) / 1000);
    pool.timeout = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    pool.memory_limit =
        static_cast<uint64_t>(options.number_or("--memory", static_cast<double>(pool.memory_limit) / 1e6) * 1e6);
    pool.workers = static_cast<unsigned>(options.whole_or("--jobs", pool.workers));
    pool.go_on = [&progress] {
        progress.tick();
        return Interrupts::arrived() == 0;
    };
    return pool;
}

std::vector<std::string> remaining_operations(const std::vector<Configuration>& all,
                                              const std::vector<const Configuration*>& done) {
    const std::set<const Configuration*> ran(done.begin(), done.end());
    std::set<std::string> left;
    for (const Configuration& configuration : all) {
        if (!ran.contains(&configuration)) {
            left.insert(cpp_name(configuration.call.operation));
        }
    }
    return {left.begin(), left.end()};
}

}  // namespace tracelift::cli
