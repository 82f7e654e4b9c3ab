// lay_project: puts the files at the places that the guides name into a project, so that their commands run as printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tracelift {

struct LaidFile {
    enum class Outcome {
        WRITTEN,
        PRESENT,  // it was there with the same content
        KEPT,     // something else is there, and stays
    };
    std::filesystem::path path;  // below the project
    Outcome outcome = Outcome::WRITTEN;
    std::string note{};  // what to know about one that was kept
};

// Makes the folder where needed and never changes what is there. Throws std::system_error that names the path.
std::vector<LaidFile> lay_project(const std::filesystem::path& directory);
// The same for what captures and replays calls: plugins, serializer, replay and tests in models/demos/deepseek_v3, and
// the suite tests/ttnn/op_repros.
std::vector<LaidFile> lay_deepseek(const std::filesystem::path& directory);

}  // namespace tracelift
