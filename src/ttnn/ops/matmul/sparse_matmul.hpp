// sparse_matmul: products of those batches only that a third tensor names, as experts need them.
#pragma once

#include "ttnn/core/math.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct SparseMatmul {
    static constexpr std::string_view name = "ttnn.sparse_matmul";
    static constexpr std::string_view doc =
        "Products of the batches of two tensors where the sparsity is not 0; the others are 0. Each batch of the first "
        "meets each of the second, or only that of the same number where the first is sparse.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        Tensor sparsity{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<int64_t> nnz{};
        bool is_input_a_sparse = false;
        bool is_input_b_sparse = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
        std::optional<Tile> output_tile{};
        std::optional<Tensor> optional_output_tensor{};
        std::optional<int64_t> global_cb{};
        std::optional<int64_t> sub_device_id{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>("tile tensor [..., m, k]"),
        arg<&Params::input_tensor_b>("tile tensor [..., k, n]"),
        kwreq<&Params::sparsity>("row-major tensor with a number for every product"),
        kw<&Params::program_config>("1-D multicast: how the work is cut"),
        kw<&Params::nnz>("how many numbers of the sparsity are not 0"),
        kw<&Params::is_input_a_sparse>("whether the sparsity names batches of the first tensor"),
        kw<&Params::is_input_b_sparse>("whether the sparsity names batches of the second tensor"),
        kw<&Params::memory_config>("default: DRAM interleaved"),
        kw<&Params::dtype>("of the result, default: of the first tensor"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::core_grid>("no effect"),
        kw<&Params::output_tile>("tile shape of the result"),
        kw<&Params::optional_output_tensor>("written and returned").mutates(),
        kw<&Params::global_cb>("no effect"),
        kw<&Params::sub_device_id>("no effect")};

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(sparse_matmul, SparseMatmul);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"

namespace ttnn {

namespace sparse {

inline reference::Array matrix(const reference::Array& array, size_t number) {
    const uint32_t rows = array.shape[-2];
    const uint32_t columns = array.shape[-1];
    std::vector<double> numbers(size_t{rows} * columns);
    array.values.read(number * numbers.size(), numbers);
    return {Shape{rows, columns}, std::move(numbers)};
}
inline Shape batches(const Shape& shape) { return Shape(std::span<const uint32_t>(shape.begin(), shape.end() - 2)); }

}  // namespace sparse

inline std::vector<reference::Array> SparseMatmul::reference(const Params& params) {
    const reference::Array a = reference::values(params.input_tensor_a);
    const reference::Array b = reference::values(params.input_tensor_b);
    const reference::Array sparsity = reference::values(params.sparsity);
    const Shape left = sparse::batches(a.shape);
    const Shape right = sparse::batches(b.shape);
    const bool paired = params.is_input_a_sparse;
    std::vector<uint32_t> dims;
    if (!(params.is_input_a_sparse && params.is_input_b_sparse)) {
        dims.assign(left.begin(), left.end());
    }
    if (params.is_input_b_sparse) {
        dims.insert(dims.end(), right.begin(), right.end());
    }
    dims.push_back(a.shape[-2]);
    dims.push_back(b.shape[-1]);
    reference::Array result{Shape(std::span<const uint32_t>(dims))};
    std::vector<double> slack(result.values.size(), 0.0);
    const size_t size = size_t{a.shape[-2]} * b.shape[-1];
    for (size_t i = 0; i < sparsity.values.size(); ++i) {
        if (sparsity.values[i] == 0) {
            continue;
        }
        const reference::Array product = reference::matmul(sparse::matrix(a, paired ? i : i / right.volume()),
                                                           sparse::matrix(b, i % right.volume()));
        for (size_t j = 0; j < size; ++j) {
            result.values[i * size + j] = product.values[j];
            slack[i * size + j] = product.slack[j];
        }
    }
    result.slack = std::move(slack);
    return {result};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace sparse {

inline uint64_t count_batches(const Shape& shape) {
    uint64_t count = 1;
    for (size_t i = 2; i < shape.rank(); ++i) {
        count *= shape.from_end(i);
    }
    return count;
}

inline Shape product_shape(const SparseMatmul::Params& params) {
    const Shape& a = params.input_tensor_a.logical_shape();
    const Shape& b = params.input_tensor_b.logical_shape();
    const bool both = params.is_input_a_sparse && params.is_input_b_sparse;
    const bool only_a = params.is_input_a_sparse && !params.is_input_b_sparse;
    Shape shape;
    for (size_t i = 0; !both && i + 2 < a.rank(); ++i) {
        shape.push_back(a[static_cast<int64_t>(i)]);
    }
    for (size_t i = 0; !only_a && i + 2 < b.rank(); ++i) {
        shape.push_back(b[static_cast<int64_t>(i)]);
    }
    shape.push_back(a[-2]);
    shape.push_back(b[-1]);
    return shape;
}

inline void check_shapes(const SparseMatmul::Params& params) {
    constexpr std::string_view op = SparseMatmul::name;
    const Shape& a = params.input_tensor_a.logical_shape();
    const Shape& b = params.input_tensor_b.logical_shape();
    require(a.rank() >= 2 && b.rank() >= 2, "{}: the tensors must have at least 2 dimensions, got {} and {}", op, a, b);
    require(a[-1] == b[-2],
            "{}: The width of the first tensor must be equal to the height of the second tensor, got {} and "
            "{}",
            op, a[-1], b[-2]);
    require(params.is_input_a_sparse || params.is_input_b_sparse,
            "{}: one of the arguments 'is_input_a_sparse' and 'is_input_b_sparse' must be true", op);
    const uint64_t left = count_batches(a);
    const uint64_t right = count_batches(b);
    require(!params.is_input_a_sparse || (params.is_input_b_sparse ? left == right : right > 0 && left % right == 0),
            "{}: argument 'input_tensor_a' has {} batches, which do not fit the {} of the second tensor", op, left,
            right);
    const uint64_t products = params.is_input_a_sparse ? left : left * right;
    require(params.sparsity.logical_volume() == products, "{}: argument 'sparsity' must hold {} numbers, got {}", op,
            products, params.sparsity.logical_volume());
    require(!params.nnz || (*params.nnz > 0 && static_cast<uint64_t>(*params.nnz) <= products),
            "{}: argument 'nnz' must be between 1 and {}, got {}", op, products, params.nnz.value_or(0));
}

inline void check_tensors(const SparseMatmul::Params& params) {
    constexpr std::string_view op = SparseMatmul::name;
    check_layout(op, "input_tensor_a", params.input_tensor_a, Layout::TILE);
    check_layout(op, "input_tensor_b", params.input_tensor_b, Layout::TILE);
    require(is_floating(params.input_tensor_a.dtype()) && is_floating(params.input_tensor_b.dtype()),
            "{}: the tensors must have floating dtypes, got {} and {}", op, params.input_tensor_a.dtype(),
            params.input_tensor_b.dtype());
}

inline void declare(Program& program, const SparseMatmul::Params& params, const Tensor& output) {
    const auto bytes = [](const Tensor& tensor) { return tensor.spec().tile().bytes(tensor.dtype()); };
    const Tensor& a = params.input_tensor_a;
    const Tensor& b = params.input_tensor_b;
    const auto* config = params.program_config
                             ? std::get_if<MatmulMultiCoreReuseMultiCast1DProgramConfig>(&*params.program_config)
                             : nullptr;
    if (config == nullptr) {
        const CoreRangeSet cores = program.split(std::max<uint64_t>(output.spec().num_pages(), 1));
        program.circular_buffer(cores, 2 * bytes(a));
        program.circular_buffer(cores, 2 * bytes(b));
        program.circular_buffer(cores, 2 * bytes(output));
        return;
    }
    const CoreCoord& grid = config->compute_with_storage_grid_size;
    const auto high = static_cast<uint64_t>(config->out_block_h.value_or(config->per_core_M));
    const auto wide = static_cast<uint64_t>(config->out_block_w.value_or(config->per_core_N));
    const auto inner = static_cast<uint64_t>(config->in0_block_w);
    const uint64_t columns = std::max<uint64_t>(tile_columns(output), 1);
    const auto count = std::min<uint64_t>(div_up(columns, std::max<uint64_t>(wide, 1)), uint64_t{grid.x} * grid.y);
    const CoreRangeSet cores = num_cores_to_corerangeset(static_cast<uint32_t>(count), grid, true);
    program.circular_buffer(cores, 2 * high * inner * bytes(a));
    program.circular_buffer(cores, 2 * wide * inner * bytes(b));
    program.circular_buffer(cores, high * wide * bytes(output));
    program.circular_buffer(cores, round_up<uint64_t>(params.sparsity.spec().page_size(), 32));
}

// The matrices of the second tensor are large: one at a time is read, and only those that are needed.
inline void multiply(bool paired, std::span<const Tensor> inputs, Tensor& output) {
    const Shape& left = inputs[0].logical_shape();
    const Shape& right = inputs[1].logical_shape();
    const size_t m = left[-2];
    const size_t k = left[-1];
    const size_t n = right[-1];
    const uint64_t matrices = count_batches(right);
    const Dense<float> a = read<float>(inputs[0]);
    const Dense<float> sparsity = read<float>(inputs[2]);
    Dense<float> b(k * n);
    Dense<float> result(output.logical_volume());
    std::ranges::fill(result, 0.0F);
    for (uint64_t matrix = 0; matrix < matrices; ++matrix) {
        bool is_read = false;
        for (uint64_t i = matrix; i < sparsity.size(); i += matrices) {
            checkpoint();
            if (sparsity[i] == 0.0F) {
                continue;
            }
            if (!is_read) {
                read_part<float>(inputs[1], matrix * k * n, b.span());
                is_read = true;
            }
            compute::gemm({.m = m, .n = n, .k = k}, a.data() + (paired ? i : i / matrices) * m * k, b.data(),
                          result.data() + i * m * n);
        }
    }
    write<float>(output, result.span());
}

inline Tile product_tile(const SparseMatmul::Params& params) {
    if (params.optional_output_tensor) {
        return params.optional_output_tensor->spec().tile();
    }
    return params.output_tile.value_or(
        Tile(std::array{params.input_tensor_a.spec().tile().height(), params.input_tensor_b.spec().tile().width()}));
}

}  // namespace sparse

inline void SparseMatmul::validate(const Params& params) {
    sparse::check_shapes(params);
    if (params.optional_output_tensor) {
        check_preallocated(name, "optional_output_tensor", *params.optional_output_tensor,
                           sparse::product_shape(params));
    }
    check_at_launch([&] {
        sparse::check_tensors(params);
        check_layout(name, "sparsity", params.sparsity, Layout::ROW_MAJOR);
        require(!params.program_config ||
                    std::holds_alternative<MatmulMultiCoreReuseMultiCast1DProgramConfig>(*params.program_config),
                "{}: argument 'program_config' must be a MatmulMultiCoreReuseMultiCast1DProgramConfig", name);
    });
}

inline Tensor SparseMatmul::run(const Params& params) {
    const Tensor tensors[] = {params.input_tensor_a, params.input_tensor_b, params.sparsity};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { sparse::declare(p, params, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        sparse::multiply(params.is_input_a_sparse, inputs, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input_tensor_a).add(params.input_tensor_b).add(params.sparsity).add(params.program_config);
        list.add(params.nnz).add(params.is_input_a_sparse).add(params.is_input_b_sparse).add(params.memory_config);
        list.add(params.dtype).add(params.compute_kernel_config).add(params.core_grid).add(params.output_tile);
        list.add(params.optional_output_tensor);
    };
    const DataType dtype =
        output_dtype(name, params.dtype, params.optional_output_tensor, params.input_tensor_a.dtype());
    const MemoryConfig config = params.optional_output_tensor ? params.optional_output_tensor->memory_config()
                                                              : params.memory_config.value_or(MemoryConfig());
    return launch({"ttnn::prim::sparse_matmul", tensors, program, kernel, arguments},
                  TensorSpec(sparse::product_shape(params), dtype, Layout::TILE, config, sparse::product_tile(params)),
                  params.optional_output_tensor);
}

inline Domain SparseMatmul::domain(const Params&, std::string_view field) {
    return field == "sparsity" ? Domain::binary() : Domain::real(-1.0, 1.0);
}

inline void SparseMatmul::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    const auto mask = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::BFLOAT16, Layout::ROW_MAJOR);
    };
    make.add(Params{.input_tensor_a = plain({1, 6, 32, 64}),
                    .input_tensor_b = make.tensor({1, 6, 64, 96}),
                    .sparsity = mask({1, 1, 1, 6}),
                    .is_input_a_sparse = true});
    make.add(Params{.input_tensor_a = plain({2, 3, 32, 32}),
                    .input_tensor_b = make.tensor({1, 4, 32, 64}),
                    .sparsity = mask({2, 3, 1, 4}),
                    .nnz = 5,
                    .memory_config = l1_memory_config(),
                    .dtype = DataType::BFLOAT16});
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {2, 1};
    make.add(Params{.input_tensor_a = plain({3, 5, 32, 64}),
                    .input_tensor_b = make.tensor({1, 5, 64, 40}),
                    .sparsity = mask({1, 1, 3, 5}),
                    .program_config = config,
                    .is_input_a_sparse = true,
                    .is_input_b_sparse = false});
}

}  // namespace ttnn

#endif
