#include "tracelift/sweep/sweep_module.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/ranges.h>

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_folders[] = {"tests/sweep_framework/sweeps", "sweeps", "examples/sweeps"};

fs::path sweeps_folder(const std::optional<std::string>& given) {
    if (given) {
        if (!fs::is_directory(*given)) {
            throw std::runtime_error(fmt::format("{}: there is no such folder of sweep modules", *given));
        }
        return *given;
    }
    const auto found = std::ranges::find_if(usual_folders, [](const char* folder) { return fs::is_directory(folder); });
    if (found == std::end(usual_folders)) {
        throw std::runtime_error(fmt::format("no folder of sweep modules here: expected {}, or --sweeps-dir",
                                             fmt::join(usual_folders, " or ")));
    }
    return *found;
}

// By its text: importing it would load its configurations.
bool is_sweep_module(const fs::path& file) {
    std::ifstream in(file);
    bool parameters = false;
    bool run = false;
    for (std::string line; std::getline(in, line);) {
        parameters = parameters || (line.starts_with("parameters") && line.find('=') != line.npos);
        run = run || line.starts_with("def run(");
    }
    return parameters && run;
}

std::string dotted(fs::path relative) {
    std::string name = relative.replace_extension().generic_string();
    std::ranges::replace(name, '/', '.');
    return name;
}

// Its name begins below the innermost folder called `sweeps`; elsewhere it is the file's own.
SweepModule module_of_file(const fs::path& given) {
    const fs::path file = fs::absolute(given).lexically_normal();
    for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (folder.filename() == "sweeps") {
            return {dotted(file.lexically_relative(folder)), folder, file};
        }
    }
    return {file.stem().string(), file.parent_path(), file};
}

std::vector<SweepModule> matching(const std::vector<SweepModule>& modules, const std::string& name) {
    std::vector<SweepModule> found;
    const auto take = [&](const auto& matches) {
        std::ranges::copy_if(modules, std::back_inserter(found),
                             [&](const SweepModule& module) { return matches(module.name); });
    };
    take([&](const std::string& known) { return known == name || known.starts_with(name + "."); });
    if (found.empty()) {
        take([&](const std::string& known) { return known.ends_with("." + name); });
    }
    return found;
}

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Each once, where it was named first.
std::vector<SweepModule> distinct(std::vector<SweepModule> modules) {
    std::set<fs::path> seen;
    std::erase_if(modules, [&](const SweepModule& module) { return !seen.insert(module.file).second; });
    return modules;
}

}  // namespace

std::vector<SweepModule> modules_in(const fs::path& folder) {
    std::vector<SweepModule> modules;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const fs::path& file = entry.path();
        if (file.extension() == ".py" && file.filename() != "__init__.py" && is_sweep_module(file)) {
            modules.push_back({dotted(file.lexically_relative(folder)), folder, fs::absolute(file)});
        }
    }
    std::ranges::sort(modules, {}, &SweepModule::name);
    return modules;
}

std::vector<SweepModule> find_modules(const std::string& names, const std::optional<std::string>& folder) {
    std::vector<SweepModule> chosen;
    std::optional<std::vector<SweepModule>> known;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        name = trimmed(name);
        if (name.empty()) {
            continue;
        }
        if (name.ends_with(".py")) {
            if (!fs::exists(name)) {
                throw std::runtime_error(fmt::format("there is no sweep module '{}'", name));
            }
            chosen.push_back(module_of_file(name));
            continue;
        }
        if (!known) {
            known = modules_in(sweeps_folder(folder));
        }
        std::vector<SweepModule> found = matching(*known, name);
        if (found.empty()) {
            std::vector<std::string> there;
            std::ranges::transform(*known, std::back_inserter(there), &SweepModule::name);
            throw std::runtime_error(fmt::format("there is no sweep module '{}'; there are {}", name,
                                                 there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
        }
        std::ranges::move(found, std::back_inserter(chosen));
    }
    if (chosen.empty()) {
        throw std::runtime_error(fmt::format("expected names of sweep modules, got '{}'", names));
    }
    return distinct(std::move(chosen));
}

std::optional<std::chrono::milliseconds> module_timeout(const fs::path& file) {
    std::ifstream in(file);
    std::optional<std::chrono::milliseconds> timeout;
    for (std::string line; std::getline(in, line);) {
        const size_t equals = line.find('=');
        if (line.find("TIMEOUT") == line.npos || equals == line.npos) {
            continue;
        }
        const size_t first = line.find_first_not_of(" \t", equals + 1);
        int64_t seconds = 0;
        const char* begin = line.data() + std::min(first, line.size());
        if (std::from_chars(begin, line.data() + line.size(), seconds).ec != std::errc() || seconds <= 0) {
            return timeout;  // one that cannot be read ends the search
        }
        timeout = std::chrono::seconds(seconds);
    }
    return timeout;
}

}  // namespace tracelift
