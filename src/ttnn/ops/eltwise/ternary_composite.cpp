#include "ttnn/ops/eltwise/ternary_composite.hpp"

#include <algorithm>

#include "ttnn/compute/binary_program.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/eltwise/binary_arguments.hpp"
#include "ttnn/ops/eltwise/binary_composite.hpp"

namespace ttnn {
namespace {

constexpr size_t operand_count = 3;

const Tensor& first_tensor(const TernaryArguments& call) {
    return **std::ranges::find_if(call.operands, [](const Tensor* tensor) { return tensor != nullptr; });
}

void check_layouts(const TernaryArguments& call) {
    for (size_t i = 0; i < operand_count; ++i) {
        const Tensor* tensor = call.operands[i];
        require(tensor == nullptr || tensor->layout() == Layout::TILE || call.tilizes,
                "{}: argument '{}' must have Layout::TILE, got {}", call.op, call.names[i],
                tensor == nullptr ? Layout::TILE : tensor->layout());
    }
    require(call.output == nullptr || call.output->layout() == Layout::TILE,
            "{}: the output tensor must have Layout::TILE, got {}", call.op,
            call.output == nullptr ? Layout::TILE : call.output->layout());
}

Shape shape_of(const TernaryArguments& call) {
    Shape shape = first_tensor(call).logical_shape();
    for (const Tensor* tensor : call.operands) {
        shape = tensor == nullptr ? shape : binary_shape(call.op, shape, tensor->logical_shape());
    }
    return shape;
}

// The operand whose memory config the result takes: the one with the most shards, of equal ones the first.
const Tensor& most_spread(const TernaryArguments& call) {
    const auto cores = [](const Tensor* tensor) {
        const MemoryConfig& config = tensor->memory_config();
        return !config.is_sharded()                  ? 0U
               : config.created_with_nd_shard_spec() ? config.nd_shard_spec()->num_cores()
               : config.shard_spec()                 ? config.shard_spec()->num_cores()
                                                     : 0U;
    };
    const Tensor* most = &first_tensor(call);
    for (const Tensor* tensor : call.operands) {
        most = tensor != nullptr && cores(tensor) > cores(most) ? tensor : most;
    }
    return *most;
}

TensorSpec output_spec(const TernaryArguments& call, const Shape& shape) {
    if (call.output != nullptr) {
        check_preallocated(call.op, "output_tensor", *call.output, shape, true);
        return call.output->spec();
    }
    return TensorSpec(shape, call.dtype, Layout::TILE,
                      eltwise_memory_config(call.memory_config, most_spread(call), nullptr, shape));
}

// Runs of three operands from the tensors among them; numbers are spread over a run once.
template <class T>
class Rows {
public:
    explicit Rows(const TernaryArguments& call) : call_(call) {}

    const T* const* of(const T* const* tensors, size_t count) {
        size_t next = 0;
        for (size_t i = 0; i < operand_count; ++i) {
            rows_[i] = call_.operands[i] != nullptr ? tensors[next++] : spread(i, count);
        }
        return rows_.data();
    }

private:
    const T* spread(size_t i, size_t count) {
        if (spread_[i].size() < count) {
            spread_[i] = Dense<T>(count);
            std::fill(spread_[i].begin(), spread_[i].end(), number(call_.scalars[i]));
        }
        return spread_[i].data();
    }
    static T number(const Scalar& scalar) {
        if constexpr (std::is_same_v<T, float>) {
            return static_cast<float>(as_double(scalar));
        } else {
            return static_cast<uint32_t>(as_integer(scalar));
        }
    }

