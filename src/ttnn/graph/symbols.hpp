// Names of functions from the symbol tables of ELF files. dladdr only knows exported ones, and ours are hidden.
#pragma once

#include <cstdint>
#include <string>

namespace ttnn::graph {

struct Symbol {
    std::string name;  // mangled; empty when there is none
    uint64_t offset = 0;
};

// The function that holds an offset from the file's load address. Tables are read once per file.
Symbol find_symbol(const std::string& file, uint64_t offset);

}  // namespace ttnn::graph
