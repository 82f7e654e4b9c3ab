#include "tracelift/calls/parameter_files.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/dialects/parameter_file.hpp"

namespace tracelift {
namespace {

int64_t microseconds_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

// "ttnn.transformer.sdpa" -> "ttnn_transformer_sdpa".
std::string file_part(std::string_view operation) {
    std::string name;
    for (size_t i = 0; i < operation.size(); ++i) {
        const bool colons = operation.substr(i).starts_with("::");
        const char c = operation[i];
        name += colons || c == '.' || c == '/' ? '_' : c;
        i += colons ? 1 : 0;
    }
    return name;
}

int create(const std::filesystem::path& path) {
    return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

void write_all(int fd, std::string_view text, const std::filesystem::path& path) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno != EINTR) {
            const int error = errno;
            close(fd);
            throw std::system_error(error, std::generic_category(), "cannot write " + path.string());
        }
        text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
    }
    close(fd);
}

}  // namespace

std::filesystem::path ParameterFiles::directory() const {
    const char* given = std::getenv(parameter_directory_variable);
    if (given != nullptr && *given != '\0') {
        return given;
    }
    const std::lock_guard lock(mutex_);
    return directory_.empty() ? std::filesystem::path(default_parameter_directory) : directory_;
}

void ParameterFiles::set_directory(std::filesystem::path directory) {
    const std::lock_guard lock(mutex_);
    directory_ = std::move(directory);
}

std::filesystem::path ParameterFiles::write(const TracedCall& call, const std::filesystem::path& directory) {
    const uint64_t number = ++count_;
    const std::string name = file_part(call.operation);
    for (int64_t now = microseconds_now();; ++now) {
        const std::string stamp = parameter_timestamp(now);
        std::filesystem::path path = directory / fmt::format("{}_{}_{}.json", number, name, stamp);
        int fd = create(path);
        if (fd < 0 && errno == ENOENT) {
            std::error_code error;
            const bool made = std::filesystem::create_directories(directory, error);
            fd = create(path);
            const std::lock_guard lock(mutex_);
            if (made && remembers_) {
                folders_.push_back(std::filesystem::absolute(directory));
            }
        }
        if (fd < 0 && errno == EEXIST) {
            continue;  // another process has the same number in the same microsecond
        }
        if (fd < 0) {
            throw std::system_error(errno, std::generic_category(), "cannot create " + path.string());
        }
        write_all(fd, parameter_text(call, number, stamp), path);
        const std::lock_guard lock(mutex_);
        if (remembers_) {
            files_.push_back(std::filesystem::absolute(path));
        }
        return path;
    }
}

void ParameterFiles::remember() {
    const std::lock_guard lock(mutex_);
    remembers_ = true;
}

size_t ParameterFiles::remove_remembered() {
    const std::lock_guard lock(mutex_);
    std::error_code error;
    for (const auto& file : files_) {
        std::filesystem::remove(file, error);
    }
    for (const auto& folder : folders_) {
        std::filesystem::remove(folder, error);  // only when it is empty
    }
    folders_.clear();
    const size_t count = files_.size();
    files_.clear();
    return count;
}

}  // namespace tracelift
