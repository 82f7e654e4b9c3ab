// From the text of one configuration of a master to its call and its executions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracelift/formats/master_reader.hpp"

namespace tracelift {

struct MasterExecution {
    std::string source = "unknown";
    std::optional<Hardware> hardware;
    std::string board;  // to replay on
    std::string trace_uid;
    uint64_t count = 1;
};

// One per thread is worth keeping: it reuses its buffers, and remembers the arguments of format 2 that it has read, of
// which a master repeats most many times. std::invalid_argument names what is malformed.
class PieceParser {
public:
    // The arguments, typed and in the order of the format.
    FileCall call(const MasterPiece& piece);
    // Where it was executed; at least one entry.
    std::vector<MasterExecution> executions(const MasterPiece& piece);

private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    Value parsed(std::string_view text);
    const Value& python_value(std::string_view text);  // until the next one

    JsonParser parser_;
    std::unordered_map<std::string, Value, Hash, std::equal_to<>> known_;  // by text
    size_t known_bytes_ = 0;
    Value unkept_;  // too long to be remembered
};

}  // namespace tracelift
