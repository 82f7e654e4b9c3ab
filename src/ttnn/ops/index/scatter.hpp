// scatter and scatter_add: elements written to numbered places along a dimension of a copy.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

namespace indexing {
inline constexpr std::string_view scatter_input_doc =
    "interleaved tensor; BFLOAT16, BFLOAT8_B, FLOAT32 in ROW_MAJOR, "
    "INT32, UINT32 or UINT16";
inline constexpr std::string_view scatter_index_doc =
    "integers; not larger than the source, and than the input except along the dimension";
inline constexpr std::string_view scatter_source_doc = "what is written, of the input's dtype (block floats: BFLOAT16)";
}  // namespace indexing

struct Scatter {
    static constexpr std::string_view name = "ttnn.scatter";
    static constexpr std::string_view doc =
        "A copy of the input in which the places that the index names take elements of the source, the last one where "
        "a place is named twice.";
    struct Params {
        Tensor input{};
        int64_t dim = 0;
        Tensor index{};
        Tensor src{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::string> reduce{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>(indexing::scatter_input_doc).also("input_tensor"),
                                      arg<&Params::dim>("dimension of the places, negative from the end"),
                                      arg<&Params::index>(indexing::scatter_index_doc),
                                      arg<&Params::src>(indexing::scatter_source_doc),
                                      kw<&Params::memory_config>("interleaved; default: the input's"),
                                      kw<&Params::reduce>("\"add\" or \"multiply\" instead of replacing"),
                                      kw<&Params::sub_core_grids>("cores to use")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ScatterAdd {
    static constexpr std::string_view name = "ttnn.scatter_add";
    static constexpr std::string_view doc =
        "A copy of the input to which elements of the source are added at the places that the index names.";
    struct Params {
        Tensor input{};
        int64_t dim = 0;
        Tensor index{};
        Tensor src{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>(indexing::scatter_input_doc).also("input_tensor"),
                                      arg<&Params::dim>("dimension of the places, negative from the end"),
                                      arg<&Params::index>(indexing::scatter_index_doc),
                                      arg<&Params::src>(indexing::scatter_source_doc),
                                      kw<&Params::memory_config>("interleaved; default: the input's"),
                                      kw<&Params::sub_core_grids>("cores to use")};

    static Scatter::Params as_scatter(const Params& params) {
        return {.input = params.input,
                .dim = params.dim,
                .index = params.index,
                .src = params.src,
                .memory_config = params.memory_config,
                .reduce = "add",
                .sub_core_grids = params.sub_core_grids};
    }
    static void validate(const Params& params) { Scatter::validate(as_scatter(params)); }
    static Result run(const Params& params) { return Scatter::run(as_scatter(params)); }
    static Domain domain(const Params& params, std::string_view field) {
        return Scatter::domain(as_scatter(params), field);
    }
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(scatter, Scatter);
TTNN_OPERATION(scatter_add, ScatterAdd);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/lines.hpp"

namespace ttnn {

namespace reference {
// Integers wrap as two's complement of 32 bits.
inline double reduced(DataType dtype, std::string_view reduce, double held, double given) {
    if (!is_integer(dtype)) {
        return reduce == "add" ? held + given : held * given;
    }
    const auto a = static_cast<uint64_t>(static_cast<int64_t>(held));
    const auto b = static_cast<uint64_t>(static_cast<int64_t>(given));
    return wrap_to(dtype, static_cast<double>((reduce == "add" ? a + b : a * b) & UINT32_MAX));
}
}  // namespace reference

inline std::vector<reference::Array> Scatter::reference(const Params& params) {
    reference::Array result = reference::values(params.input);
    if (result.shape.empty()) {
        return {result};
    }
    const reference::Array index = reference::values(params.index);
    const reference::Array source = reference::values(params.src);
    const size_t dim = reference::from_front(params.dim, result.shape.rank());
    std::vector<double> slack(result.values.size(), 0.0);
    reference::for_each_index(index.shape, [&](std::span<const uint32_t> place) {
        std::vector<uint32_t> target(place.begin(), place.end());
        target[dim] = static_cast<uint32_t>(index.at(place));
        double& held = result.at(target);
        const double given = source.at(place);
        if (!params.reduce) {
            held = given;
            return;
        }
        held = reference::reduced(params.input.dtype(), *params.reduce, held, given);
        slack[result.offset(target)] += (std::abs(held) + std::abs(given)) * 0x1p-23;
    });
    if (params.reduce && is_floating(params.input.dtype())) {
        result.slack = std::move(slack);
    }
    return {result};
}

inline std::vector<reference::Array> ScatterAdd::reference(const Params& params) {
    return Scatter::reference(as_scatter(params));
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/indexed.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

inline compute::ScatterMode scatter_mode(const std::optional<std::string>& reduce) {
    require(!reduce || *reduce == "add" || *reduce == "multiply",
            "{}: argument 'reduce' must be \"add\", \"multiply\" or None, got \"{}\"", Scatter::name,
            reduce.value_or(""));
    if (!reduce) {
        return compute::ScatterMode::REPLACE;
    }
    return *reduce == "add" ? compute::ScatterMode::ADD : compute::ScatterMode::MULTIPLY;
}

// Every argument stands for one row-major chunk of a row; long rows go through in parts of about a fifth of L1
// together.
inline void scatter_program(Program& program, const std::optional<CoreRangeSet>& chosen,
                            std::span<const Tensor> tensors, const Tensor& output) {
    const CoreRangeSet cores = cores_for(program, chosen, output.spec().num_pages());
    const uint64_t elements = round_up<uint64_t>(movement::free_l1(program) / 20, 32);
    const auto buffer = [&](const Tensor& tensor) {
        const uint64_t chunk = std::min<uint64_t>(tensor.logical_shape()[-1], elements);
        program.circular_buffer(cores, round_up<uint64_t>(chunk * element_size(tensor.dtype()), 32));
    };
    std::ranges::for_each(tensors, buffer);
    buffer(output);
}

// Rows in ROW_MAJOR: block floats become BFLOAT16 on the way.
inline Tensor rows_of(const Tensor& tensor, size_t dim) {
    return to_last_dim(to_layout(tensor, Layout::ROW_MAJOR), dim);
}

inline Tensor scatter_primitive(const Scatter::Params& params, size_t dim, std::span<const Tensor> rows,
                                const MemoryConfig& config) {
    const compute::ScatterShapes shapes{exchanged(params.input.logical_shape(), dim),
                                        exchanged(params.index.logical_shape(), dim)};
    const compute::ScatterMode mode = scatter_mode(params.reduce);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        scatter_program(p, params.sub_core_grids, rows, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::scatter_columns(Scatter::name, inputs[0], inputs[1], inputs[2], shapes, mode, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(rows[0]).add(params.dim).add(rows[1]).add(rows[2]).add(config).add(params.reduce);
        list.add(params.sub_core_grids);
    };
    return launch({"ttnn::prim::scatter", rows, program, kernel, arguments},
                  TensorSpec(rows[0].logical_shape(), rows[0].dtype(), Layout::ROW_MAJOR, config));
}

// As wide as the index; the rest of the source is not used.
inline Tensor cropped(const Tensor& source, const Shape& shape) {
    return source.logical_shape() == shape
               ? source
               : slice(source, std::vector<int64_t>(shape.rank(), 0), movement::ints(shape));
}

inline void check_scatter(const Scatter::Params& params, size_t dim) {
    const std::string_view name = Scatter::name;
    const auto along = static_cast<int64_t>(dim);
    const auto check = [&](std::string_view argument, const Tensor& tensor) {
        check_interleaved(name, argument, tensor);
        const bool tiles = tensor.layout() == Layout::TILE;
        const bool wide = tensor.dtype() == DataType::INT32 || tensor.dtype() == DataType::UINT32;
        require(!tiles || tensor.dtype() != DataType::FLOAT32, "{}: argument '{}' must be in ROW_MAJOR for FLOAT32",
                name, argument);
        require(!tiles || !wide || tensor.logical_shape()[along] <= 256,
                "{}: argument '{}' has {} elements of {} along the dimension, in TILE at most 256 are possible", name,
                argument, tensor.logical_shape()[along], tensor.dtype());
        require(!tiles || tensor.dtype() != DataType::UINT8, "{}: argument '{}' must be in ROW_MAJOR for UINT8", name,
                argument);
    };
    check("input", params.input);
    check("index", params.index);
    check("src", params.src);
    check_dtype(name, "index", params.index, {DataType::INT32, DataType::UINT32, DataType::UINT16, DataType::UINT8});
    const auto in_rows = [](DataType dtype) { return is_block_float(dtype) ? DataType::BFLOAT16 : dtype; };
    require(in_rows(params.input.dtype()) == in_rows(params.src.dtype()),
            "{}: argument 'src' must have the input's {}, got {}", name, in_rows(params.input.dtype()),
            params.src.dtype());
    require(!params.memory_config || !params.memory_config->is_sharded(),
            "{}: argument 'memory_config' must be interleaved", name);
}

}  // namespace indexing

inline void Scatter::validate(const Params& params) {
    indexing::scatter_mode(params.reduce);
    const Shape& own = params.input.logical_shape();
    const Shape& index = params.index.logical_shape();
    const Shape& source = params.src.logical_shape();
    require(own.rank() == index.rank() && own.rank() == source.rank(),
            "{}: arguments 'input', 'index' and 'src' must have the same rank, got {}, {} and {}", name, own, index,
            source);
    if (own.empty()) {
        return;
    }
    const size_t dim = own.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    for (size_t i = 0; i < own.rank(); ++i) {
        const auto at = static_cast<int64_t>(i);
        require(index[at] <= source[at], "{}: argument 'index' {} must not be larger than 'src' {} in dimension {}",
                name, index, source, i);
        require(i == dim || index[at] <= own[at],
                "{}: argument 'index' {} must not be larger than 'input' {} in dimension {}", name, index, own, i);
    }
    check_at_launch([&] { indexing::check_scatter(params, dim); });
}

inline Tensor Scatter::run(const Params& params) {
    const Shape& shape = params.input.logical_shape();
    const MemoryConfig config = params.memory_config.value_or(params.input.memory_config());
    if (shape.volume() == 0 || shape.empty() || params.index.logical_volume() == 0) {
        return clone(params.input, {.memory_config = config});
    }
    const size_t dim = shape.normalize_dim(params.dim, name);
    const Tensor rows[] = {indexing::rows_of(params.input, dim), indexing::rows_of(params.index, dim),
                           indexing::rows_of(indexing::cropped(params.src, params.index.logical_shape()), dim)};
    const Tensor result = indexing::from_last_dim(indexing::scatter_primitive(params, dim, rows, config), shape, dim);
    return to_layout(result, params.input.layout());
}

inline Domain Scatter::domain(const Params& params, std::string_view field) {
    if (field == "index") {
        const Shape& shape = params.input.logical_shape();
        return Domain::integer(0, shape.empty() ? 0 : std::max(shape[params.dim], 1U) - 1);
    }
    return Domain::real(-1.0, 1.0);
}

inline void Scatter::cases(CaseMaker& make) {
    const auto index = [&](const Shape& shape, DataType dtype, Layout layout) {
        return make.interleaved(shape, dtype, layout);
    };
    // Block floats take their source in BFLOAT16.
    const DataType given = is_block_float(make.dtype()) ? DataType::BFLOAT16 : make.dtype();
    make.add(Params{.input = make.tensor({1, 1, 8, 8}),
                    .dim = 3,
                    .index = index({1, 1, 8, 4}, DataType::UINT16, Layout::TILE),
                    .src = make.interleaved({1, 1, 8, 4}, given, make.layout())});
    make.add(Params{.input = make.tensor({3, 33, 40}),
                    .dim = -2,
                    .index = index({2, 50, 7}, DataType::INT32, Layout::ROW_MAJOR),
                    .src = make.interleaved({3, 64, 9}, given, make.layout()),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({7, 2, 1, 4, 10}),
                    .dim = 0,
                    .index = index({3, 2, 1, 4, 10}, DataType::UINT32, Layout::ROW_MAJOR),
                    .src = make.interleaved({3, 2, 1, 4, 10}, given, make.layout()),
                    .reduce = "multiply"});
    // Smaller than the input in dimensions that are folded.
    make.add(Params{.input = make.tensor({2, 3, 2, 4, 8}),
                    .dim = 4,
                    .index = index({2, 2, 2, 4, 5}, DataType::UINT32, Layout::ROW_MAJOR),
                    .src = make.interleaved({2, 3, 2, 4, 5}, given, make.layout())});
    make.add(Params{.input = make.tensor({2, 3, 4, 2, 3, 8}),
                    .dim = 1,
                    .index = index({2, 5, 3, 1, 2, 6}, DataType::UINT16, Layout::ROW_MAJOR),
                    .src = make.interleaved({2, 5, 4, 1, 2, 6}, given, make.layout())});
    make.add(Params{.input = make.tensor({32, 64}),
                    .dim = 1,
                    .index = index({20, 30}, DataType::UINT32, make.layout()),
                    .src = make.interleaved({32, 64}, given, make.layout()),
                    .reduce = "add"});
    if (!make.sharded()) {
        make.add(Params{.input = make.tensor({40}),
                        .dim = 0,
                        .index = index({9}, DataType::UINT8, Layout::ROW_MAJOR),
                        .src = make.interleaved({9}, given, make.layout())});
    }
}

inline void ScatterAdd::cases(CaseMaker& make) {
    const DataType given = is_block_float(make.dtype()) ? DataType::BFLOAT16 : make.dtype();
    make.add(Params{.input = make.tensor({2, 5, 40}),
                    .dim = 1,
                    .index = make.interleaved({2, 12, 33}, DataType::UINT16, Layout::ROW_MAJOR),
                    .src = make.interleaved({2, 12, 40}, given, make.layout())});
    make.add(Params{.input = make.tensor({2, 3, 2, 4, 8}),
                    .dim = -1,
                    .index = make.interleaved({1, 2, 2, 3, 9}, DataType::UINT16, Layout::ROW_MAJOR),
                    .src = make.interleaved({1, 2, 2, 3, 9}, given, make.layout())});
    make.add(Params{.input = make.tensor({64, 32}),
                    .dim = -1,
                    .index = make.interleaved({64, 64}, DataType::INT32, Layout::TILE),
                    .src = make.interleaved({64, 64}, given, make.layout())});
}

}  // namespace ttnn

#endif
