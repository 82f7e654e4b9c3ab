// sort: the elements along a dimension in order, and where they were.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Sort {
    static constexpr std::string_view name = "ttnn.sort";
    static constexpr std::string_view doc =
        "The elements along a dimension in order, and the indices that they had. Equal elements keep their order.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = -1;
        bool descending = false;
        bool stable = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> out{};
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("interleaved BFLOAT16 or UINT16 in TILE"),
        opt<&Params::dim>("dimension to sort along, negative from the end"),
        opt<&Params::descending>("greatest first"),
        opt<&Params::stable>("no effect: equal elements always keep their order"),
        kw<&Params::out>("tensors for values and indices, written into and returned").mutates(),
        kw<&Params::memory_config>("interleaved; default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(sort, Sort);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/lines.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Sort::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    if (input.shape.empty()) {
        return {input, reference::Array(input.shape)};
    }
    const reference::Lines lines(input.shape, reference::from_front(params.dim, input.shape.rank()));
    reference::Array values(input.shape);
    reference::Array indices(input.shape);
    for (size_t line = 0; line < lines.count(); ++line) {
        const std::vector<size_t> order = reference::ordered(input, lines, line, params.descending);
        for (size_t i = 0; i < lines.length(); ++i) {
            values.values[lines.at(line, i)] = input.values[lines.at(line, order[i])];
            indices.values[lines.at(line, i)] = static_cast<double>(order[i]);
        }
    }
    return {values, indices};
}

#else

#include <bit>
#include <limits>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/ordering.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

inline size_t sorted_dim(const Sort::Params& params) {
    return params.input_tensor.logical_shape().normalize_dim(params.dim, fmt::format("{}: argument 'dim'", Sort::name));
}

// A number that stands behind all others; the device sorts powers of two of at least two tiles.
inline Tensor rows_to_sort(const Tensor& rows, bool descending) {
    double last = descending ? 0.0 : double{UINT16_MAX};
    if (is_floating(rows.dtype())) {
        last = std::numeric_limits<double>::infinity() * (descending ? -1 : 1);
    }
    const uint32_t width = std::max(std::bit_ceil(rows.padded_shape()[-1]), 2 * tile_size);
    Tensor filled = fill_implicit_tile_padding(rows, last);
    if (width == rows.padded_shape()[-1]) {
        return filled;
    }
    return pad(filled, Padding{{0, int64_t{width} - rows.logical_shape()[-1]}}, last);
}

inline void sort_program(Program& program, std::span<const Tensor> outputs) {
    constexpr uint64_t most_tiles = 64;  // longer rows are spread over several cores
    const CoreRangeSet cores = cores_for(program, std::nullopt, tile_rows(outputs[0]));
    const uint64_t row = std::min(tile_columns(outputs[0]), most_tiles);
    for (const uint64_t count : {uint64_t{4}, row, uint64_t{2}}) {
        program.circular_buffer(cores, count * page_bytes(outputs[0]));
        program.circular_buffer(cores, count * page_bytes(outputs[1]));
    }
    program.circular_buffer(cores, Tile().num_elements());  // cores wait for each other in it
}

inline std::vector<Tensor> sort_primitive(const Sort::Params& params, const Tensor& rows, size_t real,
                                          const MemoryConfig& config, std::span<const OutputSlot> slots) {
    const auto program = [](Program& p, std::span<const Tensor> outputs) { sort_program(p, outputs); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::order_rows(inputs[0], Tensor(), real, params.descending, outputs[0], outputs[1]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(rows).add(params.dim).add(params.descending).add(params.stable).add(config).add(params.out);
    };
    return launch({"ttnn::prim::sort", {&rows, 1}, program, kernel, arguments}, slots);
}

// Back to the columns and the shape that the input has.
inline Tensor sorted_result(const Tensor& result, const Shape& shape, size_t dim) {
    const Shape& own = result.logical_shape();
    const int64_t real = shape[static_cast<int64_t>(dim)];
    Tensor cut = result;
    if (own[-1] != real) {
        cut = slice(result, std::vector<int64_t>(4, 0), std::vector<int64_t>{own[0], own[1], own[2], real});
    }
    return from_last_dim(cut, shape, dim);
}

inline void check_sort(const Sort::Params& params) {
    const std::string_view name = Sort::name;
    const Tensor& input = params.input_tensor;
    check_layout(name, "input_tensor", input, Layout::TILE);
    check_dtype(name, "input_tensor", input, {DataType::BFLOAT16, DataType::UINT16});
    check_interleaved(name, "input_tensor", input);
    require(!params.memory_config || !params.memory_config->is_sharded(),
            "{}: argument 'memory_config' must be interleaved", name);
    if (params.out) {
        check_dtype(name, "out", (*params.out)[0], {input.dtype()});
        check_dtype(name, "out", (*params.out)[1], {DataType::UINT16, DataType::UINT32});
        for (const Tensor& output : *params.out) {
            check_layout(name, "out", output, Layout::TILE);
            check_interleaved(name, "out", output);
        }
    }
}

}  // namespace indexing

