#include "tracelift/trace/input_kind.hpp"

#include <fstream>

#include <fmt/format.h>

#include "tracelift/base/json_stream.hpp"
#include "tracelift/capture/record.hpp"
#include "tracelift/dialects/call_stream.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void unknown(const fs::path& file) {
    if (file.extension() == raw_extension) {
        throw FileError(fmt::format("{}: not a raw trace: it does not begin with '{}'", file.string(), raw_magic));
    }
    throw FileError(
        fmt::format("{}: unknown kind of input: expected a master, a capture file, a parameter file, call lines, a "
                    "graph report, a raw trace or a store",
                    file.string()));
}

struct FoundKind {
    InputKind kind;
};

// By the first telling key of the top level.
void look_at_key(const std::string& key) {
    if (key == "operations" || key == "content") {
        throw FoundKind{InputKind::MASTER};
    }
    if (key == "operation_name" || key == "operation_number") {
        throw FoundKind{InputKind::PARAMS};
    }
    if (key == "op_name" || key == "op_index") {
        throw FoundKind{InputKind::CALLS};
    }
    if (key == "graph") {
        throw FoundKind{InputKind::GRAPH};
    }
}

}  // namespace

InputKind kind_of_input(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    std::string head(16, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(file.gcount()));
    if (head.starts_with(raw_magic)) {
        return InputKind::RAW;
    }
    if (head.starts_with("SQLite format 3")) {
        return InputKind::STORE;
    }
    file.clear();
    file.seekg(0);
    JsonStream stream([&](char* to, size_t size) {
        file.read(to, static_cast<std::streamsize>(size));
        return static_cast<size_t>(file.gcount());
    });
    try {
        switch (stream.peek()) {
            case '[': return InputKind::GRAPH;
            case '\0':
            case '"': return InputKind::MASTER;  // one without data yet
            case '{':
                stream.members([&](const std::string& key) {
                    look_at_key(key);
                    stream.value();
                });
                break;
            default: break;
        }
    } catch (const FoundKind& found) {
        return found.kind;
    } catch (const JsonStreamError&) {
        return InputKind::MASTER;  // whose reader says where it breaks off
    }
    unknown(path);
}

}  // namespace tracelift
