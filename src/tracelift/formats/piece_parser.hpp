// From the text of one configuration of a master to its call and its executions.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/formats/master_reader.hpp"
#include "tracelift/formats/shape_memo.hpp"
#include "tracelift/formats/text_memo.hpp"

namespace tracelift {

inline constexpr std::string_view unknown_source = "unknown";

struct MasterExecution {
    std::string source{unknown_source};
    std::optional<Hardware> hardware;
    std::string board;  // to replay on
    std::string trace_uid;
    uint64_t count = 1;
};

// The arguments of a configuration, typed and in the order of its format.
struct PieceCall {
    CallView call;
    Order order = Order::PYTHON;
};

// One per thread is worth keeping: it reuses its buffers, and remembers the arguments that it has read, of which a
// master repeats most many times. std::invalid_argument names what is malformed.
class PieceParser {
public:
    // Valid until the next one is asked for, and as long as the piece.
    PieceCall call(const MasterPiece& piece);
    // Where it was executed; at least one entry.
    std::vector<MasterExecution> executions(const MasterPiece& piece);

private:
    Value parsed(std::string_view text);
    void read_format1(std::string_view arguments, CallView& call);
    void read_format2(std::string_view arguments, CallView& call);

    struct Argument {
        size_t position;
        std::optional<Value> value;  // nullopt: not given
    };
    JsonParser parser_;
    TextMemo<Argument> format1_;
    TextMemo<Value> format2_;
    ShapeMemo shapes_;
    std::deque<Argument> elsewhere_;  // of texts that are remembered for another position
    std::deque<std::string> names_;   // of the keywords
};

}  // namespace tracelift
