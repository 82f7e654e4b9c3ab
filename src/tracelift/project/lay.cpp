#include "tracelift/project/lay.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/bind/binding.hpp"
#include "tracelift/project/embedded.hpp"
#include "tracelift/trace/filter.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using Outcome = LaidFile::Outcome;

// The first guide has these at the root of the project, the second one in model_tracer/.
constexpr std::string_view in_both_places[] = {"generic_ops_tracer.py", "analyze_operations.py"};
constexpr std::string_view tracer_folder = "model_tracer";
constexpr std::string_view store_folder = "traced_operations";
constexpr std::string_view operations_list = "tests/sweep_framework/Allops.txt";

// The packages of the fifth guide, from the outside in.
constexpr std::string_view deepseek_packages[] = {"models", "models/demos", "models/demos/deepseek_v3",
                                                  "models/demos/deepseek_v3/utils", "models/demos/deepseek_v3/tests"};

// Sweep modules of a project import the loader by its place there.
constexpr std::string_view our_import = "from tracelift.sweep_framework.";
constexpr std::string_view their_import = "from tests.sweep_framework.";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

std::string excluded_lines() {
    const OperationFilter filter;
    std::string lines;
    for (const std::string& name : filter.excluded()) {
        lines += fmt::format("{}            \"{}\",", lines.empty() ? "" : "\n", cpp_name(name));
    }
    return lines;
}

// "parent" for a file at the root, "parents[1]" for one in a folder of it.
std::string root_of(const fs::path& path) {
    const auto depth = std::distance(path.begin(), path.end()) - 1;
    return depth == 0 ? "parent" : fmt::format("parents[{}]", depth);
}

std::string filled(std::string_view raw, const fs::path& path) {
    std::string text(raw);
    replace_all(text, "@ROOT@", root_of(path));
    replace_all(text, "@HERE@", path.has_parent_path() ? path.parent_path().generic_string() + "/" : "");
    replace_all(text, "@EXCLUDED@", excluded_lines());
    if (path.generic_string().find("/sweeps/") != std::string::npos) {
        replace_all(text, our_import, their_import);
    }
    return text;
}

std::string valid_operations() {
    const OperationFilter filter;
    std::string text;
    for (const std::string& name : filter.valid()) {
        text += cpp_name(name) + "\n";
    }
    return text;
}

[[noreturn]] void fail(const fs::path& path, int error) {
    throw std::system_error(error, std::generic_category(), path.string());
}

void write_new(int file, const fs::path& path, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            const int error = errno;
            ::close(file);
            ::unlink(path.c_str());  // ours, and not whole
            fail(path, error);
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
    }
    if (::close(file) != 0) {
        fail(path, errno);
    }
}

bool holds(const fs::path& path, std::string_view text) {
    std::ifstream file(path, std::ios::binary);
    return file && std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

class Layer {
public:
    explicit Layer(fs::path directory) : directory_(std::move(directory)) {}

    void file(const fs::path& path, std::string_view text) {
        const fs::path place = directory_ / path;
        make_folder(place.parent_path());
        const int file = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            write_new(file, place, text);
            laid_.push_back({path, Outcome::WRITTEN});
        } else if (errno != EEXIST) {
            fail(place, errno);
        } else if (holds(place, text)) {
            laid_.push_back({path, Outcome::PRESENT});
        } else {
            laid_.push_back({path, Outcome::KEPT, kept_note(path)});
        }
    }

    // Both guides' stores are one folder: the one that is there already, else the one at the root.
    void store() {
        const fs::path at_root = directory_ / store_folder;
        const fs::path of_tracer = directory_ / tracer_folder / store_folder;
        std::error_code missing;
        if (fs::equivalent(at_root, of_tracer, missing)) {
            laid_.push_back({fs::path(tracer_folder) / store_folder, Outcome::PRESENT});
        } else if (fs::exists(fs::symlink_status(at_root)) && fs::exists(fs::symlink_status(of_tracer))) {
            laid_.push_back(
                {fs::path(tracer_folder) / store_folder, Outcome::KEPT,
                 fmt::format("{0}/ is a separate store; to use only one: tracelift import {1}/{0} --dir {0}, "
                             "then replace {1}/{0} by a link to ../{0}",
                             store_folder, tracer_folder)});
        } else if (fs::exists(of_tracer)) {
            link(fs::path(tracer_folder) / store_folder, fs::path(store_folder));
        } else {
            make_folder(at_root);
            make_folder(of_tracer.parent_path());
            link(fs::path("..") / store_folder, fs::path(tracer_folder) / store_folder);
        }
    }

    std::vector<LaidFile> take() { return std::move(laid_); }

private:
    static std::string kept_note(const fs::path& path) {
        return path != "conftest.py"
                   ? "it has other content"
                   : "it has other content; where Tracelift's pytest plugin is off, its pytest_plugins "
                     "must name models.demos.deepseek_v3.utils.op_capture_plugin and "
                     "results_csv_plugin";
    }
    static void make_folder(const fs::path& folder) {
        std::error_code problem;
        fs::create_directories(folder, problem);
        if (problem) {
            throw std::system_error(problem, folder.string());
        }
    }
    void link(const fs::path& target, const fs::path& path) {
        std::error_code problem;
        fs::create_directory_symlink(target, directory_ / path, problem);
        if (problem) {
            throw std::system_error(problem, (directory_ / path).string());
        }
        laid_.push_back({path, Outcome::WRITTEN});
    }

    fs::path directory_;
    std::vector<LaidFile> laid_;
};

}  // namespace

std::vector<LaidFile> lay_project(const fs::path& directory) {
    const bool had_tests = fs::exists(directory / "tests");
    Layer layer(directory);
    for (const EmbeddedFile& file : project_files()) {
        layer.file(file.path, filled(file.text, file.path));
        if (std::ranges::find(in_both_places, file.path) != std::end(in_both_places)) {
            const fs::path second = fs::path(tracer_folder) / file.path;
            layer.file(second, filled(file.text, second));
        }
    }
    layer.file(operations_list, valid_operations());
    // `tests` must be found here and not in some installed package of that name; a folder of tests that was there
    // before is imported in its own way.
    if (!had_tests) {
        layer.file("tests/__init__.py", "");
    }
    layer.file("tests/sweep_framework/__init__.py", "");
    layer.store();
    return layer.take();
}

std::vector<LaidFile> lay_deepseek(const fs::path& directory) {
    std::vector<fs::path> new_packages;  // one that was there before is imported in its own way
    for (const std::string_view package : deepseek_packages) {
        if (!fs::exists(directory / package)) {
            new_packages.emplace_back(package);
        }
    }
    Layer layer(directory);
    for (const EmbeddedFile& file : deepseek_files()) {
        layer.file(file.path, file.text);
    }
    for (const fs::path& package : new_packages) {
        layer.file(package / "__init__.py", "");
    }
    return layer.take();
}

}  // namespace tracelift
