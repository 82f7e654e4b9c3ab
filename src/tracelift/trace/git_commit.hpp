// Which commit the files of a model stand at.
#pragma once

#include <filesystem>
#include <string>

namespace tracelift {

// The commit that is checked out around a path, read from the repository's own files; empty outside of one.
std::string git_commit_of(const std::filesystem::path& path);

}  // namespace tracelift
