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

// Remembers what was made of a text, up to some size in all.
template <class T>
class TextMemo {
public:
    // What `make` makes of the text, now or the first time; valid until the next call.
    template <class Make>
    const T& get(std::string_view text, const Make& make) {
        const auto found = known_.find(text);
        if (found != known_.end()) {
            return found->second;
        }
        if (text.size() > longest) {
            return unkept_ = make();
        }
        if (bytes_ > most_bytes) {
            known_.clear();
            bytes_ = 0;
        }
        bytes_ += text.size();
        return known_.emplace(text, make()).first->second;
    }

private:
    static constexpr size_t longest = size_t{16} << 10;
    static constexpr size_t most_bytes = size_t{4} << 20;
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, T, Hash, std::equal_to<>> known_;
    size_t bytes_ = 0;
    T unkept_;  // too long to be remembered
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
