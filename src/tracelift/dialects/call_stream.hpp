// What the readers of foreign files hand out: calls, one at a time, neutral and not yet bound to a declaration.
//
// A reader gets a CallSink and never collects calls itself, so memory does not grow with the input. It throws FileError
// only where the whole input is unusable; a single piece that cannot be read goes to CallSink::unread with its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracelift/base/errors.hpp"
#include "tracelift/bind/binding.hpp"

namespace tracelift {

// One call as a file has it.
struct FileCall {
    StoredCall call;                   // values in the runtime's own encoding
    Order order = Order::PYTHON;       // of the positional arguments
    std::string source;                // the test or model that made it; empty: the file does not say
    std::optional<Hardware> hardware;  // nullopt: the file does not say
    std::string trace_uid;             // empty: none
    uint64_t count = 1;                // calls that this one stands for
    uint64_t nanoseconds = 0;          // all of them together; 0: not measured
    std::string error;                 // the exception that ended the call; empty: it returned
};

// A piece that could not be read.
struct UnreadPiece {
    std::string place;  // file and position in it
    std::string text;
    std::string reason;
};

class CallSink {
public:
    virtual ~CallSink() = default;
    virtual void call(FileCall&& call) = 0;
    virtual void unread(UnreadPiece&& piece) = 0;
};

}  // namespace tracelift
