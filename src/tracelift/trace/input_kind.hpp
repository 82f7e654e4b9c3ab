// What a file is, by its content.
#pragma once

#include <filesystem>

namespace tracelift {

enum class InputKind {
    RAW,     // a raw trace of ours
    MASTER,  // a master of any format, or a capture file {"content": [...]}
    STORE,   // the database of a store
    PARAMS,  // one call's parameter file
    CALLS,   // calls, one JSON object per line
    GRAPH,   // a graph trace, or a report that holds one
};

// Throws FileError that says what was expected.
InputKind kind_of_input(const std::filesystem::path& file);

}  // namespace tracelift
