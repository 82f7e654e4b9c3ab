#include "ttnn/compute/binary_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ttnn/compute/binary.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::compute {
namespace {

bool is_l1_sharded(const Tensor& tensor) {
    const MemoryConfig& config = tensor.memory_config();
    return config.is_sharded() && config.shard_spec() && config.buffer_type() == BufferType::L1;
}

// The tile that holds a scalar: block floats have no single number, so it is bfloat16 there.
uint64_t scalar_tile_bytes(const Tensor& a) {
    return a.spec().tile().bytes(is_block_float(a.dtype()) ? DataType::BFLOAT16 : a.dtype());
}

// A run of one number, as long as the longest run asked for so far.
template <class T>
class Constant {
public:
    explicit Constant(T value) : value_(value) {}
    const T* run(size_t count) {
        if (values_.size() < count) {
            values_ = Dense<T>(count);
            std::fill(values_.begin(), values_.end(), value_);
        }
        return values_.data();
    }

private:
    T value_;
    Dense<T> values_;
};

void activate(std::span<const UnaryWithParam> activations, float* values, size_t count) {
    for (const UnaryWithParam& activation : activations) {
        apply_unary(activation, values, count);
    }
}

// Integers pass through the float functions by value; the result is truncated.
void activate(std::span<const UnaryWithParam> activations, bool is_signed, uint32_t* values, size_t count) {
    if (activations.empty()) {
        return;
    }
    Dense<float> numbers(count);
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = is_signed ? static_cast<float>(static_cast<int32_t>(values[i])) : static_cast<float>(values[i]);
    }
    activate(activations, numbers.data(), count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<uint32_t>(static_cast<int64_t>(numbers[i]));
    }
}

// A copy of `values` with the activations applied, or `values` itself where there are none.
template <class T, class Activate>
const T* activated(std::span<const UnaryWithParam> activations, const T* values, size_t count, Dense<T>& scratch,
                   Activate apply) {
    if (activations.empty()) [[likely]] {
        return values;
    }
    if (scratch.size() < count) {
        scratch = Dense<T>(count);
    }
    std::copy(values, values + count, scratch.data());
    apply(scratch.data());
    return scratch.data();
}

// In BFLOAT16 the hardware gives +inf for the quotient 0 / 0 and for a remainder by 0. A NaN of an operand stays one.
void replace_undefined(BinaryOpType type, const float* a, const float* b, float* to, size_t count) {
    if (type != BinaryOpType::DIV && type != BinaryOpType::REMAINDER) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const bool undefined = b[i] == 0 && (type == BinaryOpType::DIV ? a[i] == 0 : !std::isnan(a[i]));
        to[i] = undefined ? std::numeric_limits<float>::infinity() : to[i];
    }
}

void run_in_floats(const BinaryArguments& call, std::span<const Tensor> inputs, Tensor& output) {
    Constant<float> scalar(static_cast<float>(as_double(call.scalar)));
    Dense<float> scratch[2];
    zip(inputs, output, [&](const float* const* from, float* to, size_t count) {
        const float* a = activated(call.a_activations, from[0], count, scratch[0],
                                   [&](float* values) { activate(call.a_activations, values, count); });
        const float* b = activated(call.b_activations, call.b != nullptr ? from[1] : scalar.run(count), count,
                                   scratch[1], [&](float* values) { activate(call.b_activations, values, count); });
        apply_binary(call.type, a, b, to, count, call.extra.data());
        if (output.dtype() == DataType::BFLOAT16) {
            replace_undefined(call.type, a, b, to, count);
        }
        activate(call.activations, to, count);
    });
}

void run_in_integers(const BinaryArguments& call, std::span<const Tensor> inputs, Tensor& output) {
    const bool is_signed = std::ranges::any_of(inputs, [](const Tensor& t) { return t.dtype() == DataType::INT32; });
    Constant<uint32_t> scalar(static_cast<uint32_t>(as_integer(call.scalar)));
    Dense<uint32_t> scratch[2];
    zip_bits(inputs, output, [&](const uint32_t* const* from, uint32_t* to, size_t count) {
        const uint32_t* a = activated(call.a_activations, from[0], count, scratch[0], [&](uint32_t* values) {
            activate(call.a_activations, is_signed, values, count);
        });
        const uint32_t* b =
            activated(call.b_activations, call.b != nullptr ? from[1] : scalar.run(count), count, scratch[1],
                      [&](uint32_t* values) { activate(call.b_activations, is_signed, values, count); });
        apply_binary(call.type, is_signed, a, b, to, count, call.extra.data());
        activate(call.activations, is_signed, to, count);
    });
}

void run_kernel(const BinaryArguments& call, std::span<const Tensor> inputs, Tensor& output) {
    if (!computes_in_integers(call)) [[likely]] {
        run_in_floats(call, inputs, output);
    } else if (is_integer(output.dtype())) {
        run_in_integers(call, inputs, output);
    } else {  // exact first, then one conversion
        Tensor exact = Tensor::allocate_on_host(TensorSpec(output.logical_shape(), inputs[0].dtype(), Layout::TILE));
        BinaryArguments plain = call;
        plain.activations = {};
        run_in_integers(plain, inputs, exact);
        map(exact, output, [&](float* values, size_t count) { activate(call.activations, values, count); });
    }
}