    const TernaryArguments& call_;
    std::array<Dense<T>, operand_count> spread_;
    std::array<const T*, operand_count> rows_{};
};

// A floating condition as integers 0 and 1.
Tensor mask_of(const Tensor& condition) {
    Tensor mask = Tensor::allocate_on_host(TensorSpec(condition.logical_shape(), DataType::UINT32, Layout::TILE));
    compute::map(condition, mask, [](float* values, size_t count) {
        std::transform(values, values + count, values, [](float value) { return value != 0 ? 1.0F : 0.0F; });
    });
    return mask;
}

void run_kernel(const TernaryArguments& call, const TernaryKernel& kernel, std::span<const Tensor> inputs,
                Tensor& output) {
    const auto values = inputs.subspan(call.mixed_condition ? 1 : 0);
    const bool whole = is_integer(output.dtype()) &&
                       std::ranges::all_of(values, [](const Tensor& input) { return is_integer(input.dtype()); });
    if (whole) {
        std::vector<Tensor> exact(inputs.begin(), inputs.end());
        exact[0] = is_integer(exact[0].dtype()) ? exact[0] : mask_of(exact[0]);
        Rows<uint32_t> rows(call);
        compute::zip_bits(exact, output, [&](const uint32_t* const* from, uint32_t* to, size_t count) {
            kernel.integers(rows.of(from, count), to, count);
        });
        return;
    }
    Rows<float> rows(call);
    compute::zip(inputs, output, [&](const float* const* from, float* to, size_t count) {
        kernel.floats(rows.of(from, count), to, count);
    });
}

// As the binary primitive's, with one more operand; no published trace shows this program.
void declare_buffers(Program& program, const TernaryArguments& call, std::span<const Tensor> inputs,
                     const Tensor& output) {
    const CoreRangeSet& cores = call.cores != nullptr ? *call.cores : program.full_grid();
    const uint64_t block = std::max(compute::block_tiles(inputs), compute::block_tiles({&output, 1}));
    for (const Tensor& input : inputs) {
        compute::operand_buffer(program, input, cores, block);
    }
    compute::operand_buffer(program, output, cores, block);
}

}  // namespace

void check_ternary_dtypes(const TernaryArguments& call, bool int32_too) {
    const bool whole = int32_too && first_tensor(call).dtype() == DataType::INT32;
    for (size_t i = 0; i < operand_count; ++i) {
        const Tensor* tensor = call.operands[i];
        if (tensor == nullptr) {
            continue;
        }
        const bool fits = whole ? tensor->dtype() == DataType::INT32 : is_floating(tensor->dtype());
        check_at_launch([&] {
            require(fits, "{}: argument '{}' must have {}, got {}", call.op, call.names[i],
                    whole       ? "dtype INT32 as the first one"
                    : int32_too ? "a floating dtype, or INT32 when all tensors have it"
                                : "a floating dtype",
                    member_name(tensor->dtype()));
        });
    }
}

Tensor run_ternary(const TernaryArguments& call, const TernaryKernel& kernel) {
    check_at_launch([&] { check_layouts(call); });
    bool row_major = !call.mixed_condition;
    for (const Tensor* tensor : call.operands) {
        row_major = row_major && (tensor == nullptr || tensor->layout() == Layout::ROW_MAJOR);
    }
    require(!row_major || call.output == nullptr,
            "{}: a preallocated output is not supported when all tensor operands have Layout::ROW_MAJOR", call.op);
    const TensorSpec spec = output_spec(call, shape_of(call));
    std::vector<Tensor> given;
    for (const Tensor* tensor : call.operands) {
        if (tensor != nullptr) {
            given.push_back(in_tiles(*tensor));
        }
    }
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        declare_buffers(p, call, given, outputs[0]);
    };
    const auto run = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        run_kernel(call, kernel, inputs, outputs[0]);
    };
    // It lists no arguments, so the operation and its cores have to be told; numbers are handed over when it runs.
    const auto key = [&](ProgramKey& k, std::span<const Tensor> outputs) {
        k.add(call.op);
        for (const Tensor* tensor : call.operands) {
            k.add(tensor != nullptr);
        }
        for (const Tensor& tensor : given) {
            k.add(tensor.spec());
        }
        k.add(outputs[0].spec());
        k.add(call.cores != nullptr);
        if (call.cores != nullptr) {
            k.add(*call.cores);
        }
    };
    Primitive primitive{"ttnn::prim::ternary", given, program, run};
    primitive.key = key;
    Tensor result = call.output != nullptr ? launch(primitive, spec, *call.output) : launch(primitive, spec);
    return row_major ? ttnn::to_layout(result, Layout::ROW_MAJOR) : result;
}

}  // namespace ttnn
