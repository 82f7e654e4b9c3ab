// Which vectors a command line of `tracelift sweep` means.
#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/ranges.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/cli/sweep.hpp"
#include "tracelift/sweep/machine_filter.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "tracelift/sweep/sweep_module.hpp"
#include "tracelift/sweep/vector_file.hpp"
#include "tracelift/trace/child.hpp"
#include "tracelift/trace/target.hpp"

namespace tracelift::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t most_points = 2'000'000;  // that a budget is chosen from, of one operation

std::vector<Vector> only(std::vector<Vector> vectors, const std::vector<size_t>& chosen) {
    std::vector<Vector> kept;
    kept.reserve(chosen.size());
    for (const size_t index : chosen) {
        kept.push_back(std::move(vectors[index]));
    }
    return kept;
}

// Points of the vectors, in their order: every space a group.
std::vector<Point> traced_points(const std::vector<TracedSpace>& spaces, const std::vector<Vector>& vectors) {
    std::vector<Point> points(vectors.size());
    for (size_t i = 0; i < vectors.size(); ++i) {
        points[i].group = static_cast<uint32_t>(spaces.size() + i);  // fits no declaration: alone
        points[i].executions = vectors[i].executions;
    }
    for (size_t s = 0; s < spaces.size(); ++s) {
        for (size_t i = 0; i < spaces[s].members().size(); ++i) {
            Point& point = points[spaces[s].members()[i]];
            point.group = static_cast<uint32_t>(s);
            point.values = spaces[s].points()[i];
        }
    }
    return points;
}

ChosenVectors with_budget(ChosenVectors chosen, const std::vector<Point>& points, const Options& options) {
    Budgeted budgeted = within_budget(points, static_cast<size_t>(options.whole_or("--budget", 1)));
    chosen.vectors = only(std::move(chosen.vectors), budgeted.chosen);
    chosen.coverage = budgeted.coverage;
    return chosen;
}

// Only the chosen combinations become vectors: all of them would be gigabytes.
ChosenVectors budgeted_cases(const std::vector<TracedSpace>& spaces, const Options& options) {
    std::vector<Point> points;
    std::vector<size_t> first;  // of each space, among the points
    for (size_t s = 0; s < spaces.size(); ++s) {
        first.push_back(points.size());
        for (std::vector<uint32_t>& point : spaces[s].all_points()) {
            const TracedPoint* traced = spaces[s].traced_at(point);
            points.push_back({static_cast<uint32_t>(s), std::move(point), traced == nullptr ? 0 : traced->executions});
        }
    }
    const Budgeted budgeted = within_budget(points, static_cast<size_t>(options.whole_or("--budget", 1)));
    std::vector<std::vector<size_t>> numbers(spaces.size());
    for (const size_t index : budgeted.chosen) {
        numbers[points[index].group].push_back(index - first[points[index].group]);
    }
    ChosenVectors chosen;
    for (size_t s = 0; s < spaces.size(); ++s) {
        std::ranges::move(all_case_vectors(spaces[s], numbers[s]), std::back_inserter(chosen.vectors));
    }
    chosen.coverage = budgeted.coverage;
    return chosen;
}

ChosenVectors all_cases(const std::vector<Configuration>& configurations, const Options& options) {
    const std::vector<TracedSpace> spaces = traced_spaces(configurations);
    std::map<std::string, uint64_t> counts;
    for (const TracedSpace& space : spaces) {
        uint64_t& count = counts[space.operation()];
        count += std::min(space.combinations(), most_points + 1);
        const uint64_t most = options.has("--budget") ? most_points : most_permutations;
        if (count > most) {
            throw std::runtime_error(fmt::format(
                "{}: more than {} combinations of the traced values; {}", space.operation(), grouped(most),
                options.has("--budget") ? "name fewer configurations, e.g. with --model"
                                        : "--budget N picks those that cover most, or leave --all-cases out"));
        }
    }
    if (options.has("--budget")) {
        return budgeted_cases(spaces, options);
    }
    ChosenVectors chosen;
    for (const TracedSpace& space : spaces) {
        std::ranges::move(all_case_vectors(space), std::back_inserter(chosen.vectors));
    }
    return chosen;
}

ChosenVectors native_vectors(Catalog& store, const Options& options) {
    const std::vector<Configuration> configurations = chosen_configurations(store, options, false);
    if (const std::string suite = suite_of(options); !suite.empty() && suite != traced_suite) {
        throw UsageError{fmt::format("operations have the suite {}, not '{}'", traced_suite, suite)};
    }
    if (options.has("--all-cases")) {
        return all_cases(configurations, options);
    }
    ChosenVectors chosen{.vectors = traced_vectors(configurations)};
    if (options.has("--budget")) {
        const std::vector<TracedSpace> spaces = traced_spaces(configurations);
        const std::vector<Point> points = traced_points(spaces, chosen.vectors);
        return with_budget(std::move(chosen), points, options);
    }
    return chosen;
}

std::vector<Vector> vectors_of_files(const std::vector<fs::path>& files, const std::string& suite) {
    std::vector<Vector> vectors;
    for (const fs::path& file : files) {
        std::ranges::move(read_vector_file(file, suite), std::back_inserter(vectors));
    }
    return vectors;
}

