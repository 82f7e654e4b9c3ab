#include "ttnn/op/program.hpp"

#include <algorithm>
#include <iterator>

#include "ttnn/core/call_context.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/core/step.hpp"
#include "ttnn/op/chips.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/watchdog.hpp"

namespace ttnn {
namespace {

uint64_t program_key(const Primitive& primitive, std::span<const Tensor> outputs) {
    ProgramKey key;
    key.add(primitive.name);
    if (primitive.key) {
        (*primitive.key)(key, outputs);
        return key.value();
    }
    ArgumentList arguments;
    primitive.arguments(arguments);
    key.add_arguments(arguments.view());
    for (const std::span<const Tensor> tensors : {primitive.inputs, outputs}) {
        for (const Tensor& tensor : tensors) {
            key.add(static_cast<bool>(tensor));
            if (tensor) {
                key.add(tensor.spec());
            }
        }
    }
    return key.value();
}

// Looks the program up on the device, which remembers it. Tells whether it was compiled for the call that is open.
bool record_program(Device& device, const Primitive& primitive, std::span<const Tensor> outputs) {
    return device.program_cache().compiled_for(call_context.run, program_key(primitive, outputs), primitive.name);
}

std::vector<PlacedCircularBuffer> place(const Device& device, const Program& program) {
    return place_circular_buffers(program.circular_buffers(), device.board().l1_base, device.board().granularity);
}

void dispatch(const Device& device, const Primitive& primitive, std::span<const PlacedCircularBuffer> placed,
              std::span<Tensor> outputs) {
    device.check_circular_buffers(placed, primitive.name);
    const auto mocked = [](const Tensor& tensor) { return tensor && tensor.is_on_device() && tensor.is_mocked(); };
    if (std::ranges::any_of(primitive.inputs, mocked) || std::ranges::any_of(outputs, mocked)) [[unlikely]] {
        return;  // made while nothing was dispatched: there are no values to compute with, or no place for them
    }
    if (device.operation_timeout() > 0) [[unlikely]] {
        return run_with_timeout(std::chrono::duration<double>(device.operation_timeout()), primitive.name,
                                [&] { run_on_chips(device, primitive, outputs); });
    }
    run_on_chips(device, primitive, outputs);
}

void run_observed(Device& device, const Primitive& primitive, std::span<Tensor> outputs) {
    Program program(device);
    primitive.program(program, outputs);
    const auto placed = place(device, program);
    const bool blocked = dispatch_blocked();
    const bool compiled = blocked || record_program(device, primitive, outputs);
    notify([&](Observer& observer) { observer.circular_buffers_allocated(device, placed, compiled); });
    if (!blocked) {
        dispatch(device, primitive, placed, outputs);
    }
}

// Without the places of those that are not given.
std::vector<Tensor> given_tensors(std::span<const Tensor> tensors) {
    std::vector<Tensor> given;
    std::ranges::copy_if(tensors, std::back_inserter(given), [](const Tensor& tensor) { return bool(tensor); });
    return given;
}

ArgumentList arguments_of(const Primitive& primitive, std::span<const Tensor> inputs) {
    ArgumentList list;
    primitive.arguments(list);
    if (list.view().empty() && primitive.linked && !inputs.empty()) {
        inputs.size() == 1 ? list.add(inputs.front()) : list.add(inputs);
    }
    return list;
}

// What an operation writes is spread over the mesh as its inputs are. A new tensor is replicated before.
void spread_like(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    std::vector<const Topology*> topologies;
    for (const Tensor& input : inputs) {
        if (input && input.num_parts() > 1) {
            topologies.push_back(&input.topology());
        }
    }
    if (topologies.empty()) {
        return;
    }
    const Topology topology = merged(topologies);
    for (Tensor& output : outputs) {
        if (output) {
            output.set_topology(topology);
        }
    }
}

// Of a call on parts of one chip the new outputs are parts too, and those that are given keep what other chips have.
void fit_to_mesh(const Device& device, const Primitive& primitive, std::span<const OutputSlot> slots,
                 std::span<Tensor> outputs) {
    const std::optional<uint32_t> chip = only_chip(device, primitive.inputs, outputs);
    if (!chip) {
        return spread_like(primitive.inputs, outputs);
    }
    for (size_t i = 0; i < slots.size(); ++i) {
        if (outputs[i] && !slots[i].preallocated) {
            outputs[i] = outputs[i].part(*chip);
        }
    }
}

void allocate(const std::shared_ptr<Device>& device, const Primitive& primitive, std::span<const OutputSlot> slots,
              std::span<Tensor> outputs) {
    for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].preallocated) {
            outputs[i] = *slots[i].preallocated;
        } else if (slots[i].wanted) {
            outputs[i] = Tensor::allocate_on_device(slots[i].spec, device);
        }
    }
    if (device->num_chips() > 1) [[unlikely]] {
        fit_to_mesh(*device, primitive, slots, outputs);
    }
}

[[gnu::noinline]] void launch_observed(const std::shared_ptr<Device>& device, const Primitive& primitive,
                                       std::span<const OutputSlot> slots, std::span<Tensor> outputs) {
    const std::vector<Tensor> inputs = given_tensors(primitive.inputs);
    const ArgumentList list = arguments_of(primitive, inputs);
    const std::span<const ArgumentRef> arguments = list.view();
    std::vector<Tensor> made;
    const auto device_operation = [&] {
        allocate(device, primitive, slots, outputs);
        throw_held_refusal();
        run_observed(*device, primitive, outputs);
        made = given_tensors(outputs);
        return std::span<const Tensor>(made);
    };
    const FunctionCall call{.name = primitive.name,
                            .tensors = primitive.linked ? std::span<const Tensor>(inputs) : std::span<const Tensor>(),
                            .inputs = static_cast<uint32_t>(arguments.size()),
                            .arguments = arguments};
    run_step(call, [&] {
        run_step({.name = device_operation_name, .inputs = 2, .arguments = arguments}, device_operation);
        return std::span<const Tensor>(made);
    });
}

void launch_into(const std::shared_ptr<Device>& device, const Primitive& primitive, std::span<const OutputSlot> slots,
                 std::span<Tensor> outputs) {
    const CallScope scope;
    if (steps_captured()) [[unlikely]] {
        return launch_observed(device, primitive, slots, outputs);
    }
    allocate(device, primitive, slots, outputs);
    Program program(*device);
    primitive.program(program, outputs);
    record_program(*device, primitive, outputs);
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
    const OutputSlot slot{.spec = output, .preallocated = preallocated};
    Tensor result;
    launch_into(device_of(primitive), primitive, {&slot, 1}, {&result, 1});
    return result;
}

std::vector<Tensor> launch(const Primitive& primitive, std::span<const OutputSlot> outputs) {
    std::vector<Tensor> results(outputs.size());
    launch_into(device_of(primitive), primitive, outputs, results);
    return results;
}

Tensor launch_on(const std::shared_ptr<Device>& device, const Primitive& primitive, const TensorSpec& output) {
    const OutputSlot slot{.spec = output};
    Tensor result;
    launch_into(device, primitive, {&slot, 1}, {&result, 1});
    return result;
}

}  // namespace ttnn
