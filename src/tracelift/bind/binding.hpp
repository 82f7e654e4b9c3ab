// Binding: a call read from anywhere is fitted to its operation's declaration, and gets its identity.
//
// Values are typed by the declaration, arguments that equal their default disappear, and what was positional gets its
// name. So a call has one identity whichever road or format it came by.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/bind/hardware.hpp"
#include "tracelift/value/value.hpp"

namespace ttnn {
class Device;
struct OpInfo;
}  // namespace ttnn

namespace tracelift {

// A call as somebody wrote it down.
struct StoredCall {
    std::string operation;                         // "ttnn.add" or "ttnn::add"
    std::vector<std::optional<Value>> positional;  // nullopt: not given
    Value::Dict keywords;
};

// The same with values that somebody else holds.
struct CallView {
    struct Keyword {
        std::string_view name;
        const Value* value;
    };
    std::string_view operation;
    std::vector<const Value*> positional{};  // nullptr: not given
    std::vector<Keyword> keywords{};
};
CallView view_of(const StoredCall& call);

struct BoundCall {
    std::string operation;  // the declaration's own name, dotted
    Value::Dict arguments;  // by name; for an unbound call positional ones are arg0, arg1, ...
    bool bound = false;     // false: no declaration took it; it is kept as stored
    std::string note;       // why it is not bound
};

// The call without a declaration's help.
BoundCall as_stored(const CallView& call, std::string note);

// Which order positional arguments have.
enum class Order { PYTHON, CPP };

class Binder {
public:
    // Never throws for a call that does not fit: that one comes back unbound, with the reason. `board` is a text as in
    // board_text.hpp.
    BoundCall bind(const CallView& call, Order order, std::string_view board = {});
    BoundCall bind(const StoredCall& call, Order order, std::string_view board = {}) {
        return bind(view_of(call), order, board);
    }

private:
    const std::shared_ptr<ttnn::Device>& device(std::string_view board);
    std::map<std::string, std::shared_ptr<ttnn::Device>, std::less<>> devices_;
};

// "ttnn::add", "ttnn.add", "add" -> "ttnn.add"; "ttnn.add" -> "ttnn::add".
std::string dotted_name(std::string_view operation);
std::string cpp_name(std::string_view operation);

// The arguments of a bound call by C++ position; nullopt where the default is.
std::vector<std::optional<Value>> positional_arguments(const BoundCall& call);

// The content hash that makes configurations equal: operation, arguments, hardware, mesh and how tensors lie on it.
std::string identity(const BoundCall& call, const std::optional<Hardware>& hardware);

}  // namespace tracelift
