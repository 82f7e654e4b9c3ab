#include "tracelift/formats/calls_reader.hpp"

#include <fstream>

#include <fmt/format.h>

#include "tracelift/dialects/call_line.hpp"

namespace tracelift {

CallsSummary read_calls(const std::filesystem::path& path, CallSink& sink) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    CallsSummary summary;
    std::string line;
    for (uint64_t number = 1; std::getline(file, line); ++number) {
        if (line.find_first_not_of(" \t\r") == line.npos) {
            continue;
        }
        ++summary.lines;
        const std::string name = fmt::format("{}: line {}", path.string(), number);
        try {
            FileCall call = read_call_line(line, name);
            ++summary.calls;
            sink.call(std::move(call));
        } catch (const FileError& error) {
            sink.unread({name, line, error.what()});
        }
    }
    return summary;
}

}  // namespace tracelift
