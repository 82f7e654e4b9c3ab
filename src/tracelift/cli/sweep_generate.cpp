// `tracelift sweep generate`: vectors of operations and of Python modules as vector files.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <random>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/base/sha256.hpp"
#include "tracelift/bind/hardware.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/stored.hpp"
#include "tracelift/cli/sweep.hpp"
#include "tracelift/dialects/sweep_vector.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "tracelift/sweep/vector_file.hpp"
#include "tracelift/trace/child.hpp"
#include "tracelift/trace/target.hpp"

namespace tracelift::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lead_models[] = {"deepseek_v3"};

std::string tag_of(const Options& options) {
    const char* user = std::getenv("USER");
    return options.value_or("--tag", user != nullptr && *user != '\0' ? user : "tracelift");
}

// --- Python modules -----------------------------------------------------------------------------------------------

int generate_modules(const Options& options) {
    std::vector<std::string> command{find_python().string(), "-m", "tracelift.sweep_framework.generate"};
    for (const auto& [name, value] : options.given()) {
        if (name == "--dir" || name == "--json") {
            continue;
        }
        command.push_back(name == "--suite" ? "--suite-name" : name);
        if (!value.empty()) {
            command.push_back(value);
        }
    }
    ChildOptions child{.environment = {}, .output_to_stderr = options.json()};
    if (options.has("--dir")) {
        const fs::path store = *options.value("--dir");
        child.environment.emplace_back("TTNN_MASTER_JSON_PATH",
                                       (fs::is_directory(store) ? store / master_name : store).string());
    }
    const ChildEnd end = run_child(command, child);
    if (!end.started || end.signal != 0) {
        throw std::runtime_error(fmt::format("'{}' could not generate: {}", command[0], end.text()));
    }
    return end.exit_status;
}

// --- operations ---------------------------------------------------------------------------------------------------

bool is_lead(const Configuration& configuration) {
    return std::ranges::any_of(configuration.executions, [](const Execution& execution) {
        std::string source = execution.model;
        std::ranges::transform(source, source.begin(), [](unsigned char c) { return std::tolower(c); });
        return std::ranges::any_of(lead_models,
                                   [&](std::string_view lead) { return source.find(lead) != source.npos; });
    });
}

// "4x8" of a two-dimensional mesh; empty: none.
std::string mesh_of(const Configuration& configuration) {
    if (!configuration.hardware || configuration.hardware->mesh_shape.size() != 2) {
        return {};
    }
    return fmt::format("{}x{}", configuration.hardware->mesh_shape[0], configuration.hardware->mesh_shape[1]);
}

std::string file_name(const Configuration& configuration, bool by_hardware) {
    const std::string& name = configuration.call.operation;
    if (by_hardware) {
        if (!configuration.hardware) {
            return name + ".json";
        }
        std::string hardware = fmt::format("{}_{}_{}c", configuration.hardware->board_type,
                                           configuration.hardware->device_series, configuration.hardware->card_count);
        std::ranges::transform(hardware, hardware.begin(),
                               [](unsigned char c) { return c == ' ' ? '_' : std::tolower(c); });
        return fmt::format("{}__hw_{}.json", name, hardware);
    }
    const std::string mesh = mesh_of(configuration);
    return mesh.empty() ? name + ".json" : fmt::format("{}__mesh_{}.json", name, mesh);
}

VectorText traced_text(const Configuration& configuration, const Vector& vector) {
    Json json = native_parameters(vector.native->request.arguments);
    json["suite_name"] = vector.suite;
    json["validity"] = "VALID";
    json["invalid_reason"] = "";
    json["status"] = "VectorStatus.CURRENT";
    json["sweep_name"] = vector.sweep_name;
    json["config_hash"] = vector.id;
    if (!vector.source.empty()) {
        json["traced_source"] = vector.source;
    }
    if (configuration.hardware) {
        json["traced_machine_info"] = machine_info(configuration.hardware);
        if (configuration.board != board_of_series(configuration.hardware->device_series)) {
            json["traced_machine_info"]["board"] = configuration.board;
        }
    }
    return {vector.id, compact_json(json)};
}

using Files = std::map<std::string, std::vector<VectorText>>;

Files traced_files(const std::vector<Configuration>& configurations, bool by_hardware) {
    Files files;
    const std::vector<Vector> vectors = traced_vectors(configurations);
    for (size_t i = 0; i < vectors.size(); ++i) {
        files[file_name(configurations[i], by_hardware)].push_back(traced_text(configurations[i], vectors[i]));
    }
    return files;
}

// Combinations of what was traced were never on a machine: they are all in the file of the operation.
Files combined_files(const std::vector<Configuration>& configurations) {
    Files files;
    std::map<std::string, uint64_t> counts;
    for (const TracedSpace& space : traced_spaces(configurations)) {
        uint64_t& count = counts[space.operation()];
        const uint64_t more = space.combinations();
        if (more > most_permutations || (count += more) > most_permutations) {
            throw std::runtime_error(fmt::format(
                "{}: suite {} would have {} permutations, at most {} are allowed; generate without "
                "--all-cases, name a --model, or run a part with 'tracelift sweep run --all-cases "
                "--budget N'",
                space.operation(), traced_suite, grouped(std::max(count, more)), grouped(most_permutations)));
        }
        auto& texts = files[space.operation() + ".json"];
        space.visit_texts(traced_suite, [&](std::span<const uint32_t>, const std::string& text) {
            texts.push_back({sha224(text), text});
            return true;
        });
    }
    return files;
}

