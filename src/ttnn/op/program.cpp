#include "ttnn/op/program.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>

#include "tracelift/value/bytes.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/core/step.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/run.hpp"
#include "ttnn/op/watchdog.hpp"

namespace ttnn {
namespace {

// What a program is built from, as far as it can be seen from outside: the same key means the same program.
uint64_t program_key(const Primitive& primitive, std::span<const ArgumentRef> arguments, const Program& program,
                     std::span<const Tensor> outputs) {
    std::string text(primitive.name);
    tracelift::ByteWriter attributes;
    for (const ArgumentRef& argument : arguments) {
        if (argument.tells_programs && !argument.is_tensor) {
            argument.put(argument, attributes);
        }
    }
    text += attributes.take();
    const auto add = [&](const Tensor& tensor) { text += tensor.spec().to_string(); };
    std::ranges::for_each(primitive.inputs, add);
    std::ranges::for_each(outputs, add);
    for (const CircularBuffer& buffer : program.circular_buffers()) {
        text += fmt::format("{}{}", buffer.size, buffer.cores);
    }
    return std::hash<std::string>{}(text);
}

// Whether this run is the first to use the program.
bool compiles(Device& device, uint64_t key) {
    thread_local uint64_t run = 0;
    thread_local std::unordered_set<uint64_t> fresh;
    if (run != operation_run) {
        run = operation_run;
        fresh.clear();
    }
    if (device.compile(key)) {
        fresh.insert(key);
    }
    return fresh.contains(key);
}

std::vector<PlacedCircularBuffer> place(const Device& device, const Program& program) {
    return place_circular_buffers(program.circular_buffers(), device.board().l1_base, device.board().granularity);
}

void dispatch(const Device& device, const Primitive& primitive, std::span<const PlacedCircularBuffer> placed,
              std::span<Tensor> outputs) {
    device.check_circular_buffers(placed, primitive.name);
    const auto mocked = [](const Tensor& tensor) { return tensor.is_on_device() && tensor.is_mocked(); };
    if (std::ranges::any_of(primitive.inputs, mocked) || std::ranges::any_of(outputs, mocked)) [[unlikely]] {
        return;  // made while nothing was dispatched: there are no values to compute with, or no place for them
    }
    if (device.operation_timeout() > 0) [[unlikely]] {
        return run_with_timeout(std::chrono::duration<double>(device.operation_timeout()), primitive.name,
                                [&] { primitive.kernel(outputs); });
    }
    primitive.kernel(outputs);
}

void run_observed(Device& device, const Primitive& primitive, std::span<const ArgumentRef> arguments,
                  std::span<Tensor> outputs) {
    Program program(device);
    primitive.program(program, outputs);
    const auto placed = place(device, program);
    const bool blocked = dispatch_blocked();
    const bool compiled = blocked || compiles(device, program_key(primitive, arguments, program, outputs));
    notify([&](Observer& observer) { observer.circular_buffers_allocated(device, placed, compiled); });
    if (!blocked) {
        dispatch(device, primitive, placed, outputs);
    }
}

ArgumentList arguments_of(const Primitive& primitive) {
    ArgumentList list;
    primitive.arguments(list);
    if (list.view().empty() && !primitive.inputs.empty()) {
        primitive.inputs.size() == 1 ? list.add(primitive.inputs.front()) : list.add(primitive.inputs);
    }
    return list;
}

[[gnu::noinline]] void launch_observed(const std::shared_ptr<Device>& device, const Primitive& primitive,
                                       std::span<const TensorSpec> specs, std::span<Tensor> outputs) {
    const ArgumentList list = arguments_of(primitive);
    const std::span<const ArgumentRef> arguments = list.view();
    const auto device_operation = [&] {
        for (size_t i = 0; i < specs.size(); ++i) {
            outputs[i] = Tensor::allocate_on_device(specs[i], device);
        }
        throw_held_refusal();
        run_observed(*device, primitive, arguments, outputs);
        return std::span<const Tensor>(outputs);
    };
    const FunctionCall call{.name = primitive.name,
                            .tensors = primitive.linked ? primitive.inputs : std::span<const Tensor>(),
                            .inputs = static_cast<uint32_t>(arguments.size()),
                            .arguments = arguments};
    run_step(call, [&] {
        run_step({.name = device_operation_name, .inputs = 2, .arguments = arguments}, device_operation);
        return std::span<const Tensor>(outputs);
    });
}

void launch_into(const std::shared_ptr<Device>& device, const Primitive& primitive, std::span<const TensorSpec> specs,
                 std::span<Tensor> outputs) {
    if (steps_captured()) [[unlikely]] {
        return launch_observed(device, primitive, specs, outputs);
    }
    for (size_t i = 0; i < specs.size(); ++i) {
        outputs[i] = Tensor::allocate_on_device(specs[i], device);
    }
    Program program(*device);
    primitive.program(program, outputs);
    dispatch(*device, primitive, place(*device, program), outputs);
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
