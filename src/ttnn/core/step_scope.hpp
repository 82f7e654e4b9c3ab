// StepScope: tells the observers that a step below an operation begins, and that it ended or failed.
#pragma once

#include <span>
#include <string_view>

#include "ttnn/core/observer.hpp"

namespace ttnn {

class StepScope {
public:
    explicit StepScope(const FunctionCall& call) : name_(call.name) {
        notify([&](Observer& observer) { observer.function_begin(call); });
    }
    void end(std::span<const Tensor> outputs) {
        notify([&](Observer& observer) { observer.function_end(name_, outputs); });
        open_ = false;
    }
    ~StepScope() {
        if (open_) {
            notify([&](Observer& observer) { observer.function_failed(name_); });
        }
    }
    StepScope(const StepScope&) = delete;
    StepScope& operator=(const StepScope&) = delete;

private:
    std::string_view name_;
    bool open_ = true;
};

}  // namespace ttnn