void check_mesh(const std::string& text) {
    const size_t cross = text.find('x');
    const auto is_number = [](std::string_view part) {
        return !part.empty() && std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    if (cross == text.npos || !is_number(std::string_view(text).substr(0, cross)) ||
        !is_number(std::string_view(text).substr(cross + 1))) {
        throw UsageError{fmt::format("--mesh-shape takes ROWSxCOLUMNS, got '{}'", text)};
    }
}

int generate_operations(const Options& options) {
    OpenedStore store(options);
    std::vector<Configuration> configurations = chosen_configurations(*store, options, false);
    if (options.value_or("--model-traced", "all") == "lead") {
        std::erase_if(configurations, [](const Configuration& each) { return !is_lead(each); });
    }
    if (const auto mesh = options.value("--mesh-shape")) {
        check_mesh(*mesh);
        std::erase_if(configurations, [&](const Configuration& each) {
            const std::string own = mesh_of(each);
            return !own.empty() && own != *mesh;
        });
    }
    if (const std::string suite = suite_of(options); !suite.empty() && suite != traced_suite) {
        throw UsageError{fmt::format("operations have the suite {}, not '{}'", traced_suite, suite)};
    }
    if (configurations.empty()) {
        throw std::runtime_error("zero vectors: no stored configuration matches");
    }
    Files files = options.has("--all-cases")
                      ? combined_files(configurations)
                      : traced_files(configurations, options.value_or("--group-by", "mesh") == "hw");
    const fs::path folder = options.value_or("--vectors-dir", "vectors_export");
    const std::string tag = tag_of(options);
    Json modules = Json::object();
    size_t total = 0;
    for (auto& [name, texts] : files) {
        if (options.has("--randomize")) {
            std::mt19937_64 random(static_cast<uint64_t>(options.whole_or("--randomize", 0)));
            std::ranges::shuffle(texts, random);
        }
        std::set<std::string_view> ids;
        for (const VectorText& text : texts) {
            ids.insert(text.id);
        }
        const WrittenVectors written = write_vector_file(folder / name, traced_suite, tag, texts);
        if (!written.corrupted.empty()) {
            fmt::print(stderr, "{} could not be read and is now {}\n", (folder / name).string(),
                       written.corrupted.string());
        }
        total += ids.size();
        Json& entry = modules[name.substr(0, std::min(name.find("__"), name.find(".json")))];
        entry["files"].push_back(name);
        entry["suites"][traced_suite] = {
            {"vectors", entry["suites"][traced_suite].is_null()
                            ? ids.size()
                            : entry["suites"][traced_suite]["vectors"].get<size_t>() + ids.size()},
            {"changed", written.changed}};
        if (!options.json()) {
            fmt::print("SWEEPS: Generated {} test vectors for suite {}. ({}{})\n", ids.size(), traced_suite,
                       (folder / name).string(), written.changed ? "" : ", unchanged");
        }
    }
    const Json manifest{{"generated", utc_text()},
                        {"tag", tag},
                        {"seed", options.has("--randomize") ? Json(options.whole_or("--randomize", 0)) : Json()},
                        {"model_traced", options.value_or("--model-traced", "all")},
                        {"total_vectors", total},
                        {"modules", std::move(modules)},
                        {"failed", Json::object()}};
    replace_file(folder / "generation_manifest.json", json_text(manifest) + "\n");
    if (options.json()) {
        print_json(manifest);
    }
    return 0;
}

int run_generate(const Options& options) {
    const bool operations = !options.positional().empty() || options.has("--all");
    if (operations && options.has("--module-name")) {
        throw UsageError{"expected --module-name or operations, not both"};
    }
    if (!operations) {
        for (const char* name : {"--all-cases", "--model"}) {
            if (options.has(name)) {
                throw UsageError{fmt::format("{} is for operations, not for modules", name)};
            }
        }
    }
    if (options.has("--skip-modules") && (operations || options.has("--module-name"))) {
        throw UsageError{
            "--skip-modules applies to all modules: it cannot be combined with --module-name or operations"};
    }
    return operations ? generate_operations(options) : generate_modules(options);
}

constexpr ArgumentInfo arguments[] = {operations_argument};
constexpr OptionInfo options[] = {
    {"--all", {}, "all stored operations"},
    module_name_option,
    suite_name_option,
    suite_option,
    {"--tag", "TAG", "the owner of the vectors (default: the user)"},
    {"--randomize", "SEED", "shuffle the vectors of each suite", Range{0, 1e15, true}},
    {"--skip-modules", "M", "leave these modules out; separated by commas"},
    {"--model-traced", "all|lead", "only traced suites; lead: only those of lead models", {}, true},
    {"--mesh-shape", "RxC", "only vectors of this mesh, or of no mesh"},
    {"--group-by", "mesh|hw", "which vectors share a file (default: mesh)"},
    {"--dump-file", {}, "accepted; vectors are always written to files"},
    all_cases_option,
    model_option,
    sweeps_dir_option,
    vectors_dir_option,
    dir_option,
    json_option};

}  // namespace

const Command sweep_generate_command{.name = "generate",
                                     .help = "write vector files of stored operations or of Python modules",
                                     .example = "tracelift sweep generate add --vectors-dir vectors_export",
                                     .arguments = arguments,
                                     .options = options,
                                     .run = run_generate};

}  // namespace tracelift::cli
