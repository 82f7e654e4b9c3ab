#include "tracelift/trace/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "tracelift/base/utf8.hpp"
#include "tracelift/value/private_text.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) { return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0; }

std::optional<fs::path> from_environment(const char* variable, const fs::path& below) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') {
        return std::nullopt;
    }
    return below.empty() ? fs::path(value) : fs::path(value) / below;
}

// The path as it may go into a shared file: relative to here, or only its last part when it lies elsewhere.
std::string portable(const fs::path& path) {
    const fs::path relative =
        path.is_absolute() ? path.lexically_relative(fs::current_path()) : path.lexically_normal();
    const bool outside = relative.empty() || *relative.begin() == "..";
    return utf8_text((outside ? path.filename() : relative).generic_string());
}

bool looks_like_test_file(const fs::path& path) {
    const std::string stem = path.stem().string();
    return path.extension() == ".py" && (stem.starts_with("test_") || stem.ends_with("_test"));
}

Target::Kind kind_of(const fs::path& path, bool has_node, const std::string& given) {
    if (!fs::exists(path)) {
        throw TargetError(fmt::format("target not found: there is no file '{}'", path.string()));
    }
    if (has_node || fs::is_directory(path) || looks_like_test_file(path)) {
        if (has_node && path.extension() != ".py") {
            throw TargetError(
                fmt::format("'{}' looks like a pytest node id, but '{}' is not a Python file", given, path.string()));
        }
        return Target::Kind::PYTEST;
    }
    if (path.extension() == ".py") {
        return Target::Kind::SCRIPT;
    }
    if (is_executable(path)) {
        return Target::Kind::PROGRAM;
    }
    throw TargetError(fmt::format(
        "cannot run '{}': expected a pytest node id (path/test.py::test_x), a Python script or an executable program",
        given));
}

}  // namespace

fs::path find_python() {
    if (const auto chosen = from_environment("TRACELIFT_PYTHON", {})) {
        if (!is_executable(*chosen)) {
            throw TargetError(fmt::format("TRACELIFT_PYTHON names '{}', which cannot be executed", chosen->string()));
        }
        return *chosen;
    }
    std::vector<fs::path> places;
    if (const auto active = from_environment("VIRTUAL_ENV", "bin/python3")) {
        places.push_back(*active);
    }
    std::error_code problem;
    const fs::path here = fs::read_symlink("/proc/self/exe", problem).parent_path();
    places.push_back(here / "python3");                  // installed into an environment
    places.push_back(here / "../../.venv/bin/python3");  // build/bin of the project
    const auto found = std::ranges::find_if(places, is_executable);
    return found == places.end() ? fs::path("python3") : found->lexically_normal();
}

Target find_target(const std::string& given, std::span<const std::string> arguments) {
    const size_t colons = given.find("::");
    const fs::path path = given.substr(0, colons);
    Target target{kind_of(path, colons != given.npos, given), given, portable(path), {}, {}};
    if (colons != given.npos) {
        target.source += utf8_text(given.substr(colons));
    }
    switch (target.kind) {
        case Target::Kind::PYTEST: target.command = {find_python().string(), "-m", "pytest", given}; break;
        case Target::Kind::SCRIPT: target.command = {find_python().string(), given}; break;
        case Target::Kind::PROGRAM: target.command = {path.has_parent_path() ? given : "./" + given}; break;
    }
    target.command.insert(target.command.end(), arguments.begin(), arguments.end());
    target.arguments = private_text(utf8_text(fmt::format("{}", fmt::join(arguments, " "))));
    return target;
}

}  // namespace tracelift
