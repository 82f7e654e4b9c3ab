// launch: runs one primitive, i.e. one device operation with its outputs and circular buffers.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/argument_list.hpp"
#include "ttnn/op/program_key.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// The circular buffers that a primitive's program allocates, in creation order.
class Program {
public:
    explicit Program(const Device& device) : device_(device) {}

    const Device& device() const { return device_; }
    // The whole compute grid, and the cores that get one of `units` of work.
    const CoreRangeSet& full_grid() const { return device_.full_grid(); }
    CoreRangeSet split(uint64_t units, bool row_wise = false) const {
        return split_work_to_cores(device_.compute_grid(), units, row_wise).all_cores;
    }

    void circular_buffer(const CoreRangeSet& cores, uint64_t bytes);
    // Lives in the tensor's own sharded L1 buffer.
    void global_circular_buffer(const Tensor& sharded, uint64_t bytes);

    std::span<const CircularBuffer> circular_buffers() const { return buffers_; }

private:
    const Device& device_;
    std::vector<CircularBuffer> buffers_;
};

inline constexpr auto no_arguments = [](ArgumentList&) {};

// What a kernel works on: the tensors of one chip, in the places of the primitive's inputs and outputs. It must not
// look at others: on a mesh it runs once for every chip.
using Kernel = FunctionRef<void(std::span<const Tensor> inputs, std::span<Tensor> outputs)>;

struct Primitive {
    std::string_view name;  // "ttnn::prim::binary"
    // Optional inputs that are not given are empty tensors: they keep their place.
    std::span<const Tensor> inputs;
    // Declares the circular buffers; sees the outputs because sharded ones hold some of them.
    FunctionRef<void(Program&, std::span<const Tensor> outputs)> program;
    // Computes the outputs' values.
    Kernel kernel;
    // The arguments of its C++ call; none listed: its inputs.
    FunctionRef<void(ArgumentList&)> arguments = no_arguments;
    bool linked = true;  // whether its tensors are of a type that traces link
    // The kernel is given the tensors of all chips at once and looks at their parts itself (collectives).
    bool whole_mesh = false;
    bool repeatable = true;  // equal inputs give equal outputs; false: random numbers
    // What tells its programs apart. Not given: its arguments that are not tensors, and the specs of inputs and
    // outputs.
    std::optional<FunctionRef<void(ProgramKey&, std::span<const Tensor> outputs)>> key{};
};

// A place among a primitive's outputs.
struct OutputSlot {
    TensorSpec spec;
    std::optional<Tensor> preallocated{};  // written in the place of a new tensor
    bool wanted = true;                    // false: the place stays empty
};

// Runs a primitive on the device of its first input; results stand in the places of their slots.
std::vector<Tensor> launch(const Primitive& primitive, std::span<const OutputSlot> outputs);
// The same with one output.
Tensor launch(const Primitive& primitive, const TensorSpec& output,
              const std::optional<Tensor>& preallocated = std::nullopt);
// No input tensor to take the device from (creation).
Tensor launch_on(const std::shared_ptr<Device>& device, const Primitive& primitive, const TensorSpec& output);

// Bytes of one page: a tile, or a row of a row-major tensor. Circular buffers are sized in these.
inline uint64_t page_bytes(const Tensor& tensor) { return tensor.spec().page_size(); }

}  // namespace ttnn
