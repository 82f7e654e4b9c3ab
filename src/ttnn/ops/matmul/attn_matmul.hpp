// attn_matmul, attn_matmul_from_cache and group_attn_matmul: products while decoding, with a matrix for every user.
#pragma once

#include "ttnn/core/math.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct AttnMatmul {
    static constexpr std::string_view name = "ttnn.experimental.attn_matmul";
    static constexpr std::string_view doc = "out[0, head, user] = a[0, head, user] @ b[user, 0].";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        CoreCoord compute_with_storage_grid_size{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("tile tensor [1, heads, users, k]"),
                                      arg<&Params::input_tensor_b>("tile tensor [users, 1, k, n]"),
                                      kwreq<&Params::compute_with_storage_grid_size>("cores to use"),
                                      kw<&Params::dtype>("of the result, default: of the first tensor"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::memory_config>("default: of the first tensor"),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct AttnMatmulFromCache {
    static constexpr std::string_view name = "ttnn.experimental.attn_matmul_from_cache";
    static constexpr std::string_view doc =
        "attn_matmul with the first rows of a cache of keys, which are transposed, or of values.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        int64_t num_tokens = 0;
        bool transpose_hw = false;
        CoreCoord compute_with_storage_grid_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>("tile tensor [1, heads, users, width], or num_tokens wide"),
        arg<&Params::input_tensor_b>("cache: tile tensor [users, 1, rows, width]"),
        kwreq<&Params::num_tokens>("how many rows of the cache count, a multiple of 32"),
        kwreq<&Params::transpose_hw>("multiply by the transposed rows (keys)"),
        kwreq<&Params::compute_with_storage_grid_size>("cores to use"),
        kw<&Params::memory_config>("default: of the first tensor"),
        kw<&Params::dtype>("of the result, default: of the first tensor"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct GroupAttnMatmul {
    static constexpr std::string_view name = "ttnn.experimental.group_attn_matmul";
    static constexpr std::string_view doc =
        "attn_matmul where groups of heads share a matrix: out[0, head, user] = a[0, head, user] @ b[user, group].";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        CoreCoord compute_with_storage_grid_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> optional_output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("tile tensor [1, heads, 32, k]"),
                                      arg<&Params::input_tensor_b>("tile tensor [32, groups, k, n]"),
                                      kwreq<&Params::compute_with_storage_grid_size>("cores to use, one for each head"),
                                      kw<&Params::memory_config>("default: DRAM interleaved"),
                                      kw<&Params::dtype>("of the result, default: of the first tensor"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::optional_output_tensor>("written into and returned").mutates()};
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<AttnMatmul> attn_matmul{};
inline constexpr Op<AttnMatmulFromCache> attn_matmul_from_cache{};
inline constexpr Op<GroupAttnMatmul> group_attn_matmul{};
}  // namespace experimental
TTNN_DECLARATION(AttnMatmul);
TTNN_DECLARATION(AttnMatmulFromCache);
TTNN_DECLARATION(GroupAttnMatmul);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"
#include "ttnn/reference/movement.hpp"

namespace ttnn {

namespace attention_products {

// Users in front of heads, so that a product of batches does it; the groups of a matrix are spread to their heads.
inline reference::Array by_users(const reference::Array& a) {
    return reference::generated({a.shape[2], a.shape[1], a.shape[3]}, [&](std::span<const uint32_t> at) {
        return a.at(std::vector<uint32_t>{0, at[1], at[0], at[2]});
    });
}
inline reference::Array multiplied(const reference::Array& a, const reference::Array& b) {
    const uint32_t users = a.shape[2];
    const uint32_t heads = a.shape[1];
    const uint32_t group = heads / b.shape[1];
    reference::Array rows = by_users(a);
    rows.shape = {users, heads, 1, a.shape[3]};
    const reference::Array matrices =
        reference::generated({users, heads, b.shape[2], b.shape[3]}, [&](std::span<const uint32_t> at) {
            return b.at(std::vector<uint32_t>{at[0], at[1] / group, at[2], at[3]});
        });
    const reference::Array product = reference::matmul(rows, matrices);
    reference::Array result({1, heads, users, b.shape[3]});
    std::vector<double> slack;
    reference::for_each_index(result.shape, [&](std::span<const uint32_t> at) {
        const size_t from = product.offset(std::vector<uint32_t>{at[2], at[1], 0, at[3]});
        result.at(at) = product.values[from];
        slack.push_back(product.slack[from]);
    });
    result.slack = std::move(slack);
    return result;
}

// The first rows of every matrix of a cache.
inline reference::Array first_rows(const reference::Array& cache, uint32_t rows, bool transposed) {
    const uint32_t width = cache.shape[3];
    const Shape shape = transposed ? Shape{cache.shape[0], 1, width, rows} : Shape{cache.shape[0], 1, rows, width};
    return reference::generated(shape, [&](std::span<const uint32_t> at) {
        return cache.at(std::vector<uint32_t>{at[0], 0, transposed ? at[3] : at[2], transposed ? at[2] : at[3]});
    });
}

}  // namespace attention_products

inline std::vector<reference::Array> AttnMatmul::reference(const Params& params) {
    return {attention_products::multiplied(reference::padded_values(params.input_tensor_a),
                                           reference::padded_values(params.input_tensor_b))};
}
inline std::vector<reference::Array> AttnMatmulFromCache::reference(const Params& params) {
    const auto tokens = static_cast<uint32_t>(params.num_tokens);
    return {attention_products::multiplied(
        reference::padded_values(params.input_tensor_a),
        attention_products::first_rows(reference::padded_values(params.input_tensor_b), tokens, params.transpose_hw))};
}
inline std::vector<reference::Array> GroupAttnMatmul::reference(const Params& params) {
    return {attention_products::multiplied(reference::padded_values(params.input_tensor_a),
                                           reference::padded_values(params.input_tensor_b))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/user_products.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace attention_products {

struct Call {
    std::string_view op;
    std::string_view primitive;
    const Tensor& a;
    const Tensor& b;
    CoreCoord grid;
    std::optional<int64_t> tokens{};  // rows of a cache
    bool transposed = false;
    bool grouped = false;
    const std::optional<DataType>& dtype;
    const std::optional<MemoryConfig>& memory_config;
    const std::optional<ComputeKernelConfig>& compute_kernel_config;
    std::string_view output_argument = "output_tensor";
    std::optional<Tensor> output{};
};

inline Shape product_shape(const Call& call) {
    const Shape& a = call.a.padded_shape();
    const bool keys = call.tokens && call.transposed;
    return {1, a[1], a[2], keys ? static_cast<uint32_t>(*call.tokens) : call.b.padded_shape()[3]};
}

inline void check_inner(const Call& call) {
    const Shape& a = call.a.padded_shape();
    const Shape& b = call.b.padded_shape();
    if (!call.tokens) {
        require(a[3] == b[2], "{}: the width of the first tensor, {}, must be the height of the second, {}", call.op,
                a[3], b[2]);
        return;
    }
    require(*call.tokens % tile_size == 0 && *call.tokens >= tile_size && *call.tokens <= b[2],
            "{}: argument 'num_tokens' must be a multiple of {} up to the {} rows of the cache, got {}", call.op,
            tile_size, b[2], *call.tokens);
    require(a[3] == (call.transposed ? b[3] : *call.tokens), "{}: argument 'input_tensor_a' must be {} wide, got {}",
            call.op, call.transposed ? int64_t{b[3]} : *call.tokens, a[3]);
}

// Where nothing could be launched: shapes that have no product.
inline void check_shapes(const Call& call) {
    for (const auto& [argument, tensor] : {std::pair<std::string_view, const Tensor&>{"input_tensor_a", call.a},
                                           std::pair<std::string_view, const Tensor&>{"input_tensor_b", call.b}}) {
        require(tensor.logical_shape().rank() == 4, "{}: argument '{}' must have 4 dimensions, got {}", call.op,
                argument, tensor.logical_shape());
    }
    const Shape& a = call.a.padded_shape();
    const Shape& b = call.b.padded_shape();
    require(a[0] == 1 && a[2] == b[0], "{}: argument 'input_tensor_a' must be [1, heads, {}, k], got {}", call.op, b[0],
            a);
    require(call.grouped ? b[1] > 0 && a[1] % b[1] == 0 : b[1] == 1,
            "{}: argument 'input_tensor_b' must have {} for {} heads, got {}", call.op,
            call.grouped ? "groups of equal size" : "one matrix per user", a[1], b);
    check_inner(call);
    if (call.output) {
        check_preallocated(call.op, call.output_argument, *call.output, product_shape(call));
        check_layout(call.op, call.output_argument, *call.output, Layout::TILE);
    }
}

inline void check_operand(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_layout(op, argument, tensor, Layout::TILE);
    require(is_floating(tensor.dtype()), "{}: argument '{}' must have a floating dtype, got {}", op, argument,
            tensor.dtype());
}

inline void check(const Call& call) {
    check_shapes(call);
    check_at_launch([&] {
        check_operand(call.op, "input_tensor_a", call.a);
        check_operand(call.op, "input_tensor_b", call.b);
        const CoreCoord own = call.a.device()->compute_grid();
        require(
            call.grid.x >= 1 && call.grid.y >= 1 && call.grid.x <= own.x && call.grid.y <= own.y,
            "{}: argument 'compute_with_storage_grid_size' must lie in the {} x {} cores of the device, got {} x {}",
            call.op, own.x, own.y, call.grid.x, call.grid.y);
        if (call.grouped) {
            const uint32_t heads = call.a.padded_shape()[1];
            require(call.b.padded_shape()[0] == tile_size, "{}: argument 'input_tensor_b' must have {} users, got {}",
                    call.op, tile_size, call.b.padded_shape()[0]);
            require(std::max(heads, tile_size) <= call.grid.x * call.grid.y,
                    "{}: argument 'compute_with_storage_grid_size' has {} cores for {} heads and {} users", call.op,
                    call.grid.x * call.grid.y, heads, tile_size);
        }
    });
}

inline MemoryConfig product_config(const Call& call) {
    const MemoryConfig& otherwise = call.grouped ? dram_memory_config() : call.a.memory_config();
    MemoryConfig config = call.output ? call.output->memory_config() : call.memory_config.value_or(otherwise);
    if (!config.is_sharded() || config.shard_spec()) {
        return config;
    }
    const Shape shape = product_shape(call);  // a head on each core
    return config.with_shard_spec(
        ShardSpec{num_cores_to_corerangeset(shape[1], call.grid, true), {shape[2], shape[3]}});
}

inline void declare(Program& program, const Call& call, const Tensor& output) {
    const auto tile_bytes = [](const Tensor& tensor) { return tensor.spec().tile().bytes(tensor.dtype()); };
    const uint64_t heads = std::max<uint64_t>(call.a.padded_shape()[1], call.grouped ? tile_size : 1);
    const CoreRangeSet cores = split_work_to_cores(call.grid, heads, call.grouped).all_cores;
    const uint64_t inner = tile_columns(call.a);
    const auto operand = [&](const Tensor& tensor, uint64_t tiles) {
        if (tensor.memory_config().shard_spec() && tensor.memory_config().is_l1()) {
            program.global_circular_buffer(tensor, shard_bytes(tensor));
        } else {
            program.circular_buffer(cores, tiles * tile_bytes(tensor));
        }
    };
    operand(call.a, 2 * inner);
    operand(call.b, call.grouped ? 2 * inner : 2);
    const auto& config = call.compute_kernel_config;
    const uint64_t partial = Tile().bytes(config && config->fp32_dest_acc_en ? DataType::FLOAT32 : DataType::BFLOAT16);
    for (int i = 0; i < 3; ++i) {  // a product for all users, the row of one, and rows put together
        program.circular_buffer(cores, partial);
    }
    operand(output, 2);
}

inline Tensor run(const Call& call) {
    const Tensor tensors[] = {call.a, call.b};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, call, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& a = inputs[0].padded_shape();
        const Shape& b = inputs[1].padded_shape();
        const Shape shape = product_shape(call);
        const Dense<float> left = read_padded<float>(inputs[0]);
        const Dense<float> right = read_padded<float>(inputs[1]);
        Dense<float> result(shape.volume());
        compute::multiply_users({.heads = a[1],
                                 .users = a[2],
                                 .kv_heads = b[1],
                                 .k = a[3],
                                 .n = shape[3],
                                 .b_size = size_t{b[2]} * b[3],
                                 .transpose_b = call.tokens && call.transposed},
                                left.data(), right.data(), result.data());
        write<float>(outputs[0], result.span());
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.a)
            .add(call.b)
            .add_at_run(call.tokens)
            .add(call.transposed)
            .add(call.grid)
            .add(call.memory_config);
        list.add(call.dtype).add(call.compute_kernel_config).add(call.output);
    };
    const DataType dtype = output_dtype(call.op, call.dtype, call.output, call.a.dtype());
    return launch({call.primitive, tensors, program, kernel, arguments},
                  TensorSpec(product_shape(call), dtype, Layout::TILE, product_config(call)), call.output);
}

inline Call call_of(const AttnMatmul::Params& p) {
    return {.op = AttnMatmul::name,
            .primitive = "ttnn::prim::attn_matmul",
            .a = p.input_tensor_a,
            .b = p.input_tensor_b,
            .grid = p.compute_with_storage_grid_size,
            .dtype = p.dtype,
            .memory_config = p.memory_config,
            .compute_kernel_config = p.compute_kernel_config,
            .output = p.output_tensor};
}
inline Call call_of(const AttnMatmulFromCache::Params& p) {
    return {.op = AttnMatmulFromCache::name,
            .primitive = "ttnn::prim::attn_matmul",
            .a = p.input_tensor_a,
            .b = p.input_tensor_b,
            .grid = p.compute_with_storage_grid_size,
            .tokens = p.num_tokens,
            .transposed = p.transpose_hw,
            .dtype = p.dtype,
            .memory_config = p.memory_config,
            .compute_kernel_config = p.compute_kernel_config};
}
inline Call call_of(const GroupAttnMatmul::Params& p) {
    return {.op = GroupAttnMatmul::name,
            .primitive = "ttnn::prim::group_attn_matmul",
            .a = p.input_tensor_a,
            .b = p.input_tensor_b,
            .grid = p.compute_with_storage_grid_size,
            .grouped = true,
            .dtype = p.dtype,
            .memory_config = p.memory_config,
            .compute_kernel_config = p.compute_kernel_config,
            .output_argument = "optional_output_tensor",
            .output = p.optional_output_tensor};
}

}  // namespace attention_products

inline void AttnMatmul::validate(const Params& params) {
    attention_products::check(attention_products::call_of(params));
}
inline void AttnMatmulFromCache::validate(const Params& params) {
    attention_products::check(attention_products::call_of(params));
}
inline void GroupAttnMatmul::validate(const Params& params) {
    attention_products::check(attention_products::call_of(params));
}
inline Tensor AttnMatmul::run(const Params& params) {
    return attention_products::run(attention_products::call_of(params));
}
inline Tensor AttnMatmulFromCache::run(const Params& params) {
    return attention_products::run(attention_products::call_of(params));
}
inline Tensor GroupAttnMatmul::run(const Params& params) {
    return attention_products::run(attention_products::call_of(params));
}

inline void AttnMatmul::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = plain({1, 5, 32, 64}),
                    .input_tensor_b = make.tensor({32, 1, 64, 96}),
                    .compute_with_storage_grid_size = {8, 4},
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor_a = plain({1, 2, 32, 32}),
                    .input_tensor_b = make.tensor({32, 1, 32, 32}),
                    .compute_with_storage_grid_size = {4, 4},
                    .dtype = DataType::BFLOAT16,
                    .output_tensor = make.interleaved({1, 2, 32, 32}, DataType::BFLOAT16, Layout::TILE)});
}
inline void AttnMatmulFromCache::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = plain({1, 3, 32, 64}),
                    .input_tensor_b = make.tensor({32, 1, 128, 64}),
                    .num_tokens = 96,
                    .transpose_hw = true,
                    .compute_with_storage_grid_size = {8, 4}});
    make.add(Params{.input_tensor_a = plain({1, 3, 32, 64}),
                    .input_tensor_b = make.tensor({32, 1, 96, 32}),
                    .num_tokens = 64,
                    .transpose_hw = false,
                    .compute_with_storage_grid_size = {8, 4},
                    .dtype = DataType::FLOAT32});
}
inline void GroupAttnMatmul::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = plain({1, 8, 32, 64}),
                    .input_tensor_b = plain({32, 2, 64, 32}),
                    .compute_with_storage_grid_size = {8, 7},
                    .memory_config = make.sharded() ? MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)
                                                    : make.memory_config({1, 8, 32, 32})});
    make.add(Params{.input_tensor_a = plain({1, 4, 32, 32}),
                    .input_tensor_b = make.tensor({32, 4, 32, 64}),
                    .compute_with_storage_grid_size = {8, 4},
                    .dtype = DataType::BFLOAT16});
}

}  // namespace ttnn

#endif
