// `tracelift selfcheck`: replayed calls must be recorded with the identity they are stored under.
#include "tracelift/replay/selfcheck.hpp"

#include "tracelift/cli/progress.hpp"
#include "tracelift/cli/stored.hpp"

namespace tracelift::cli {
namespace {

int run_selfcheck(std::span<const std::string> arguments) {
    const Options options(arguments, {"--all", "--json"}, {"--dir", "--model", "--timeout", "--memory", "--jobs"});
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    const auto configurations = chosen_configurations(store, options, true);
    Progress progress(configurations.size());
    const auto results = selfcheck(configurations, pool_options(options), [&](const SelfcheckResult& each) {
        progress.advance(cpp_name(each.configuration->call.operation));
    });
    size_t same = 0;
    Json list = Json::array();
    for (const SelfcheckResult& result : results) {
        same += result.same ? 1 : 0;
        const std::string name = cpp_name(result.configuration->call.operation);
        if (options.has("--json")) {
            list.push_back({{"id", result.configuration->id},
                            {"operation", name},
                            {"identity", result.configuration->identity},
                            {"same", result.same},
                            {"problem", result.problem}});
        } else if (!result.same) {
            fmt::print("  {} #{}: {}\n", name, result.configuration->id, result.problem);
        }
    }
    if (options.has("--json")) {
        fmt::print("{}\n", list.dump(2));
    } else {
        fmt::print("selfcheck: {} of {} configurations ({:.1f} %) were recorded again with the same hash\n", same,
                   results.size(), 100.0 * static_cast<double>(same) / static_cast<double>(results.size()));
    }
    return same == results.size() ? 0 : 1;
}

}  // namespace

const Command selfcheck_command{
    "selfcheck", "[OP...] [--model M] [--timeout SECONDS] [--memory MEGABYTES] [--jobs N] [--dir DIR] [--json]",
    "replay stored configurations with capture on and demand the same hash", run_selfcheck};

}  // namespace tracelift::cli
