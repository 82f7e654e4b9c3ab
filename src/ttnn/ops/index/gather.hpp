// gather: elements from numbered places along a dimension.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Gather {
    static constexpr std::string_view name = "ttnn.gather";
    static constexpr std::string_view doc = "Along a dimension, the elements of the input that the index names.";
    struct Params {
        Tensor input{};
        int64_t dim = 0;
        Tensor index{};
        bool sparse_grad = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> out{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("interleaved BFLOAT16, FLOAT32, INT32, UINT32 or UINT16 in TILE").also("input_tensor"),
        arg<&Params::dim>("dimension of the places, negative from the end"),
        arg<&Params::index>("UINT16 or UINT32 in TILE; not larger than the input except along the dimension"),
        kw<&Params::sparse_grad>("must be False"),
        kw<&Params::out>("written into and returned").mutates(),
        kw<&Params::memory_config>("interleaved; default: the input's"),
        kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(gather, Gather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Gather::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    const reference::Array index = reference::values(params.index);
    const size_t dim = reference::from_front(params.dim, input.shape.rank());
    return {reference::generated(index.shape, [&](std::span<const uint32_t> place) {
        std::vector<uint32_t> source(place.begin(), place.end());
        if (!source.empty()) {
            source[dim] = static_cast<uint32_t>(index.at(place));
        }
        return input.at(source);
    })};
}

#else

#include <limits>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/indexed.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

// A whole row of the input waits for the indices where it fits into L1, else two tiles of it.
inline void gather_program(Program& program, const std::optional<CoreRangeSet>& chosen, const Tensor& input,
                           const Tensor& index, const Tensor& output) {
    constexpr uint64_t most_tiles = 60;
    const uint64_t row = tile_columns(input);
    const bool whole_rows = row <= most_tiles;
    const CoreRangeSet cores = cores_for(program, chosen, whole_rows ? tile_rows(index) : tile_columns(index));
    program.circular_buffer(cores, (whole_rows ? row : 2) * page_bytes(input));
    program.circular_buffer(cores, page_bytes(index));
    program.circular_buffer(cores, page_bytes(output));
}

inline Tensor gather_primitive(const Gather::Params& params, const Tensor& input, const Tensor& index,
                               const MemoryConfig& config, const std::optional<Tensor>& output) {
    const Tensor tensors[] = {input, index};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        gather_program(p, params.sub_core_grids, input, index, outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::gather_columns(Gather::name, inputs[0], inputs[1], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.dim).add(index).add(params.sparse_grad).add(config).add(params.out);
        list.add(params.sub_core_grids);
    };
    return launch({"ttnn::prim::gather", tensors, program, kernel, arguments},
                  TensorSpec(index.logical_shape(), input.dtype(), Layout::TILE, config), output);
}

// The part of the input that the index has rows for. It is cut before dimensions are folded together: afterwards the
// rows of a smaller index are no longer those at the front of each.
inline Tensor rows_to_gather(const Tensor& input, const Shape& index, size_t dim) {
    const Shape& own = input.logical_shape();
    Shape wanted = index;
    wanted[static_cast<int64_t>(dim)] = own[static_cast<int64_t>(dim)];
    const Tensor part =
        wanted == own ? input : slice(input, std::vector<int64_t>(own.rank(), 0), movement::ints(wanted));
    return fill_implicit_tile_padding(to_last_dim(part, dim), double{std::numeric_limits<float>::min()});
}

inline void check_gather(const Gather::Params& params) {
    const std::string_view name = Gather::name;
    check_layout(name, "input", params.input, Layout::TILE);
    check_layout(name, "index", params.index, Layout::TILE);
    check_dtype(name, "input", params.input,
                {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16});
    check_dtype(name, "index", params.index, {DataType::UINT16, DataType::UINT32});
    check_interleaved(name, "input", params.input);
    check_interleaved(name, "index", params.index);
    require(!params.memory_config || !params.memory_config->is_sharded(),
            "{}: argument 'memory_config' must be interleaved", name);
    if (params.out) {
        check_dtype(name, "out", *params.out, {params.input.dtype()});
        check_layout(name, "out", *params.out, Layout::TILE);
        check_interleaved(name, "out", *params.out);
    }
}

}  // namespace indexing

inline void Gather::validate(const Params& params) {
    const Shape& own = params.input.logical_shape();
    const Shape& index = params.index.logical_shape();
    require(!params.sparse_grad, "{}: argument 'sparse_grad' must be False", name);
    require(own.rank() == index.rank(), "{}: arguments 'input' and 'index' must have the same rank, got {} and {}",
            name, own, index);
    if (params.out) {
        check_preallocated(name, "out", *params.out, index);
    }
    const size_t dim = own.empty() ? 0 : own.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    for (size_t i = 0; i < own.rank(); ++i) {
        const auto at = static_cast<int64_t>(i);
        require(i == dim || index[at] <= own[at],
                "{}: argument 'index' {} must not be larger than 'input' {} in dimension {}", name, index, own, i);
    }
    check_at_launch([&] { indexing::check_gather(params); });
}

inline Tensor Gather::run(const Params& params) {
    const Shape& shape = params.index.logical_shape();
    const MemoryConfig config = output_memory_config(params.memory_config, params.out, params.input);
    if (shape.empty()) {
        return params.out ? movement::copy_into(params.input, *params.out)
                          : clone(params.input, {.memory_config = config});
    }
    if (shape.volume() == 0) {
        const TensorSpec spec(shape, params.input.dtype(), Layout::TILE, config);
        return params.out ? *params.out : Tensor::allocate_on_device(spec, params.input.device());
    }
    const size_t dim = shape.normalize_dim(params.dim, name);
    const Tensor index = fill_implicit_tile_padding(indexing::to_last_dim(params.index, dim), 0.0);
    const Tensor input = indexing::rows_to_gather(params.input, shape, dim);
    const bool direct = dim + 1 == shape.rank() && shape.rank() == 4;
    Tensor rows = indexing::gather_primitive(params, input, index, config, direct ? params.out : std::nullopt);
    if (direct) {
        return rows;
    }
    const Tensor result = indexing::from_last_dim(rows, shape, dim);
    return params.out ? movement::copy_into(result, *params.out) : result;
}

inline Domain Gather::domain(const Params& params, std::string_view field) {
    if (field == "index") {
        const Shape& shape = params.input.logical_shape();
        return Domain::integer(0, shape.empty() ? 0 : std::max(shape[params.dim], 1U) - 1);
    }
    return Domain::real(-1.0, 1.0);
}

inline void Gather::cases(CaseMaker& make) {
    const auto index = [&](const Shape& shape, DataType dtype) { return make.interleaved(shape, dtype, Layout::TILE); };
    make.add(Params{.input = make.tensor({1, 1, 32, 96}), .dim = -1, .index = index({1, 1, 32, 64}, DataType::UINT32)});
    make.add(Params{.input = make.tensor({3, 33, 40}),
                    .dim = 1,
                    .index = index({2, 50, 7}, DataType::UINT16),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({7, 2, 3, 5}), .dim = 0, .index = index({4, 2, 3, 5}, DataType::UINT16)});
    make.add(
        Params{.input = make.tensor({2, 1, 3, 4, 20}), .dim = 4, .index = index({1, 1, 2, 3, 30}, DataType::UINT32)});
    // Smaller than the input in dimensions that are folded.
    make.add(
        Params{.input = make.tensor({2, 3, 2, 4, 8}), .dim = 4, .index = index({2, 2, 2, 4, 5}, DataType::UINT32)});
    make.add(Params{
        .input = make.tensor({2, 3, 4, 2, 3, 8}), .dim = 1, .index = index({2, 5, 3, 1, 2, 6}, DataType::UINT16)});
    if (make.layout() == Layout::TILE) {
        make.add(Params{.input = make.tensor({2, 1, 40, 64}),
                        .dim = 3,
                        .index = index({2, 1, 33, 10}, DataType::UINT32),
                        .out = make.interleaved({2, 1, 33, 10}, make.dtype(), Layout::TILE)});
        make.add(Params{.input = make.tensor({40, 64}),
                        .dim = 0,
                        .index = index({33, 10}, DataType::UINT32),
                        .out = make.interleaved({33, 10}, make.dtype(), Layout::TILE)});
    }
    if (!make.sharded()) {
        make.add(Params{.input = make.tensor({40}), .dim = 0, .index = index({9}, DataType::UINT16)});
    }
}

}  // namespace ttnn

#endif
