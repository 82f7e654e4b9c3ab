#include "ttnn/ops/eltwise/binary_composite.hpp"

#include <algorithm>

#include "ttnn/compute/binary_program.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/repeat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"

namespace ttnn {
namespace {

constexpr size_t broadcast_dims = 5;

using DTypeSet = uint32_t;
constexpr DTypeSet set_of(std::initializer_list<DataType> dtypes) {
    DTypeSet set = 0;
    for (const DataType dtype : dtypes) {
        set |= 1U << static_cast<uint32_t>(dtype);
    }
    return set;
}
constexpr bool contains(DTypeSet set, DataType dtype) { return (set >> static_cast<uint32_t>(dtype) & 1) != 0; }

constexpr DTypeSet floats = set_of({DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
constexpr DTypeSet int32 = set_of({DataType::INT32});
constexpr DTypeSet wide_integers = set_of({DataType::INT32, DataType::UINT32, DataType::UINT16});

// What the original accepts, function by function.
constexpr DTypeSet accepted_dtypes(BinaryOpType type) {
    using enum BinaryOpType;
    switch (type) {
        case ADD:
        case SUB:
        case RSUB:
        case MUL:
        case EQ:
        case NE:
        case SQUARED_DIFFERENCE:
        case LOGICAL_AND:
        case LOGICAL_OR:
        case LOGICAL_XOR:
        case MAXIMUM:
        case MINIMUM: return floats | wide_integers;
        case GT:
        case GE:
        case LT:
        case LE:
        case FMOD:
        case REMAINDER:
        case ADDALPHA:
        case SUBALPHA: return floats | int32;
        case DIV:
        case DIV_FLOOR:
        case DIV_TRUNC: return floats | int32 | set_of({DataType::UINT16});
        case GCD:
        case LCM: return int32;
        case BITWISE_AND:
        case BITWISE_OR:
        case BITWISE_XOR:
        case LEFT_SHIFT:
        case RIGHT_SHIFT:
        case LOGICAL_RIGHT_SHIFT: return wide_integers;
        default: return floats;
    }
}

std::string names_of(DTypeSet set) {
    std::string text;
    for (const auto& member : EnumInfo<DataType>::members) {
        if (contains(set, member.value)) {
            text += (text.empty() ? "" : ", ") + std::string(member.name);
        }
    }
    return text;
}

void check_operand(const BinaryArguments& call, std::string_view name, const Tensor& tensor) {
    const DTypeSet accepted = accepted_dtypes(call.type);
    if (!contains(accepted, tensor.dtype())) [[unlikely]] {
        fail("{}: argument '{}' must have one of the dtypes {}, got {}", call.op, name, names_of(accepted),
             member_name(tensor.dtype()));
    }
    if (tensor.layout() == Layout::ROW_MAJOR) [[unlikely]] {
        require(tensor.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
                "{}: argument '{}' in ROW_MAJOR must not be WIDTH_SHARDED", call.op, name);
    }
}

// A two-operand function whose operands may change places.
constexpr bool is_commutative(BinaryOpType type) {
    using enum BinaryOpType;
    return type == ADD || type == MUL || type == EQ || type == NE || type == LOGICAL_AND || type == LOGICAL_OR ||
           type == LOGICAL_XOR || type == LOGADDEXP || type == LOGADDEXP2;
}

void check_output(const BinaryArguments& call, const Shape& shape) {
    if (call.output == nullptr) {
        return;
    }
    require(call.output->layout() == Layout::TILE, "{}: the output tensor must have Layout::TILE, got {}", call.op,
            call.output->layout());
    check_preallocated(call.op, "output_tensor", *call.output, shape, true);
}

DataType output_dtype_of(const BinaryArguments& call) {
    const DataType otherwise = default_output_dtype(call);
    if (call.output != nullptr) {
        require(!call.dtype || *call.dtype == call.output->dtype(),
                "{}: argument 'dtype' is {}, but the preallocated output has {}; they must agree", call.op,
                call.dtype.value_or(otherwise), call.output->dtype());
    }
    const DataType dtype = call.output != nullptr ? call.output->dtype() : call.dtype.value_or(otherwise);
    require(otherwise == call.a->dtype() || dtype == otherwise,
            "{}: the quotient of two INT32 tensors has dtype FLOAT32, got {} as output dtype", call.op,
            member_name(dtype));
    return dtype;
}

// By logical shape, so that the alignment is the default one.
TensorSpec output_spec(const BinaryArguments& call, const Shape& shape) {
    if (call.output != nullptr) {
        output_dtype_of(call);
        return call.output->spec();
    }
    return TensorSpec(shape, output_dtype_of(call), Layout::TILE,
                      eltwise_memory_config(call.memory_config, *call.a, call.b, shape));
}

// Nothing decides about the output but operand a, and its own spec is what the rules would give.
bool output_is_like_a(const BinaryArguments& call) {
    const TensorSpec& spec = call.a->spec();
    return call.output == nullptr && call.memory_config == nullptr && (!call.dtype || *call.dtype == spec.dtype()) &&
           default_output_dtype(call) == spec.dtype() && spec.memory_config().interleaved() &&
           (call.b == nullptr || !call.b->is_sharded()) && spec.alignment().rank() == 2 &&
           spec.alignment().from_end(0) == tile_size && spec.alignment().from_end(1) == tile_size &&
           spec.tile() == Tile();
}

Tensor repeated(const Tensor& tensor, size_t dim_from_end, uint32_t count) {
    std::vector<int64_t> repeats(tensor.logical_shape().rank(), 1);
    repeats[repeats.size() - 1 - dim_from_end] = count;
    return ttnn::repeat(tensor, repeats);
}

// Brings the batch dimensions of `second` to those of `first` by repeating, each in a call of its own. Sharded operands
// and other ranks are broadcast by the kernel.
void repeat_to(const Tensor& first, Tensor& second) {
    const size_t rank = first.logical_shape().rank();
    if (rank < 3 || rank > 4 || second.is_sharded()) {
        return;
    }
    for (size_t dim = rank - 1; dim >= 2; --dim) {
        const uint32_t wanted = first.logical_shape().from_end(dim);
        if (wanted > 1 && second.logical_shape().from_end(dim) == 1) {
            second = repeated(second, dim, wanted);
        }
    }
}

Tensor with_rank(const Tensor& tensor, size_t rank) {
    const Shape& shape = tensor.logical_shape();
    if (shape.rank() == rank) {
        return tensor;
    }
    const Shape wanted = shape.to_rank(rank);
    return ttnn::reshape(tensor, std::vector<int64_t>(wanted.begin(), wanted.end()));
}

// Both operands in TILE, of one rank and with equal batches.
void bring_together(const BinaryArguments& call, Tensor& a, Tensor& b) {
    const size_t rank = std::max(a.logical_shape().rank(), b.logical_shape().rank());
    a = with_rank(a, rank);
    b = with_rank(b, rank);
    repeat_to(a, b);
    repeat_to(b, a);
    if (is_commutative(call.type) && a.logical_volume() < b.logical_volume() && call.a_activations.empty() &&
        call.b_activations.empty()) {
        std::swap(a, b);
    }
}

bool is_row_major(const BinaryArguments& call) {
    return call.a->layout() == Layout::ROW_MAJOR && (call.b == nullptr || call.b->layout() == Layout::ROW_MAJOR);
}

void check_call(const BinaryArguments& call) {
    check_operand(call, call.a_name, *call.a);
    require(call.output == nullptr || !is_row_major(call),
            "{}: a preallocated output is not supported when all tensor operands have Layout::ROW_MAJOR", call.op);
    const Shape& own = call.a->logical_shape();
    if (call.b == nullptr) {
        check_output(call, own);
    } else {
        check_operand(call, call.b_name, *call.b);
        const bool alike = call.b->logical_shape() == own;
        if (!alike || call.output != nullptr) {
            check_output(call, alike ? own : binary_shape(call.op, own, call.b->logical_shape()));
        }
    }
}

std::vector<Tensor> inputs_of(const BinaryArguments& call) {
    std::vector<Tensor> inputs{*call.a};
    if (call.b != nullptr) {
        inputs.push_back(*call.b);
    }
    return inputs;
}

// Of the output that is allocated for operands which cannot be broadcast.
Shape larger_shape(const Tensor& a, const Tensor& b) {
    const size_t rank = std::max(a.logical_shape().rank(), b.logical_shape().rank());
    Shape result = Shape::filled(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        result[static_cast<int64_t>(rank - 1 - i)] =
            std::max(a.logical_shape().from_end(i), b.logical_shape().from_end(i));
    }
    return result;
}

Tensor run_general(const BinaryArguments& call) {
    const bool row_major = is_row_major(call);
    const Shape& own = call.a->logical_shape();
    const Shape shape = call.b != nullptr ? binary_shape(call.op, own, call.b->logical_shape()) : own;
    const TensorSpec spec = output_spec(call, shape);
    Tensor a = in_tiles(*call.a);
    Tensor b;
    BinaryArguments inner = call;
    inner.a = &a;
    if (call.b != nullptr) {
        b = in_tiles(*call.b);
        inner.b = &b;
        bring_together(call, a, b);
    }
    Tensor result = compute::launch_binary(inner, spec);
    return row_major ? ttnn::to_layout(result, Layout::ROW_MAJOR) : result;
}

ShardSpec adjusted(const ShardSpec& spec, const Shape& from, const Shape& to) {
    const auto scaled = [](uint64_t shard, uint64_t old_size, uint64_t new_size) {
        const uint64_t size = old_size == 0 ? shard : shard * new_size / old_size;
        return static_cast<uint32_t>(round_up<uint64_t>(std::max<uint64_t>(size, tile_size), tile_size));
    };
    const auto rows = [](const Shape& shape) {
        return shape.from_end(0) == 0 ? 0 : shape.volume() / shape.from_end(0);
    };
    ShardSpec result = spec;
    result.shape = {scaled(spec.shape[0], rows(from), rows(to)),
                    scaled(spec.shape[1], from.from_end(0), to.from_end(0))};
    return result;
}

Shape tiled_shape(const Shape& shape) { return TensorSpec(shape, DataType::BFLOAT16, Layout::TILE).padded_shape(); }

// The shard spec of a sharded operand for an output of another shape. N-D specs are taken as they are.
MemoryConfig config_for(const Tensor& operand, const Shape& output) {
    const MemoryConfig& config = operand.memory_config();
    if (!config.is_sharded() || config.created_with_nd_shard_spec() || operand.logical_shape() == output) {
        return config;
    }
    return MemoryConfig(config.memory_layout(), config.buffer_type(),
                        adjusted(*config.shard_spec(), operand.padded_shape(), tiled_shape(output)));
}

ShardSpec over_all_cores(const Device& device, TensorMemoryLayout layout, const Shape& output) {
    const CoreCoord grid = device.compute_grid();
    const Shape padded = tiled_shape(output);
    const uint32_t width = padded.from_end(0);
    const auto height = static_cast<uint32_t>(padded.volume() / std::max(width, 1U));
    const auto part = [](uint32_t size, uint32_t pieces) { return round_up(div_up(size, pieces), tile_size); };
    ShardSpec spec{device.full_grid(), {part(height, grid.y), part(width, grid.x)}};
    if (layout == TensorMemoryLayout::HEIGHT_SHARDED) {
        spec.shape = {part(height, grid.x * grid.y), width};
    } else if (layout == TensorMemoryLayout::WIDTH_SHARDED) {
        spec.shape = {height, part(width, grid.x * grid.y)};
    }
    return spec;
}

}  // namespace

Shape binary_shape(std::string_view op, const Shape& a, const Shape& b) {
    const size_t rank = std::max(a.rank(), b.rank());
    Shape result = Shape::filled(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        const uint32_t x = a.from_end(i);
        const uint32_t y = b.from_end(i);
        require(x == y || x == 1 || y == 1,
                "{}: shapes {} and {} cannot be broadcast: dimension -{} is {} and {}, equal sizes or 1 are allowed",
                op, a, b, i + 1, x, y);
        require(x == y || i < broadcast_dims,
                "{}: shapes {} and {} differ in dimension -{}; only the last {} dimensions are broadcast", op, a, b,
                i + 1, broadcast_dims);
        result[static_cast<int64_t>(rank - 1 - i)] = x == 1 ? y : x;
    }
    return result;
}

MemoryConfig eltwise_memory_config(const MemoryConfig* given, const Tensor& a, const Tensor* b, const Shape& output) {
    const bool b_sharded = b != nullptr && b->is_sharded();
    if (given != nullptr) {
        const bool lacks_spec = given->is_sharded() && !given->shard_spec() && !given->nd_shard_spec();
        if (!lacks_spec) {
            return *given;
        }
        const Tensor* source = a.is_sharded() ? &a : b_sharded ? b : nullptr;
        if (source != nullptr && source->memory_config().shard_spec()) {
            return given->with_shard_spec(config_for(*source, output).shard_spec());
        }
        return given->with_shard_spec(over_all_cores(*a.device(), given->memory_layout(), output));
    }
    const bool b_has_more_cores =
        a.is_sharded() && b_sharded && a.memory_config().shard_spec() && b->memory_config().shard_spec() &&
        b->memory_config().shard_spec()->num_cores() > a.memory_config().shard_spec()->num_cores();
    const bool a_in_dram = !a.is_sharded() && a.memory_config().is_dram();
    return config_for(b_has_more_cores || (a_in_dram && b_sharded) ? *b : a, output);
}

Tensor in_tiles(const Tensor& tensor) {
    return tensor.layout() == Layout::TILE ? tensor : ttnn::to_layout(tensor, Layout::TILE);
}

Tensor run_binary(const BinaryArguments& call) {
    check_primitive(
        "ttnn::prim::binary", [&] { check_call(call); }, [&] { return inputs_of(call); },
        [&] {
            return output_spec(call, call.b != nullptr ? larger_shape(*call.a, *call.b) : call.a->logical_shape());
        });
    const bool aligned =
        call.a->layout() == Layout::TILE &&
        (call.b == nullptr || (call.b->layout() == Layout::TILE && call.b->logical_shape() == call.a->logical_shape()));
    if (!aligned) {
        return run_general(call);
    }
    if (output_is_like_a(call)) [[likely]] {
        return compute::launch_binary(call, call.a->spec());
    }
    return compute::launch_binary(call, output_spec(call, call.a->logical_shape()));
}

}  // namespace ttnn
