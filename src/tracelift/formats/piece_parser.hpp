// From the text of one configuration of a master to its call and its executions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/formats/master_reader.hpp"
#include "tracelift/formats/text_memo.hpp"

namespace tracelift {

struct MasterExecution {
    std::string source = "unknown";
    std::optional<Hardware> hardware;
    std::string board;  // to replay on
    std::string trace_uid;
    uint64_t count = 1;
};

// One per thread is worth keeping: it reuses its buffers, and remembers the arguments that it has read, of which a
// master repeats most many times. std::invalid_argument names what is malformed.
class PieceParser {
public:
    // The arguments, typed and in the order of the format.
    FileCall call(const MasterPiece& piece);
    // Where it was executed; at least one entry.
    std::vector<MasterExecution> executions(const MasterPiece& piece);

private:
    Value parsed(std::string_view text);
    void read_format1(std::string_view arguments, StoredCall& call);
    void read_format2(std::string_view arguments, StoredCall& call);

    JsonParser parser_;
    TextMemo<std::optional<Value>> format1_;
    TextMemo<Value> format2_;
    std::string placed_;
};

}  // namespace tracelift
