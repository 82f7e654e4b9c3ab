// minimal_matmul and minimal_matmul_split: linear with blocks that the caller chooses, whole or cut along its columns.
#pragma once

#include "ttnn/core/math.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

namespace minimal {
template <class Params>
inline constexpr FieldList product_fields{kw<&Params::bias_tensor>("tile tensor [..., 1, n], added to every row"),
                                          kw<&Params::fused_activation>("function applied to the result"),
                                          kw<&Params::config>("blocks and cores"),
                                          kw<&Params::memory_config>("default: of the first tensor"),
                                          kw<&Params::dtype>("of the result, default: of the first tensor"),
                                          kw<&Params::compute_kernel_config>("precision, no effect on results here")};
}  // namespace minimal

struct MinimalMatmul {
    static constexpr std::string_view name = "ttnn.experimental.minimal_matmul";
    static constexpr std::string_view doc = "activation(input @ weight + bias).";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        std::optional<Tensor> bias_tensor{};
        std::optional<UnaryWithParam> fused_activation{};
        std::optional<MinimalMatmulConfig> config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor>("tile tensor [..., m, k]"),
                                             arg<&Params::weight_tensor>("tile tensor [..., k, n], leading ones")} +
                                   minimal::product_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct MinimalMatmulSplit {
    static constexpr std::string_view name = "ttnn.experimental.minimal_matmul_split";
    static constexpr std::string_view doc = "minimal_matmul cut into equal parts along its columns.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        int64_t chunks = 3;
        int64_t dim = -1;
        std::optional<Tensor> bias_tensor{};
        std::optional<UnaryWithParam> fused_activation{};
        std::optional<MinimalMatmulConfig> config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tile tensor [..., m, k]"),
                  arg<&Params::weight_tensor>("tile tensor [..., k, n], leading ones"),
                  kw<&Params::chunks>("how many parts"), kw<&Params::dim>("must be the last dimension, -1")} +
        minimal::product_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<MinimalMatmul> minimal_matmul{};
inline constexpr Op<MinimalMatmulSplit> minimal_matmul_split{};
}  // namespace experimental
TTNN_DECLARATION(MinimalMatmul);
TTNN_DECLARATION(MinimalMatmulSplit);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"
#include "ttnn/reference/matmul.hpp"

