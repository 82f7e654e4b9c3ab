#include "tracelift/base/destination.hpp"

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the kernel

// The descriptor that an entry of /proc/self/fd is; -1 for anything else.
int descriptor_of(const fs::path& path) {
    std::error_code problem;
    const fs::path folder = fs::canonical(path.parent_path().empty() ? "." : path.parent_path(), problem);
    if (problem || folder != fmt::format("/proc/{}/fd", getpid())) {
        return -1;
    }
    const std::string name = path.filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

}  // namespace

fs::path Destination::fresh() const { return path.string() + fmt::format(".{}.tmp", getpid()); }

Destination destination_of(fs::path path) {
    for (int links = 0; links < most_links; ++links) {
        if (const int descriptor = descriptor_of(path); descriptor >= 0) {
            return {.path = path, .replaced = false, .descriptor = descriptor};
        }
        std::error_code problem;
        const fs::file_status status = fs::symlink_status(path, problem);
        if (status.type() != fs::file_type::symlink) {
            const bool replaced = !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
            return {.path = path, .replaced = replaced};
        }
        const fs::path next = fs::read_symlink(path, problem);
        if (problem) {
            return {.path = path, .problem = problem.value()};
        }
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    return {.path = path, .problem = ELOOP};
}

}  // namespace tracelift
