// Vector files: vectors_export/<module>.json, {"<suite>": {"<input_hash>": {<parameters and header>}}}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracelift/sweep/vector.hpp"

namespace tracelift {

// The vectors of a file, of one suite where it is named. Those of an operation that we have are native. Throws
// std::runtime_error with the file, the vector and what was expected.
std::vector<Vector> read_vector_file(const std::filesystem::path& path, const std::string& suite = {});

// The files of a module in a folder: <module>.json and <module>__mesh_RxC.json.
std::vector<std::filesystem::path> vector_files_of(const std::filesystem::path& folder, const std::string& module);

// Of one vector of a suite: how it is written, without the time and the tag.
struct VectorText {
    std::string id;
    std::string text;  // a JSON object, with what ids are hashed over
};

struct WrittenVectors {
    bool changed = false;               // false: the file has these vectors already
    std::filesystem::path corrupted{};  // where an unreadable file was moved to; empty: there was none
};
// Replaces the suite; the other suites of the file stay. Where the ids are those that the file has under this tag, it
// is left alone. Equal ids are one vector. Read back after writing.
WrittenVectors write_vector_file(const std::filesystem::path& path, const std::string& suite, const std::string& tag,
                                 const std::vector<VectorText>& vectors);

}  // namespace tracelift