inline void Sort::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    if (!shape.empty()) {
        indexing::sorted_dim(params);
    }
    if (params.out) {
        require(params.out->size() == 2, "{}: argument 'out' must hold 2 tensors, got {}", name, params.out->size());
        for (const Tensor& output : *params.out) {
            check_preallocated(name, "out", output, shape);
        }
    }
    check_at_launch([&] { indexing::check_sort(params); });
}

inline std::vector<Tensor> Sort::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const MemoryConfig& config = params.memory_config ? *params.memory_config : input.memory_config();
    if (shape.empty() || shape == Shape{1} || shape.volume() == 0) {
        // One number is in order: its place is 0.
        const TensorSpec places(shape, DataType::UINT16, Layout::TILE, config);
        if (!params.out) {
            return {clone(input, {.memory_config = config}), Tensor::allocate_on_device(places, input.device())};
        }
        const Tensor zeros = Tensor::allocate_on_device((*params.out)[1].spec(), input.device());
        return {movement::copy_into(input, (*params.out)[0]), movement::copy_into(zeros, (*params.out)[1])};
    }
    const size_t dim = indexing::sorted_dim(params);
    const uint32_t real = shape[static_cast<int64_t>(dim)];
    const Tensor rows = indexing::rows_to_sort(indexing::to_last_dim(input, dim), params.descending);
    DataType indices = rows.logical_shape()[-1] >= UINT16_MAX ? DataType::UINT32 : DataType::UINT16;
    indices = params.out ? (*params.out)[1].dtype() : indices;
    std::vector<OutputSlot> slots{{.spec = TensorSpec(rows.logical_shape(), input.dtype(), Layout::TILE, config)},
                                  {.spec = TensorSpec(rows.logical_shape(), indices, Layout::TILE, config)}};
    const bool into_given = params.out && dim + 1 == shape.rank() && rows.logical_shape() == shape;
    for (size_t i = 0; into_given && i < slots.size(); ++i) {
        slots[i].preallocated = (*params.out)[i];
    }
    std::vector<Tensor> results = indexing::sort_primitive(params, rows, real, config, slots);
    for (size_t i = 0; !into_given && i < results.size(); ++i) {
        results[i] = indexing::sorted_result(results[i], shape, dim);
        results[i] = params.out ? movement::copy_into(results[i], (*params.out)[i]) : results[i];
    }
    return results;
}

inline void Sort::cases(CaseMaker& make) {
    const auto outputs = [&](const Shape& shape, DataType indices) {
        return std::vector<Tensor>{make.interleaved(shape, make.dtype(), Layout::TILE),
                                   make.interleaved(shape, indices, Layout::TILE)};
    };
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64})});
    make.add(Params{.input_tensor = make.tensor({2, 3, 40, 128}), .descending = true, .stable = true});
    make.add(Params{.input_tensor = make.tensor({3, 33, 65}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 70, 5}), .dim = 1});
    make.add(Params{.input_tensor = make.tensor({50, 2, 3, 7}), .dim = 0, .descending = true});
    make.add(Params{.input_tensor = make.tensor({2, 1, 3, 5, 20})});
    if (make.layout() == Layout::TILE) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64}), .out = outputs({1, 1, 32, 64}, DataType::UINT16)});
        make.add(Params{
            .input_tensor = make.tensor({3, 20}), .descending = true, .out = outputs({3, 20}, DataType::UINT32)});
    }
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({40})});
        make.add(Params{.input_tensor = make.tensor({1})});
    }
}

}  // namespace ttnn

#endif
