#include "ttnn/op/refusal.hpp"

#include <exception>

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
