// topk: the greatest or smallest elements along a dimension, and where they are.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct TopK {
    static constexpr std::string_view name = "ttnn.topk";
    static constexpr std::string_view doc =
        "The k greatest or smallest elements along a dimension in order, and their indices. Equal elements come in "
        "the order of their indices.";
    struct Params {
        Tensor input_tensor{};
        int64_t k = 32;
        int64_t dim = -1;
        bool largest = true;
        bool sorted = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<CoreRangeSet> sub_core_grids{};
        std::optional<Tensor> indices_tensor{};
        std::optional<std::vector<Tensor>> output_tensor{};
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 or BFLOAT8_B in TILE"),
        opt<&Params::k>("how many; at most the size of the dimension"),
        opt<&Params::dim>("dimension to look along, negative from the end"),
        opt<&Params::largest>("greatest elements, descending; else smallest, ascending"),
        opt<&Params::sorted>("no effect: the result is always in order"),
        kw<&Params::memory_config>("interleaved; default: the input's"),
        kw<&Params::sub_core_grids>("cores to use"),
        kw<&Params::indices_tensor>("UINT16 or UINT32 in TILE, shape of the input: what stands for an index"),
        kw<&Params::output_tensor>("tensors for values and indices, written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Shape result_shape(const Params& params) {
        Shape shape = params.input_tensor.logical_shape();
        if (!shape.empty()) {
            shape[params.dim] = static_cast<uint32_t>(params.k);
        }
        return shape;
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(topk, TopK);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/lines.hpp"

inline std::vector<ttnn::reference::Array> ttnn::TopK::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    if (input.shape.empty()) {
        return {input, reference::Array(Shape{})};
    }
    const size_t dim = reference::from_front(params.dim, input.shape.rank());
    std::optional<reference::Array> numbers;
    if (params.indices_tensor) {
        numbers = reference::values(*params.indices_tensor);
    }
    reference::Array values(result_shape(params));
    reference::Array indices(result_shape(params));
    const reference::Lines from(input.shape, dim);
    const reference::Lines to(values.shape, dim);
    for (size_t line = 0; line < from.count(); ++line) {
        const std::vector<size_t> order = reference::ordered(input, from, line, params.largest);
        for (size_t i = 0; i < to.length(); ++i) {
            const size_t source = from.at(line, order[i]);
            values.values[to.at(line, i)] = input.values[source];
            indices.values[to.at(line, i)] = numbers ? numbers->values[source] : static_cast<double>(order[i]);
        }
    }
    return {values, indices};
}

#else

#include <limits>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/ordering.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/index/last_dim.hpp"
#include "ttnn/ops/reduction/reduction_rules.hpp"

namespace ttnn {

namespace indexing {

// The original sorts at least two tiles at a time.
inline constexpr uint32_t least_width = 2 * tile_size;

// Indices that do not fit 16 bits take 32.
inline DataType index_dtype(uint32_t width, uint32_t first_too_wide) {
    return width < first_too_wide ? DataType::UINT16 : DataType::UINT32;
}

struct TopKCall {
    const TopK::Params& params;
    size_t dim = 0;
    uint32_t count = 0;     // elements along the dimension
    uint32_t device_k = 0;  // whole tiles of results
    MemoryConfig config;

    bool given_outputs() const { return params.output_tensor.has_value(); }
};

inline TopKCall topk_call(const TopK::Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const size_t dim =
        shape.empty() ? 0 : shape.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", TopK::name));
    const uint32_t count = shape.empty() ? 1 : shape[static_cast<int64_t>(dim)];
    return {params, dim, count, round_up(static_cast<uint32_t>(params.k), tile_size),
            params.memory_config.value_or(params.input_tensor.memory_config())};
}

// Whether the device operation can take the input as it is; block floats share exponents with what is put beside them.
inline bool fits_device(const TopKCall& call) {
    const Shape& shape = call.params.input_tensor.logical_shape();
    return call.dim + 1 == shape.rank() && movement::tile_aligned(shape) && call.count >= least_width &&
           call.device_k == call.params.k;
}

inline Tensor padded_rows(const Tensor& tensor, double padding) {
    const uint32_t width = tensor.logical_shape()[-1];
    Tensor padded = tensor;
    if (width < least_width) {
        padded = pad(tensor, Padding{{0, int64_t{least_width} - width}}, padding);
    }
    return fill_implicit_tile_padding(padded, padding);
}

inline void topk_program(Program& program, const TopKCall& call, std::span<const Tensor> outputs) {
    const CoreRangeSet cores = cores_for(program, call.params.sub_core_grids, tile_rows(outputs[0]));
    const uint64_t tiles = call.device_k / tile_size;
    for (const uint64_t count : {uint64_t{2}, uint64_t{4}, 2 * tiles, tiles}) {
        program.circular_buffer(cores, count * page_bytes(outputs[0]));
        program.circular_buffer(cores, count * page_bytes(outputs[1]));
    }
}

inline std::vector<Tensor> topk_primitive(const TopKCall& call, const Tensor& rows, const Tensor& numbers,
                                          std::span<const OutputSlot> slots) {
    const Tensor tensors[] = {rows, numbers};
    const int64_t k = call.device_k;
    const int64_t dim = -1;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { topk_program(p, call, outputs); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::order_rows(inputs[0], inputs[1], call.count, call.params.largest, outputs[0], outputs[1]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(rows).add(k).add(dim).add(call.params.largest).add(call.params.sorted).add(call.config);
        list.add(call.params.sub_core_grids).add(call.params.indices_tensor).add(call.params.output_tensor);
    };
    return launch({"ttnn::prim::topk", tensors, program, kernel, arguments}, slots);
}

inline Tensor topk_result(const TopKCall& call, const Tensor& result) {
    Tensor cut = result;
    if (const Shape& shape = result.logical_shape(); call.device_k != call.params.k) {
        cut = slice(result, std::vector<int64_t>(4, 0),
                    std::vector<int64_t>{shape[0], shape[1], shape[2], call.params.k});
    }
    return from_last_dim(cut, TopK::result_shape(call.params), call.dim);
}

inline void check_topk(const TopK::Params& params) {
    const std::string_view name = TopK::name;
    const Tensor& input = params.input_tensor;
    check_layout(name, "input_tensor", input, Layout::TILE);
    check_dtype(name, "input_tensor", input, {DataType::BFLOAT16, DataType::BFLOAT8_B});
    require(!params.memory_config.value_or(input.memory_config()).is_sharded(),
            "{}: the result must be interleaved; argument 'memory_config' or the input says otherwise", name);
    if (params.indices_tensor) {
        check_dtype(name, "indices_tensor", *params.indices_tensor, {DataType::UINT16, DataType::UINT32});
        check_layout(name, "indices_tensor", *params.indices_tensor, Layout::TILE);
    }
    if (params.output_tensor) {
        const std::vector<Tensor>& outputs = *params.output_tensor;
        check_dtype(name, "output_tensor", outputs[0], {input.dtype()});
        check_dtype(name, "output_tensor", outputs[1], {DataType::UINT16, DataType::UINT32});
        for (const Tensor& output : outputs) {
            check_layout(name, "output_tensor", output, Layout::TILE);
            check_interleaved(name, "output_tensor", output);
        }
    }
}

// Nothing to look for, or one number without dimensions.
inline std::optional<std::vector<Tensor>> topk_without_launch(const TopKCall& call) {
    const Tensor& input = call.params.input_tensor;
    const Shape shape = TopK::result_shape(call.params);
    if (!shape.empty() && input.logical_volume() != 0 && call.params.k != 0) {
        return std::nullopt;
    }
    if (call.given_outputs()) {
        return *call.params.output_tensor;
    }
    const Tensor indices = Tensor::allocate_on_device(
        TensorSpec(shape, index_dtype(call.count, UINT16_MAX + 1), Layout::TILE, call.config), input.device());
    if (shape.empty()) {
        return std::vector<Tensor>{clone(input, {.memory_config = call.config}), indices};
    }
    const TensorSpec spec(shape, input.dtype(), Layout::TILE, call.config);
    return std::vector<Tensor>{Tensor::allocate_on_device(spec, input.device()), indices};
}

}  // namespace indexing

inline void TopK::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const auto size = int64_t{indexing::topk_call(params).count};
    require(params.k >= 0 && params.k <= size,
            "{}: argument 'k' is {}: K cannot be larger than the dimension size! The dimension has {} elements", name,
            params.k, size);
    if (params.indices_tensor) {
        require(params.indices_tensor->logical_shape() == shape,
                "{}: argument 'indices_tensor' must have the input's {}, got {}", name, shape,
                params.indices_tensor->logical_shape());
    }
    if (params.output_tensor) {
        require(params.output_tensor->size() == 2, "{}: argument 'output_tensor' must hold 2 tensors, got {}", name,
                params.output_tensor->size());
        require(!shape.empty(), "{}: argument 'output_tensor' needs an input with dimensions", name);
        for (const Tensor& output : *params.output_tensor) {
            check_preallocated(name, "output_tensor", output, result_shape(params));
        }
    }
    check_at_launch([&] { indexing::check_topk(params); });
}

inline std::vector<Tensor> TopK::run(const Params& params) {
    using indexing::TopKCall;
    const TopKCall call = indexing::topk_call(params);
    if (auto nothing = indexing::topk_without_launch(call)) {
        return *nothing;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor& input = params.input_tensor;
    const bool direct = indexing::fits_device(call);
    const bool widened = is_block_float(input.dtype()) && !direct;
    const Tensor source = widened ? typecast(input, DataType::BFLOAT16) : input;
    const Tensor rows =
        indexing::padded_rows(indexing::to_last_dim(source, call.dim), params.largest ? -infinity : infinity);
    const Tensor numbers = params.indices_tensor ? indexing::to_last_dim(*params.indices_tensor, call.dim) : Tensor();

    Shape shape = rows.logical_shape();
    const uint32_t width = rows.padded_shape()[-1];
    shape[-1] = call.device_k;
    const DataType indices =
        call.given_outputs() ? (*params.output_tensor)[1].dtype() : indexing::index_dtype(width, UINT16_MAX + 1);
    std::vector<OutputSlot> slots{{.spec = TensorSpec(shape, source.dtype(), Layout::TILE, call.config)},
                                  {.spec = TensorSpec(shape, indices, Layout::TILE, call.config)}};
    const bool into_given = call.given_outputs() && direct && shape == result_shape(params);
    for (size_t i = 0; into_given && i < slots.size(); ++i) {
        slots[i].preallocated = (*params.output_tensor)[i];
    }
    std::vector<Tensor> results = indexing::topk_primitive(call, rows, numbers, slots);
    if (into_given) {
        return results;
    }
    for (Tensor& result : results) {
        result = indexing::topk_result(call, result);
    }
    const DataType dtype = call.given_outputs() ? input.dtype() : reduction_rules::result_dtype(input);
    if (results[0].dtype() != dtype) {
        results[0] = typecast(results[0], dtype);
    }
    for (size_t i = 0; call.given_outputs() && i < results.size(); ++i) {
        results[i] = movement::copy_into(results[i], (*params.output_tensor)[i]);
    }
    return results;
}

inline Domain TopK::domain(const Params& params, std::string_view field) {
    if (field == "indices_tensor") {
        return Domain::integer(0, std::max(params.input_tensor.logical_shape().from_end(0), 1U) - 1);
    }
    return Domain::real(-1.0, 1.0);
}

inline void TopK::cases(CaseMaker& make) {
    make.only_if(make.floating());
    const auto indices = [&](const Shape& shape, DataType dtype) {
        return make.interleaved(shape, dtype, Layout::TILE);
    };
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 256}), .k = 8});
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 128}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 2, 8, 64}), .k = 4, .largest = false});
    make.add(Params{.input_tensor = make.tensor({3, 33, 40}), .k = 5});
    make.add(Params{.input_tensor = make.tensor({2, 96, 5}), .k = 33, .dim = 1, .largest = false, .sorted = false});
    make.add(Params{.input_tensor = make.tensor({40, 2, 3, 7}), .k = 40, .dim = 0});
    make.add(Params{.input_tensor = make.tensor({2, 1, 3, 5, 70}), .k = 64, .dim = -1});
    // The tiles that hold the results are wider than the rows.
    make.add(Params{.input_tensor = make.tensor({3, 70}), .k = 70});
    make.add(Params{.input_tensor = make.tensor({2, 100}), .k = 98, .largest = false});
    make.add(
        Params{.input_tensor = make.tensor({64, 96}), .k = 32, .indices_tensor = indices({64, 96}, DataType::UINT32)});
    make.add(Params{.input_tensor = make.tensor({2, 40, 33}),
                    .k = 3,
                    .dim = 1,
                    .indices_tensor = indices({2, 40, 33}, DataType::UINT16)});
    if (make.layout() == Layout::TILE) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 64, 64}),
                        .k = 32,
                        .output_tensor = {{make.interleaved({1, 1, 64, 32}, make.dtype(), Layout::TILE),
                                           indices({1, 1, 64, 32}, DataType::UINT16)}}});
        make.add(Params{.input_tensor = make.tensor({3, 70}),
                        .k = 7,
                        .output_tensor = {{make.interleaved({3, 7}, make.dtype(), Layout::TILE),
                                           indices({3, 7}, DataType::UINT32)}}});
    }
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({100}), .k = 10, .dim = 0});
    }
}

}  // namespace ttnn

#endif
