#include "ttnn/core/step.hpp"

#include <exception>

namespace ttnn {

void run_step(const FunctionCall& call, FunctionRef<std::span<const Tensor>()> body) {
    notify([&](Observer& observer) { observer.function_begin(call); });
    try {
        const std::span<const Tensor> outputs = body();
        notify([&](Observer& observer) { observer.function_end(call.name, outputs); });
    } catch (const std::exception& error) {
        notify([&](Observer& observer) { observer.function_failed(call.name, error.what()); });
        throw;
    } catch (...) {
        notify([&](Observer& observer) { observer.function_failed(call.name, {}); });
        throw;
    }
}

}  // namespace ttnn
