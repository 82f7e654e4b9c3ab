// `tracelift sweep compare`: what changed from one run of a sweep to another.
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/sweep_results.hpp"
#include "tracelift/sweep_report/comparison.hpp"
#include "tracelift/sweep_report/github.hpp"

namespace tracelift::cli {
namespace {

constexpr size_t shown_annotations = 10;  // as many as GitHub shows of a step

ComparisonLimits limits_of(const Options& options) {
    ComparisonLimits limits;
    limits.pcc_drop = options.number_or("--pcc-drop", limits.pcc_drop);
    limits.time_ratio = options.number_or("--time-ratio", limits.time_ratio);
    limits.time_floor = options.number_or("--time-floor", limits.time_floor);
    limits.time_is_an_error = options.has("--time-ratio");
    return limits;
}

void print_annotations(const Comparison& comparison, std::FILE* out) {
    for (size_t i = 0; i < std::min(shown_annotations, comparison.newly_failing.size()); ++i) {
        const ResultRecord& record = *comparison.newly_failing[i].after;
        fmt::print(out, "{}",
                   github_command("error", fmt::format("newly failing: {}", operation_of(record)),
                                  fmt::format("{} [{}] {}: {}", ttnn::member_name(record.status), record.suite,
                                              record.vector_id, reason_of(record))));
    }
}

int run_compare(const Options& options) {
    const ComparisonLimits limits = limits_of(options);
    const ResultSet before = named_results(options, options.positional()[0]);
    const ResultSet after = named_results(options, options.positional()[1]);
    const Comparison comparison = compare_runs(before, after, limits);
    if (comparison.common == 0) {
        throw std::runtime_error(
            fmt::format("{} ({} vectors) and {} ({}) have no vector in common: there is nothing to "
                        "compare",
                        before.label, comparison.before, after.label, comparison.after));
    }
    const bool worse = comparison.is_worse(limits);
    if (options.json()) {
        Json report = to_json(comparison);
        report["worse"] = worse;
        print_json(report);
    } else if (options.has("--markdown")) {
        fmt::print("{}", comparison_markdown(comparison, before, after));
    } else {
        fmt::print("{}", comparison_text(comparison, before, after));
    }
    if (options.has("--github")) {
        print_annotations(comparison, options.json() ? stderr : stdout);
        append_step_summary(comparison_markdown(comparison, before, after));
    }
    return worse ? 1 : 0;
}

constexpr ArgumentInfo arguments[] = {
    {"RUN1", "the run before: its number, latest, latest~1, a result file or a folder of them"},
    {"RUN2", "the run after"}};
constexpr OptionInfo options[] = {
    {"--pcc-drop", "X", "a PCC that fell by more is worse (default: 0.0001)", Range{0, 2, false}},
    {"--time-ratio", "X",
     "a time that grew by this factor counts as slower (default: 2); if given, the status is 1 then",
     Range{1, 1e6, false}},
    {"--time-floor", "MS", "a time that grew by less is noise (default: 20)", Range{0, 1e9, false}},
    {"--markdown", {}, "print Markdown"},
    {"--github", {}, "print annotations, and append to the file that $GITHUB_STEP_SUMMARY names"},
    dir_option,
    json_option};

}  // namespace

const Command sweep_compare_command{
    .name = "compare",
    .help = "compare two runs of a sweep: newly failing, fixed, new, gone, accuracy and time",
    .example = "tracelift sweep compare latest~1 latest",
    .arguments = arguments,
    .options = options,
    .statuses =
        "0 nothing is worse, 1 something fails newly or is less accurate (or slower, with --time-ratio), or "
        "an error, 2 wrong usage",
    .run = run_compare};

}  // namespace tracelift::cli