// In creation order: input a, input b, intermediates of fused activations, output.
void declare_buffers(Program& program, const BinaryArguments& call, std::span<const Tensor> inputs,
                     const Tensor& output) {
    const CoreRangeSet& cores = call.cores != nullptr ? *call.cores : program.full_grid();
    const Tensor& a = inputs[0];
    const uint64_t block = std::max(block_tiles(inputs), block_tiles({&output, 1}));
    operand_buffer(program, a, cores, block);
    if (call.b != nullptr) {
        operand_buffer(program, inputs[1], cores, block);
    } else {
        program.circular_buffer(cores, scalar_tile_bytes(a));
    }
    if (!call.a_activations.empty()) {
        program.circular_buffer(cores, 2 * block * page_bytes(a));
    }
    if (!call.b_activations.empty()) {
        program.circular_buffer(cores, 2 * block * (call.b != nullptr ? page_bytes(inputs[1]) : scalar_tile_bytes(a)));
    }
    operand_buffer(program, output, cores, block);
}

// How the last two dimensions broadcast, which is what programs are made for; batches are a matter of their arguments.
enum class BroadcastKind : uint8_t {
    NONE,
    SCALAR_A,
    SCALAR_B,
    ROW_A_COLUMN_B,
    ROW_B_COLUMN_A,
    ROW_A,
    COLUMN_A,
    ROW_B,
    COLUMN_B,
};

BroadcastKind broadcast_kind(const Shape& a, const Shape& b) {
    const bool row_a = a.from_end(1) == 1;
    const bool row_b = b.from_end(1) == 1;
    const bool column_a = a.from_end(0) == 1;
    const bool column_b = b.from_end(0) == 1;
    if (a.from_end(1) == b.from_end(1) && a.from_end(0) == b.from_end(0)) {
        return BroadcastKind::NONE;
    }
    if (row_a && column_a) {
        return BroadcastKind::SCALAR_A;
    }
    if (row_b && column_b) {
        return BroadcastKind::SCALAR_B;
    }
    if (row_a || column_a) {
        const BroadcastKind alone = row_a ? BroadcastKind::ROW_A : BroadcastKind::COLUMN_A;
        const BroadcastKind crossed = row_a ? BroadcastKind::ROW_A_COLUMN_B : BroadcastKind::ROW_B_COLUMN_A;
        return (row_a ? column_b : row_b) ? crossed : alone;
    }
    return row_b ? BroadcastKind::ROW_B : BroadcastKind::COLUMN_B;
}

// Rows have any length, and buffers hold whole ones.
void add_operand(ProgramKey& key, const TensorSpec& spec) {
    key.add_without_shape(spec);
    if (spec.layout() == Layout::ROW_MAJOR) {
        key.add(spec.page_size());
    }
}

// Neither shapes nor the scalar: programs get them when they run.
void add_program(ProgramKey& key, const BinaryArguments& call, const TensorSpec& output) {
    key.add(call.type);
    key.add(call.activations);
    key.add(call.a_activations);
    key.add(call.b_activations);
    add_operand(key, call.a->spec());
    key.add(call.b != nullptr);
    if (call.b != nullptr) {
        add_operand(key, call.b->spec());
        key.add(broadcast_kind(call.a->logical_shape(), call.b->logical_shape()));
    }
    add_operand(key, output);
    key.add(call.cores != nullptr);
    if (call.cores != nullptr) {
        key.add(*call.cores);
    }
}

}  // namespace

uint64_t block_tiles(std::span<const Tensor> tensors) {
    constexpr uint64_t largest = 8;
    for (const Tensor& tensor : tensors) {
        if (!is_l1_sharded(tensor)) {
            continue;
        }
        const uint64_t tiles = std::max<uint64_t>(shard_bytes(tensor) / page_bytes(tensor), 1);
        uint64_t block = std::min(largest, tiles);
        while (tiles % block != 0) {
            --block;
        }
        return block;
    }
    return 1;
}

void operand_buffer(Program& program, const Tensor& tensor, const CoreRangeSet& cores, uint64_t block) {
    if (is_l1_sharded(tensor)) {
        program.global_circular_buffer(tensor, shard_bytes(tensor));
    } else {
        program.circular_buffer(cores, 2 * block * page_bytes(tensor));
    }
}

Tensor launch_binary(const BinaryArguments& call, const TensorSpec& output) {
    const Tensor operands[2] = {*call.a, call.b != nullptr ? *call.b : Tensor()};
    const std::span<const Tensor> given(operands, call.b != nullptr ? 2 : 1);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        declare_buffers(p, call, given, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        run_kernel(call, inputs, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(*call.a);
        call.b != nullptr ? list.add(*call.b) : list.add_at_run(call.scalar);
        list.add_enum(call.type).add(call.dtype).add(call.memory_config).add(call.output);
        list.add(call.activations).add(call.a_activations).add(call.b_activations).add(call.cores);
    };
    const auto key = [&](ProgramKey& k, std::span<const Tensor> outputs) { add_program(k, call, outputs[0].spec()); };
    Primitive primitive{"ttnn::prim::binary", given, program, kernel, arguments};
    primitive.key = key;
    return call.output != nullptr ? launch(primitive, output, *call.output) : launch(primitive, output);
}

}  // namespace ttnn::compute