// Of a module that has no vector files.
std::vector<Vector> generated_vectors(const SweepModule& module, const Options& options) {
    const ScratchFolder scratch;
    std::vector<std::string> command{find_python().string(),
                                     "-m",
                                     "tracelift.sweep_framework.generate",
                                     "--module-name",
                                     module.name,
                                     "--sweeps-dir",
                                     module.folder.string(),
                                     "--vectors-dir",
                                     scratch.path().string()};
    if (const std::string suite = suite_of(options); !suite.empty()) {
        command.insert(command.end(), {"--suite-name", suite});
    }
    const ChildEnd end = run_child(command, {.environment = {}, .output_to_stderr = true});
    if (!end.ok()) {
        throw std::runtime_error(fmt::format("the vectors of {} could not be generated: {}", module.name, end.text()));
    }
    return vectors_of_files(vector_files_of(scratch.path(), module.name), suite_of(options));
}

std::vector<Vector> module_vectors(const SweepModule& module, const Options& options) {
    std::vector<Vector> vectors;
    const fs::path folder = options.value_or("--vectors-dir", "vectors_export");
    const std::vector<fs::path> files = vector_files_of(folder, module.name);
    if (const auto file = options.value("--file-path")) {
        vectors = vectors_of_files({*file}, suite_of(options));
    } else if (!files.empty()) {
        vectors = vectors_of_files(files, suite_of(options));
    } else if (options.has("--vector-source")) {
        throw std::runtime_error(
            fmt::format("{}: there are no vectors of {}; 'tracelift sweep generate --module-name "
                        "{}' makes them",
                        folder.string(), module.name, module.name));
    } else {
        vectors = generated_vectors(module, options);
    }
    for (Vector& vector : vectors) {
        vector.sweep_name = module.name;
        vector.module = module.file;
        vector.native.reset();
    }
    return vectors;
}

ChosenVectors vectors_of_modules(const Options& options) {
    ChosenVectors chosen{.native = false};
    for (const SweepModule& module : find_modules(*options.value("--module-name"), options.value("--sweeps-dir"))) {
        std::ranges::move(module_vectors(module, options), std::back_inserter(chosen.vectors));
        if (const auto timeout = module_timeout(module.file)) {
            chosen.module_timeouts[module.file] = *timeout;
        }
    }
    return chosen;
}

// Of operations, from files that `sweep generate` or somebody else made.
ChosenVectors native_file_vectors(const Options& options) {
    ChosenVectors chosen;
    const fs::path folder = options.value_or("--vectors-dir", "vectors_export");
    for (const std::string& operation : options.positional()) {
        const std::vector<fs::path> files = options.has("--file-path")
                                                ? std::vector<fs::path>{*options.value("--file-path")}
                                                : vector_files_of(folder, dotted_name(operation));
        if (files.empty()) {
            throw std::runtime_error(
                fmt::format("{}: there are no vectors of {}; 'tracelift sweep generate {}' makes "
                            "them",
                            folder.string(), operation, operation));
        }
        for (Vector& vector : vectors_of_files(files, suite_of(options))) {
            if (vector.native && vector.sweep_name == dotted_name(operation)) {
                chosen.vectors.push_back(std::move(vector));
            }
        }
    }
    return chosen;
}

// Files of several groupings can have the same vectors.
void keep_distinct(std::vector<Vector>& vectors) {
    std::set<std::string> seen;
    std::erase_if(vectors, [&](const Vector& vector) { return !seen.insert(vector_key(vector)).second; });
}

// Of modules that run what models were traced with: those of the machines that the environment asks for.
void keep_machines(std::vector<Vector>& vectors) {
    MachineFilter filter;
    try {
        filter = MachineFilter::from_environment();
    } catch (const std::invalid_argument& error) {
        throw UsageError{error.what()};
    }
    std::erase_if(vectors, [&](const Vector& vector) {
        const bool traced = vector.suite.starts_with(traced_suite) || vector.sweep_name.starts_with(traced_suite);
        const auto machine = vector.header.find("traced_machine_info");
        return traced && machine != vector.header.end() && !filter.takes(*machine);
    });
}

void keep_asked(ChosenVectors& chosen, const Options& options) {
    keep_distinct(chosen.vectors);
    if (options.has("--module-name")) {
        keep_machines(chosen.vectors);
    }
    const auto id = options.value("--vector-id");
    const auto tag = options.value("--tag");
    std::erase_if(chosen.vectors, [&](const Vector& vector) {
        return (id && !vector.id.starts_with(*id)) || (tag && !vector.tag.empty() && vector.tag != *tag);
    });
    if (chosen.vectors.empty()) {
        throw std::runtime_error(id ? fmt::format("there is no vector {}", *id) : "there are no such vectors");
    }
    if (!options.has("--keep-invalid")) {
        std::erase_if(chosen.vectors, [](const Vector& vector) { return !vector.valid; });
        if (chosen.vectors.empty()) {
            throw std::runtime_error("all vectors are invalid; --keep-invalid lists them");
        }
    }
}

std::string contents_of(const Options& options) {
    if (options.has("--all")) {
        return "all_sweeps";
    }
    const std::string names =
        options.value("--module-name").value_or(fmt::format("{}", fmt::join(options.positional(), " ")));
    const std::string suite = suite_of(options);
    return suite.empty() ? names : fmt::format("{}, {}", names, suite);
}

}  // namespace

ChosenVectors choose_vectors(Catalog& store, const Options& options) {
    ChosenVectors chosen = options.has("--module-name")     ? vectors_of_modules(options)
                           : options.has("--vector-source") ? native_file_vectors(options)
                                                            : native_vectors(store, options);
    keep_asked(chosen, options);
    chosen.contents = contents_of(options);
    return chosen;
}

}  // namespace tracelift::cli
