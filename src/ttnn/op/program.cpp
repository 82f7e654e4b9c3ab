#include "ttnn/op/program.hpp"

#include <array>

#include "ttnn/core/error.hpp"
#include "ttnn/core/observer.hpp"

namespace ttnn {
namespace {

// Announces a step to the observers, if there are any, and its end or failure.
class Scope {
public:
    Scope(std::string_view name, std::span<const Tensor> inputs) : name_(name), active_(captured()) {
        if (active_) [[unlikely]] {
            notify([&](Observer& observer) { observer.function_begin(name_, inputs); });
        }
    }
    void end(std::span<const Tensor> outputs) {
        if (active_) [[unlikely]] {
            notify([&](Observer& observer) { observer.function_end(name_, outputs); });
        }
        active_ = false;
    }
    ~Scope() {
        if (active_) [[unlikely]] {
            notify([&](Observer& observer) { observer.function_failed(name_); });
        }
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    std::string_view name_;
    bool active_;
};

void run_program(const Device& device, const Primitive& primitive, std::span<Tensor> outputs) {
    Program program(device);
    primitive.program(program, outputs);
    const auto placed =
        place_circular_buffers(program.circular_buffers(), device.board().l1_base, device.board().granularity);
    if (captured()) [[unlikely]] {
        notify([&](Observer& observer) { observer.circular_buffers_allocated(device, placed); });
    }
    device.check_circular_buffers(placed, primitive.name);
    primitive.kernel(outputs);
    if (captured()) [[unlikely]] {
        notify([&](Observer& observer) { observer.circular_buffers_released(device); });
    }
}

Tensor create_device_tensor(const TensorSpec& spec, const std::shared_ptr<Device>& device) {
    Scope scope("create_device_tensor", {});
    Tensor tensor = Tensor::allocate_on_device(spec, device);
    scope.end({&tensor, 1});
    return tensor;
}

void launch_into(const std::shared_ptr<Device>& device, const Primitive& primitive, std::span<const TensorSpec> specs,
                 std::span<Tensor> outputs) {
    Scope outer(primitive.name, primitive.inputs);
    Scope inner("Device Operation", primitive.inputs);
    for (size_t i = 0; i < specs.size(); ++i) {
        outputs[i] = create_device_tensor(specs[i], device);
    }
    run_program(*device, primitive, outputs);
    inner.end(outputs);
    outer.end(outputs);
}

std::shared_ptr<Device> device_of(const Primitive& primitive) {
    require(!primitive.inputs.empty() && primitive.inputs.front().is_on_device(),
            "{}: its first input must be on a device", primitive.name);
    return primitive.inputs.front().device();
}

}  // namespace

void Program::circular_buffer(const CoreRangeSet& cores, uint64_t bytes) {
    buffers_.push_back({cores, bytes, nullptr});
}

void Program::global_circular_buffer(const Tensor& sharded, uint64_t bytes) {
    buffers_.push_back({sharded.memory_config().shard_spec()->grid, bytes, sharded.buffer().get()});
}

Tensor launch(const Primitive& primitive, const TensorSpec& output, const std::optional<Tensor>& preallocated) {
    if (!preallocated) {
        return launch_on(device_of(primitive), primitive, output);
    }
    Tensor result = *preallocated;
    launch_into(device_of(primitive), primitive, {}, {&result, 1});
    return result;
}

std::vector<Tensor> launch(const Primitive& primitive, std::span<const TensorSpec> outputs) {
    std::vector<Tensor> results(outputs.size());
    launch_into(device_of(primitive), primitive, outputs, results);
    return results;
}

Tensor launch_on(const std::shared_ptr<Device>& device, const Primitive& primitive, const TensorSpec& output) {
    Tensor result;
    launch_into(device, primitive, {&output, 1}, {&result, 1});
    return result;
}

}  // namespace ttnn
