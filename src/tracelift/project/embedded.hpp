// Files that the program carries with it: what `tracelift init` adds to a project.
#pragma once

#include <span>
#include <string_view>

namespace tracelift {

struct EmbeddedFile {
    std::string_view path;  // with slashes, relative
    std::string_view text;
};

// src/tracelift/project/files as they are, and examples/sweeps below "tests/sweep_framework/sweeps/". Generated.
std::span<const EmbeddedFile> project_files();
// src/tracelift/project/deepseek as they are. Generated.
std::span<const EmbeddedFile> deepseek_files();

}  // namespace tracelift
