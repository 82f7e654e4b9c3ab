#include "ttnn/op/refusal.hpp"

#include "ttnn/core/error.hpp"
#include "ttnn/core/step.hpp"

namespace ttnn {
namespace {

// Inputs on the host have no device to allocate on, and a spec may not follow from arguments that do not fit.
Tensor output_of_refused(std::span<const Tensor> inputs, FunctionRef<TensorSpec()> output) {
    if (inputs.empty() || !inputs.front().is_on_device()) {
        return {};
    }
    try {
        return Tensor::allocate_on_device(output(), inputs.front().device());
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

void HeldRefusal::settle() const {
    if (error_) {
        std::rethrow_exception(error_);
    }
}

void throw_held_refusal() {
    if (call_context.refusal != nullptr) {
        call_context.refusal->settle();
    }
}

void check_at_launch(FunctionRef<void()> check) {
    HeldRefusal* innermost = call_context.refusal;
    if (!steps_captured() || innermost == nullptr) {
        return check();
    }
    if (innermost->error_) {
        return;
    }
    try {
        check();
    } catch (const Error&) {
        innermost->error_ = std::current_exception();
        // An operation around that was refused before says what is wrong with the call that the user made.
        for (const HeldRefusal* outer = innermost->outer_; outer != nullptr; outer = outer->outer_) {
            innermost->error_ = outer->error_ ? outer->error_ : innermost->error_;
        }
    }
}

void check_primitive(std::string_view name, FunctionRef<void()> check, FunctionRef<std::vector<Tensor>()> inputs,
                     FunctionRef<TensorSpec()> output) {
    try {
        check();
    } catch (const Error&) {
        if (!steps_captured()) {
            throw;
        }
        const std::exception_ptr refusal = std::current_exception();
        const std::vector<Tensor> tensors = inputs();
        const auto refuse = [&]() -> std::span<const Tensor> {
            const Tensor shown = output_of_refused(tensors, output);
            std::rethrow_exception(refusal);
        };
        const auto device_operation = [&]() -> std::span<const Tensor> {
            run_step({.name = device_operation_name, .inputs = 2}, refuse);
            return {};
        };
        run_step({.name = name, .tensors = tensors, .inputs = static_cast<uint32_t>(tensors.size())}, device_operation);
    }
}

}  // namespace ttnn
