// Masters of every format, read as a stream: {"operations": {name: {"configurations": [C, ...]}}, "metadata": {...}}.
//
// C is a list of arguments (format 1.0), {"arguments": list, "source", "machine_info"} (1.1, 1.2), the same with
// "contexts" (1.9), or {"config_id", "config_hash", "arguments": object, "executions"} (2): told apart configuration by
// configuration. Capture files {"content": [{"operation", "arguments"}, ...]} are read as well. Our own masters have
// the executions of an operation in a list beside its configurations.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/base/json_stream.hpp"
#include "tracelift/dialects/call_stream.hpp"
#include "tracelift/dialects/json_tree.hpp"

namespace tracelift {

// One configuration, in pieces of text that are valid as long as `buffer` is held. Empty: not there.
struct MasterPiece {
    std::string operation;  // as the file has it
    size_t index = 0;       // in the list of that operation's configurations, or of the whole capture file
    bool in_capture = false;
    std::string_view text;  // the whole configuration
    std::string_view arguments;
    std::string_view executions;    // its own list, or "contexts"
    std::string_view source;        // formats 1.1 and 1.2
    std::string_view machine_info;  // format 1.2
    std::string_view config_hash;   // without quotes
    std::vector<Value> told;        // executions from the list beside the configurations, as plain trees
    JsonBuffer buffer;

    bool is_format2() const { return arguments.starts_with('{'); }
    std::string place() const;  // operations/ttnn::add/configurations[3]
};

class MasterSink {
public:
    virtual ~MasterSink() = default;
    virtual void configuration(MasterPiece&& piece) = 0;
    virtual void metadata(const Value& metadata) = 0;  // a dict
};

// `name` stands for the file in messages. An empty text, or an empty JSON string, is a master without data. Throws
// FileError with the place and what was expected.
void read_master(JsonStream& stream, const std::string& name, MasterSink& sink);
void read_master_file(const std::filesystem::path& path, MasterSink& sink);

}  // namespace tracelift
