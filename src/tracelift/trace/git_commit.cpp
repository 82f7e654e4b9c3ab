#include "tracelift/trace/git_commit.hpp"

#include <fstream>

namespace tracelift {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// The folder with HEAD. In a worktree .git is a file that says where that is.
fs::path git_folder(const fs::path& start) {
    std::error_code error;
    for (fs::path folder = fs::absolute(start, error); !folder.empty(); folder = folder.parent_path()) {
        fs::path git = folder / ".git";
        if (fs::is_directory(git, error)) {
            return git;
        }
        constexpr std::string_view mark = "gitdir: ";
        if (const std::string line = first_line(git); line.starts_with(mark)) {
            return folder / line.substr(mark.size());
        }
        if (folder == folder.parent_path()) {
            break;
        }
    }
    return {};
}

std::string packed_commit(const fs::path& git, const std::string& reference) {
    std::ifstream packed(git / "packed-refs");
    for (std::string line; std::getline(packed, line);) {
        if (line.ends_with(" " + reference)) {
            return line.substr(0, line.find(' '));
        }
    }
    return {};
}

}  // namespace

std::string git_commit_of(const fs::path& path) {
    const fs::path git = git_folder(path);
    if (git.empty()) {
        return {};
    }
    std::string head = first_line(git / "HEAD");
    constexpr std::string_view mark = "ref: ";
    if (!head.starts_with(mark)) {
        return head;
    }
    const std::string reference = head.substr(mark.size());
    const std::string common = first_line(git / "commondir");  // of worktrees
    for (const fs::path& place : {git, common.empty() ? git : git / common}) {
        if (std::string commit = first_line(place / reference); !commit.empty()) {
            return commit;
        }
        if (std::string commit = packed_commit(place, reference); !commit.empty()) {
            return commit;
        }
    }
    return {};
}

}  // namespace tracelift
