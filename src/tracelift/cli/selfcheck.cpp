// `tracelift selfcheck`: replayed calls must be recorded with the identity they are stored under.
#include "tracelift/replay/selfcheck.hpp"

#include <stdexcept>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/continuation.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/stored.hpp"

namespace tracelift::cli {
namespace {

int run_selfcheck(const Options& options) {
    OpenedStore store(options);
    auto configurations = chosen_configurations(*store, options, true);
    const size_t unbound = std::erase_if(configurations, [](const Configuration& each) { return !each.call.bound; });
    if (configurations.empty()) {
        throw std::runtime_error("none of these configurations fits a declaration, so there is nothing to replay");
    }
    const Interrupts interrupts;
    Progress progress("configurations", configurations.size());
    const auto results = selfcheck(configurations, pool_options(options, progress), [&](const SelfcheckResult& each) {
        progress.advance(cpp_name(each.configuration->call.operation));
    });
    progress.finish();
    size_t same = 0;
    Json list = Json::array();
    std::vector<const Configuration*> done;
    for (const SelfcheckResult& result : results) {
        same += result.same ? 1 : 0;
        done.push_back(result.configuration);
        const std::string name = cpp_name(result.configuration->call.operation);
        if (options.json()) {
            list.push_back({{"id", result.configuration->id},
                            {"operation", name},
                            {"identity", result.configuration->identity},
                            {"same", result.same},
                            {"problem", result.problem}});
        } else if (!result.same) {
            fmt::print("  {} #{}: {}\n", name, result.configuration->id, result.problem);
        }
    }
    if (options.json()) {
        print_json(list);
    } else if (!results.empty()) {
        fmt::print("selfcheck: {} of {} configurations ({:.1f} %) were recorded again with the same hash\n", same,
                   results.size(), 100.0 * static_cast<double>(same) / static_cast<double>(results.size()));
        if (unbound != 0) {
            fmt::print("{} configurations fit no declaration and were not replayed\n", unbound);
        }
    }
    if (results.size() != configurations.size()) {
        const int signal = Interrupts::arrived();
        fmt::print(stderr, "ended by {} after {} of {} configurations. To continue: {}\n", signal_name(signal),
                   results.size(), configurations.size(),
                   continuation("selfcheck", options, remaining_operations(configurations, done), {"--all"}));
        return interrupted_status(signal);
    }
    return same == results.size() ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {operations_argument};
constexpr OptionInfo options[] = {{"--all", {}, "all stored operations (the default)"},
                                  model_option,
                                  timeout_option,
                                  memory_option,
                                  jobs_option,
                                  dir_option,
                                  json_option};

}  // namespace

const Command selfcheck_command{
    .name = "selfcheck",
    .help = "replay stored configurations with capture on and check that they get the same hash",
    .example = "tracelift selfcheck layer_norm",
    .arguments = arguments,
    .options = options,
    .statuses = "0 all are the same, 1 some are not, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_selfcheck};

}  // namespace tracelift::cli
