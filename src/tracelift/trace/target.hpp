// Target: what `tracelift trace` is asked to run, and how.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tracelift {

// A target that cannot be run; the text says what was looked for.
class TargetError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Target {
    enum class Kind { PYTEST, SCRIPT, PROGRAM };
    Kind kind{};
    std::string given;                 // as the user wrote it
    std::string source;                // the same without anything of this machine: relative, or only the file's name
    std::vector<std::string> command;  // with arguments
    std::string arguments{};           // the user's, on one line, without anything of this machine
};

// A pytest node id (path::test, a test file or a folder), a Python script or a native program. Throws TargetError.
Target find_target(const std::string& given, std::span<const std::string> arguments);

// The Python that has our module: TRACELIFT_PYTHON, the active virtual environment, the one beside this program, or
// python3.
std::filesystem::path find_python();

}  // namespace tracelift