namespace ttnn {

namespace minimal {
template <class Params>
reference::Array product(const Params& params) {
    return reference::linear({.a = params.input_tensor,
                              .b = params.weight_tensor,
                              .bias = params.bias_tensor,
                              .activation = params.fused_activation,
                              .dtype = params.dtype.value_or(params.input_tensor.dtype())});
}
}  // namespace minimal

inline std::vector<reference::Array> MinimalMatmul::reference(const Params& params) {
    return {minimal::product(params)};
}
inline std::vector<reference::Array> MinimalMatmulSplit::reference(const Params& params) {
    const reference::Array whole = minimal::product(params);
    std::vector<reference::Array> parts;
    const auto count = static_cast<uint32_t>(params.chunks);
    for (uint32_t i = 0; i < count; ++i) {
        parts.push_back(reference::slice_of(whole, -1, count, i));
    }
    return parts;
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/gemm.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {

namespace minimal {

struct Call {
    std::string_view op;
    const Tensor& a;
    const Tensor& b;
    const std::optional<Tensor>& bias;
    const std::optional<UnaryWithParam>& activation;
    const std::optional<MinimalMatmulConfig>& config;
    const std::optional<MemoryConfig>& memory_config;
    const std::optional<DataType>& dtype;
    const std::optional<ComputeKernelConfig>& compute_kernel_config;
    int64_t chunks = 1;
};
template <class Params>
Call call_of(std::string_view op, const Params& p) {
    Call call{op,       p.input_tensor,  p.weight_tensor, p.bias_tensor,          p.fused_activation,
              p.config, p.memory_config, p.dtype,         p.compute_kernel_config};
    if constexpr (requires { p.chunks; }) {
        call.chunks = p.chunks;
    }
    return call;
}

inline void check_operand(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_layout(op, argument, tensor, Layout::TILE);
    check_dtype(op, argument, tensor,
                {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B, DataType::FLOAT32});
}

// Of a shape all dimensions but the last ones.
inline bool leading_ones(const Shape& shape, size_t last) {
    bool ones = true;
    for (size_t i = last; i < shape.rank(); ++i) {
        ones = ones && shape.from_end(i) == 1;
    }
    return ones;
}

inline void check_shapes(const Call& call) {
    const Shape& a = call.a.logical_shape();
    const Shape& b = call.b.logical_shape();
    require(a.rank() >= 2 && b.rank() >= 2, "{}: the tensors must have at least 2 dimensions, got {} and {}", call.op,
            a, b);
    require(leading_ones(b, 2), "{}: argument 'weight_tensor' must be one matrix, got {}", call.op, b);
    require(a[-1] == b[-2] && a.volume() > 0 && b.volume() > 0,
            "{}: argument 'input_tensor' must be as wide as 'weight_tensor' is high, {}, got {}", call.op, b[-2], a);
    require(!call.bias || (call.bias->logical_shape().rank() >= 1 && leading_ones(call.bias->logical_shape(), 1) &&
                           call.bias->logical_shape()[-1] == b[-1]),
            "{}: argument 'bias_tensor' must be one row of {} columns", call.op, b[-1]);
    require(call.chunks >= 1 && b[-1] % call.chunks == 0 && (call.chunks == 1 || b[-1] / call.chunks % tile_size == 0),
            "{}: argument 'chunks' must cut {} columns into equal parts of whole tiles, got {}", call.op, b[-1],
            call.chunks);
}

inline void check_config(const Call& call) {
    const MinimalMatmulConfig& c = *call.config;
    require(c.M_block_size > 0 && c.K_block_size > 0 && c.N_block_size > 0 && c.subblock_h > 0 && c.subblock_w > 0,
            "{}: argument 'config': blocks and subblocks must be positive", call.op);
    require(c.M_block_size % c.subblock_h == 0 && c.N_block_size % c.subblock_w == 0,
            "{}: argument 'config': blocks of {} x {} cannot be cut into subblocks of {} x {}", call.op, c.M_block_size,
            c.N_block_size, c.subblock_h, c.subblock_w);
    const CoreCoord& grid = c.compute_with_storage_grid_size;
    const CoreCoord own = call.a.device()->compute_grid();
    require(grid.x >= 2 && grid.y >= 2 && grid.x <= own.x && grid.y <= own.y,
            "{}: argument 'config': the grid must be between 2 x 2 and {} x {}, got {} x {}", call.op, own.x, own.y,
            grid.x, grid.y);
    const auto& precision = call.compute_kernel_config;
    const int64_t registers =
        (!precision || precision->fp32_dest_acc_en ? 4 : 8) * (precision && precision->dst_full_sync_en ? 2 : 1);
    require(c.subblock_h * c.subblock_w <= registers, "{}: argument 'config': a subblock has {} tiles, but {} fit",
            call.op, c.subblock_h * c.subblock_w, registers);
}

inline void check(const Call& call) {
    check_shapes(call);
    check_at_launch([&] {
        check_operand(call.op, "input_tensor", call.a);
        check_operand(call.op, "weight_tensor", call.b);
        if (call.bias) {
            check_operand(call.op, "bias_tensor", *call.bias);
        }
        if (call.config) {
            check_config(call);
        }
    });
}

inline void declare(Program& program, const Call& call, DataType dtype) {
    constexpr int64_t usual = 8;  // tiles
    const MinimalMatmulConfig config =
        call.config.value_or(MinimalMatmulConfig{usual, usual, usual, 2, 2, program.device().compute_grid()});
    const auto tiles = [](int64_t rows, int64_t columns) { return static_cast<uint64_t>(rows * columns); };
    const CoreCoord& grid = config.compute_with_storage_grid_size;
    const CoreRangeSet cores(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
    const auto& precision = call.compute_kernel_config;
    const bool fp32 = !precision || precision->fp32_dest_acc_en;
    program.circular_buffer(cores, 2 * tiles(config.M_block_size, config.K_block_size) * Tile().bytes(call.a.dtype()));
    program.circular_buffer(cores, 2 * tiles(config.K_block_size, config.N_block_size) * Tile().bytes(call.b.dtype()));
    program.circular_buffer(cores, tiles(config.M_block_size, config.N_block_size) * Tile().bytes(dtype));
    program.circular_buffer(cores, tiles(config.M_block_size, config.N_block_size) *
                                       Tile().bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16));
    if (call.bias) {
        program.circular_buffer(cores, tiles(1, config.N_block_size) * Tile().bytes(call.bias->dtype()));
    }
}

// The product, with bias and activation, in fp32.
inline Dense<float> multiply(const Call& call, std::span<const Tensor> inputs, DataType dtype) {
    const Dense<float> a = read<float>(inputs[0]);
    const Dense<float> b = read<float>(inputs[1]);
    const size_t k = inputs[0].logical_shape()[-1];
    const size_t n = inputs[1].logical_shape()[-1];
    const size_t rows = a.size() / k;
    Dense<float> result(rows * n);
    compute::gemm({.m = rows, .n = n, .k = k}, a.data(), b.data(), result.data());
    if (inputs[2]) {
        compute::add_row(result.data(), read<float>(inputs[2]).data(), rows, n);
    }
    if (call.activation) {
        in_blocks(result.size(), [&](size_t first, size_t count) {
            compute::apply_unary(*call.activation, dtype, result.data() + first, count);
        });
    }
    return result;
}

inline std::vector<Tensor> run(std::string_view primitive, const Call& call) {
    const Tensor tensors[] = {call.a, call.b, call.bias.value_or(Tensor())};
    const DataType dtype = call.dtype.value_or(call.a.dtype());
    const auto program = [&](Program& p, std::span<const Tensor>) { declare(p, call, dtype); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Dense<float> product = multiply(call, inputs, dtype);
        if (outputs.size() == 1) {
            return write<float>(outputs[0], product.span());
        }
        const size_t columns = outputs[0].logical_shape()[-1];
        const size_t rows = product.size() / columns / outputs.size();
        Dense<float> part(rows * columns);
        for (size_t i = 0; i < outputs.size(); ++i) {
            for (size_t row = 0; row < rows; ++row) {
                std::copy_n(product.data() + (row * outputs.size() + i) * columns, columns,
                            part.data() + row * columns);
            }
            write<float>(outputs[i], part.span());
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.a).add(call.b).add(call.bias).add(call.activation).add(call.config).add(call.memory_config);
        list.add(call.dtype).add(call.compute_kernel_config).add(call.chunks);
    };
    Shape shape = call.a.logical_shape();
    shape[-1] = static_cast<uint32_t>(call.b.logical_shape()[-1] / call.chunks);
    const MemoryConfig config = call.memory_config.value_or(call.a.memory_config());
    const OutputSlot slot{.spec = TensorSpec(shape, dtype, Layout::TILE, config)};
    return launch({primitive, tensors, program, kernel, arguments},
                  std::vector<OutputSlot>(static_cast<size_t>(call.chunks), slot));
}

}  // namespace minimal

inline void MinimalMatmul::validate(const Params& params) { minimal::check(minimal::call_of(name, params)); }
inline Tensor MinimalMatmul::run(const Params& params) {
    return minimal::run("ttnn::prim::minimal_matmul", minimal::call_of(name, params))[0];
}

inline void MinimalMatmulSplit::validate(const Params& params) {
    minimal::check(minimal::call_of(name, params));
    check_at_launch([&] {
        require(params.dim == -1 || params.dim == static_cast<int64_t>(params.input_tensor.logical_shape().rank()) - 1,
                "{}: argument 'dim' must be the last dimension, -1, got {}", name, params.dim);
    });
}
inline std::vector<Tensor> MinimalMatmulSplit::run(const Params& params) {
    return minimal::run("ttnn::prim::minimal_matmul_split", minimal::call_of(name, params));
}

inline void MinimalMatmul::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor = plain({1, 1, 64, 96}), .weight_tensor = make.tensor({96, 128})});
    make.add(Params{.input_tensor = plain({2, 33, 64}),
                    .weight_tensor = plain({1, 64, 40}),
                    .bias_tensor = plain({1, 40}),
                    .fused_activation = UnaryWithParam(UnaryOpType::RELU),
                    .memory_config = l1_memory_config(),
                    .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor = plain({96, 64}),
                    .weight_tensor = make.interleaved({64, 64}, DataType::BFLOAT8_B, Layout::TILE),
                    .config = MinimalMatmulConfig{2, 1, 2, 1, 2, {4, 4}}});
}
inline void MinimalMatmulSplit::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{
        .input_tensor = plain({1, 40, 64}), .weight_tensor = make.tensor({64, 192}), .bias_tensor = plain({1, 192})});
    make.add(Params{.input_tensor = plain({2, 32, 32}),
                    .weight_tensor = plain({32, 64}),
                    .chunks = 2,
                    .fused_activation = UnaryWithParam(UnaryOpType::RELU)});
}

}  // namespace ttnn

#endif
