// Calls that a device operation refuses. Hardware allocates the outputs of a device operation before it looks at the
// arguments, so that the trace of a refused call has its primitive, its device operation and the output.
#pragma once

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "ttnn/core/call_context.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// What a device operation checks itself, called by the operation's `validate` or `run`. Where steps are captured an
// Error is held back until the operation's next launch has made its outputs, or until the operation ends without one.
// So the code between here and there must bear what the check refuses; what it cannot bear is checked outside.
void check_at_launch(FunctionRef<void()> check);

// An operation that runs on this thread: holds what check_at_launch refused.
class HeldRefusal {
public:
    HeldRefusal() : outer_(std::exchange(call_context.refusal, this)) {}
    ~HeldRefusal() { call_context.refusal = outer_; }
    HeldRefusal(const HeldRefusal&) = delete;
    HeldRefusal& operator=(const HeldRefusal&) = delete;

    // Throws it, if there is one.
    void settle() const;

private:
    friend void check_at_launch(FunctionRef<void()> check);
    friend void throw_held_refusal();

    HeldRefusal* outer_;
    std::exception_ptr error_;
};

// For launch: throws what the innermost operation holds, if anything.
void throw_held_refusal();

// Where the call cannot go on to a launch. Calls `check`; when it throws while steps are captured, the primitive is
// shown with an output of the spec that `output` gives, or without one when that throws too; the error goes on then.
void check_primitive(std::string_view name, FunctionRef<void()> check, FunctionRef<std::vector<Tensor>()> inputs,
                     FunctionRef<TensorSpec()> output);

}  // namespace ttnn
