// Errors of the runtime: a call that cannot go on throws ttnn::Error with the whole story in its text.
#pragma once

#include <stdexcept>
#include <string>

#include <fmt/core.h>

namespace ttnn {

// Raised for every illegal call. Python sees it as RuntimeError.
class __attribute__((visibility("default"))) Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// An allocation that does not fit into device memory.
class __attribute__((visibility("default"))) OutOfMemory : public Error {
public:
    using Error::Error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
    throw Error(fmt::format(text, std::forward<Args>(args)...));
}

// Throws ttnn::Error with the formatted text unless `condition` holds.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
    if (!condition) [[unlikely]] {
        fail(text, std::forward<Args>(args)...);
    }
}

}  // namespace ttnn
