// slice: a box of elements out of a tensor.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Slice {
    static constexpr std::string_view name = "ttnn.slice";
    static constexpr std::string_view doc = "The elements start, start + step, ... before end, in every dimension.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> slice_start{};
        std::vector<int64_t> slice_end{};
        std::optional<std::vector<int64_t>> slice_step{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<Scalar> pad_value{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device or on the host"),
        arg<&Params::slice_start>("first index per dimension, negative from the end").also("starts"),
        arg<&Params::slice_end>("index after the last one per dimension, negative from the end").also("ends"),
        opt<&Params::slice_step>("distance of indices per dimension; default 1").also("steps"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::output_tensor>("written into and returned").mutates(),
        kw<&Params::pad_value>("fills hidden tile padding of the result"),
        kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct SliceByTensor {
    static constexpr std::string_view name = "ttnn.slice";
    static constexpr std::string_view doc =
        "The part of one dimension that begins where a tensor on the device says; its size is that of the dimension "
        "divided by the number of devices.";
    struct Params {
        Tensor input_tensor{};
        Tensor starts{};
        Tensor ends{};
        std::optional<std::vector<int64_t>> slice_step{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<Scalar> pad_value{};
        std::optional<int64_t> slice_dim{};
        std::optional<int64_t> num_devices{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      arg<&Params::starts>("1-D integers, one per dimension"),
                                      arg<&Params::ends>("1-D integers, one per dimension"),
                                      opt<&Params::slice_step>("default: all 1"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted"),
                                      kw<&Params::output_tensor>("written into and returned").mutates(),
                                      kw<&Params::pad_value>("fills hidden tile padding of the result"),
                                      kw<&Params::slice_dim>("with num_devices: the only dimension that is cut"),
                                      kw<&Params::num_devices>("with slice_dim: into how many equal parts"),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = Slice::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Slice, SliceByTensor> slice{};
TTNN_DECLARATION(Slice);
TTNN_DECLARATION(SliceByTensor);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Slice::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const auto step = params.slice_step.value_or(std::vector<int64_t>(input.shape.rank(), 1));
    std::vector<std::vector<uint32_t>> picked;  // per dimension the indices that stay
    Shape shape;
    for (size_t i = 0; i < input.shape.rank(); ++i) {
        const int64_t size = input.shape[static_cast<int64_t>(i)];
        const int64_t begin = params.slice_start[i] < 0 ? params.slice_start[i] + size : params.slice_start[i];
        const int64_t end = params.slice_end[i] < 0 ? params.slice_end[i] + size : params.slice_end[i];
        picked.emplace_back();
        for (int64_t at = begin; at < end; at += step[i]) {
            picked.back().push_back(static_cast<uint32_t>(at));
        }
        shape.push_back(static_cast<uint32_t>(picked.back().size()));
    }
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source;
        for (size_t i = 0; i < index.size(); ++i) {
            source.push_back(picked[i][index[i]]);
        }
        return input.at(source);
    })};
}

inline std::vector<reference::Array> SliceByTensor::reference(const Params& params) {
    if (!params.slice_dim) {
        const auto whole = [](const Tensor& tensor) {
            const auto numbers = reference::values(tensor);
            return std::vector<int64_t>(numbers.values.begin(), numbers.values.end());
        };
        return Slice::reference({.input_tensor = params.input_tensor,
                                 .slice_start = whole(params.starts),
                                 .slice_end = whole(params.ends),
                                 .slice_step = params.slice_step});
    }
    const auto input = reference::values(params.input_tensor);
    const size_t dim = reference::from_front(*params.slice_dim, input.shape.rank());
    const auto begin = static_cast<uint32_t>(reference::values(params.starts).values[dim]);
    Shape shape = input.shape;
    shape[static_cast<int64_t>(dim)] /= static_cast<uint32_t>(*params.num_devices);
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[dim] += begin;
        return input.at(source);
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

// The box with negative indices resolved.
struct Box {
    Shape starts;
    Shape steps;
    Shape shape;  // of the result
};

inline Box box_of(std::string_view op, const Shape& own, std::span<const int64_t> start, std::span<const int64_t> stop,
                  std::span<const int64_t> steps) {
    const size_t rank = own.rank();
    require(start.size() == rank && stop.size() == rank && steps.size() == rank,
            "{}: arguments 'slice_start', 'slice_end' and 'slice_step' must have {} entries for {}, got {}, {} and {}",
            op, rank, own, start.size(), stop.size(), steps.size());
    Box box{own, own, own};
    for (size_t i = 0; i < rank; ++i) {
        const auto at = static_cast<int64_t>(i);
        const int64_t size = own[at];
        const int64_t begin = start[i] + (start[i] < 0 ? size : 0);
        const int64_t end = stop[i] + (stop[i] < 0 ? size : 0);
        require(begin >= 0 && end <= size, "{}: [{}, {}) is outside dimension {} of {}", op, start[i], stop[i], i, own);
        require(end >= begin, "{}: argument 'slice_end' {} must not be smaller than 'slice_start' {} in dimension {}",
                op, stop[i], start[i], i);
        require(steps[i] > 0, "{}: argument 'slice_step' must be positive, got {} in dimension {}", op, steps[i], i);
        box.starts[at] = static_cast<uint32_t>(begin);
        box.steps[at] = static_cast<uint32_t>(std::min<int64_t>(steps[i], UINT32_MAX));
        box.shape[at] = static_cast<uint32_t>(div_up(end - begin, steps[i]));
    }
    return box;
}

inline Box box_of(const Slice::Params& params) {
    const Shape& own = params.input_tensor.logical_shape();
    return box_of(Slice::name, own, params.slice_start, params.slice_end,
                  params.slice_step.value_or(std::vector<int64_t>(own.rank(), 1)));
}

inline bool is_strided(const Box& box) { return box.steps != Shape::filled(box.steps.rank(), 1); }

// Whether tiles can be taken as they are.
inline bool takes_whole_tiles(const Tensor& input, const Box& box) {
    const Tile& tile = input.spec().tile();
    return box.shape.rank() >= 2 && !is_strided(box) && !input.is_sharded() && box.starts[-1] % tile.width() == 0 &&
           box.starts[-2] % tile.height() == 0;
}

inline bool slices_in_row_major(const Tensor& input, const Box& box) {
    return input.is_on_device() && input.layout() == Layout::TILE && box.shape.volume() != 0 &&
           box.shape != input.logical_shape() && !takes_whole_tiles(input, box);
}

inline void slice_program(Program& program, const Tensor& input, const Tensor& output) {
    // Row-major rows are read several per barrier; one is the least the original does.
    const uint64_t alignment = program.device().alignment(input.memory_config().buffer_type());
    const uint64_t unit =
        input.layout() == Layout::TILE ? page_bytes(input) : round_up<uint64_t>(page_bytes(output), alignment);
    program.circular_buffer(program.split(output.spec().num_pages()), capped(program, output, 2 * unit));
}

inline Tensor slice_primitive(const Tensor& input, const Box& box, const MemoryConfig& config,
                              const std::optional<Tensor>& preallocated) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { slice_program(p, input, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0],
                      compute::sliced(inputs[0].logical_shape(), box.shape, box.starts.view(), box.steps.view()),
                      outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(box.starts).add(box.shape).add(box.steps).add(config).add(preallocated);
    };
    return launch({"ttnn::prim::slice", {&input, 1}, program, kernel, arguments},
                  TensorSpec(box.shape, input.dtype(), input.layout(), config, input.spec().tile()), preallocated);
}

inline Tensor slice_on_host(const Tensor& input, const Box& box) {
    const TensorSpec& spec = input.spec();
    const compute::Walk way = compute::sliced(spec.logical_shape(), box.shape, box.starts.view(), box.steps.view());
    return map_parts(input, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(TensorSpec(box.shape, spec.dtype(), spec.layout(), {}, spec.tile()));
        compute::walk(part, way, output);
        return output;
    });
}

inline Tensor copied_into(const Tensor& result, const std::optional<Tensor>& output) {
    return output ? copy_primitive(result, output->memory_config(), output->dtype(), output) : result;
}

// Block floats come out as BFLOAT16.
inline Tensor slice_in_row_major(const Tensor& input, const Box& box, const MemoryConfig& config,
                                 const std::optional<Tensor>& output) {
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, config.buffer_type());
    const Tensor rows = to_layout(input, Layout::ROW_MAJOR, {.memory_config = between});
    const Tensor part = slice_primitive(rows, box, between, std::nullopt);
    const Tensor tiles = to_layout(part, Layout::TILE);
    if (output) {
        return copied_into(tiles, output);
    }
    return config.is_sharded() ? to_memory_config(tiles, config) : tiles;
}

inline Tensor slice_on_device(const Slice::Params& params, const Box& box) {
    const Tensor& input = params.input_tensor;
    const MemoryConfig config = params.output_tensor ? params.output_tensor->memory_config()
                                                     : fitted_output_config(params.memory_config, input, box.shape);
    if (box.shape.volume() == 0) {
        return Tensor::allocate_on_device(TensorSpec(box.shape, input.dtype(), input.layout(), config), input.device());
    }
    if (box.shape == input.logical_shape()) {
        return params.output_tensor ? copied_into(input, params.output_tensor)
                                    : to_memory_config(input, params.memory_config.value_or(input.memory_config()));
    }
    return slices_in_row_major(input, box) ? slice_in_row_major(input, box, config, params.output_tensor)
                                           : slice_primitive(input, box, config, params.output_tensor);
}

inline void check_slice(const Slice::Params& params, const Box& box) {
    const std::string_view name = Slice::name;
    const Tensor& input = params.input_tensor;
    const bool detour = slices_in_row_major(input, box);
    require(
        !detour || (input.dtype() != DataType::UINT16 && input.dtype() != DataType::UINT8),
        "{}: argument 'input_tensor' is {} in TILE, which can be cut only interleaved, with step 1 and at multiples of "
        "the tile; got starts {} and steps {}",
        name, input.dtype(), box.starts, box.steps);
    require(!is_block_float(input.dtype()) || !is_strided(box), "{}: argument 'slice_step' must be 1 for {}, got {}",
            name, input.dtype(), box.steps);
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, box.shape);
        check_layout(name, "output_tensor", *params.output_tensor, input.layout());
        check_dtype(name, "output_tensor", *params.output_tensor,
                    {detour ? row_major_dtype(input.dtype()) : input.dtype()});
    }
}

}  // namespace movement

inline void Slice::validate(const Params& params) {
    const auto box = movement::box_of(params);
    const Tensor& input = params.input_tensor;
    require(input.is_on_device() || box.shape.volume() != 0,
            "{}: a slice of a tensor on the host must have elements, got {}", name, box.shape);
    check_at_launch([&] { movement::check_slice(params, box); });
}

inline Tensor Slice::run(const Params& params) {
    const auto box = movement::box_of(params);
    if (!params.input_tensor.is_on_device()) {
        return movement::slice_on_host(params.input_tensor, box);
    }
    const Tensor result = movement::slice_on_device(params, box);
    return params.pad_value && !params.output_tensor ? fill_implicit_tile_padding(result, as_double(*params.pad_value))
                                                     : result;
}

inline void Slice::cases(CaseMaker& make) {
    make.add(
        Params{.input_tensor = make.tensor({1, 2, 64, 96}), .slice_start = {0, 1, 32, 0}, .slice_end = {1, 2, 64, 70}});
    make.add(Params{.input_tensor = make.tensor({3, 40, 64}),
                    .slice_start = {1, 5, 16},
                    .slice_end = {3, -1, 48},
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({4, 9, 80}),
                    .slice_start = {0, 1, 0},
                    .slice_end = {4, 9, 80},
                    .slice_step = std::vector<int64_t>{2, 3, 5}});
    make.add(Params{.input_tensor = make.tensor({64, 64}), .slice_start = {-32, 0}, .slice_end = {64, 32}});
    make.add(Params{.input_tensor = make.tensor({64, 64}), .slice_start = {0, 0}, .slice_end = {64, 64}});
    make.add(Params{
        .input_tensor = make.tensor({64, 64}), .slice_start = {0, 0}, .slice_end = {33, 64}, .pad_value = Scalar(1.0)});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({100}), .slice_start = {3}, .slice_end = {50}});
        make.add(Params{.input_tensor = make.on_host({3, 33, 40}, make.dtype(), make.layout()),
                        .slice_start = {1, 3, 0},
                        .slice_end = {3, 30, 40}});
        make.add(Params{.input_tensor = make.tensor({2, 64, 64}),
                        .slice_start = {1, 0, 32},
                        .slice_end = {2, 64, 64},
                        .output_tensor = make.tensor({1, 64, 32})});
    }
}

namespace movement {

// The same call with numbers for bounds. With slice_dim and num_devices only that dimension is cut, and its part has
// the size of one device's share; else the bounds are those of a list.
inline Slice::Params read_bounds(const SliceByTensor::Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    Slice::Params fixed{.input_tensor = params.input_tensor,
                        .slice_start = std::vector<int64_t>(shape.rank(), 0),
                        .slice_end = ints(shape),
                        .slice_step = params.slice_step,
                        .memory_config = params.memory_config,
                        .output_tensor = params.output_tensor,
                        .pad_value = params.pad_value};
    const Dense<double> starts = read<double>(params.starts);
    if (params.slice_dim) {
        const size_t dim = shape.normalize_dim(*params.slice_dim, SliceByTensor::name);
        fixed.slice_start[dim] = static_cast<int64_t>(starts[dim]);
        fixed.slice_end[dim] = fixed.slice_start[dim] + shape[static_cast<int64_t>(dim)] / *params.num_devices;
        return fixed;
    }
    const Dense<double> ends = read<double>(params.ends);
    std::ranges::copy(starts, fixed.slice_start.begin());
    std::ranges::copy(ends, fixed.slice_end.begin());
    return fixed;
}

}  // namespace movement

inline void SliceByTensor::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const auto check = [&](std::string_view argument, const Tensor& tensor) {
        require(is_integer(tensor.dtype()) && tensor.logical_volume() == shape.rank(),
                "{}: argument '{}' must hold {} integers, got {} of {}", name, argument, shape.rank(),
                tensor.logical_shape(), tensor.dtype());
    };
    check("starts", params.starts);
    check("ends", params.ends);
    require(params.slice_dim.has_value() == params.num_devices.has_value(),
            "{}: arguments 'slice_dim' and 'num_devices' must be given together", name);
    if (params.slice_dim) {
        const size_t dim = shape.normalize_dim(*params.slice_dim, fmt::format("{}: argument 'slice_dim'", name));
        const int64_t size = shape[static_cast<int64_t>(dim)];
        require(*params.num_devices > 0 && size % *params.num_devices == 0,
                "{}: argument 'num_devices' must divide the {} elements of dimension {}, got {}", name, size, dim,
                *params.num_devices);
    }
    Slice::validate(movement::read_bounds(params));
}

inline Tensor SliceByTensor::run(const Params& params) { return Slice::run(movement::read_bounds(params)); }

// Only bounds inside the tensor are legal: a start of zero always is, and so is an end in the shortest dimension.
inline Domain SliceByTensor::domain(const Params& params, std::string_view field) {
    if (field == "ends" && !params.slice_dim) {
        const Shape& shape = params.input_tensor.logical_shape();
        const int64_t shortest = shape.empty() ? 0 : std::ranges::min(shape);
        return Domain::integer(shortest, shortest);
    }
    return field == "input_tensor" ? Domain::real(-1.0, 1.0) : Domain::integer(0, 0);
}

inline void SliceByTensor::cases(CaseMaker& make) {
    const Tensor index = make.interleaved({2}, DataType::INT32, Layout::ROW_MAJOR);
    make.add(Params{
        .input_tensor = make.tensor({32, 128}), .starts = index, .ends = index, .slice_dim = 1, .num_devices = 2});
    make.add(Params{
        .input_tensor = make.tensor({64, 64}), .starts = index, .ends = index, .slice_dim = 0, .num_devices = 1});
    make.add(Params{.input_tensor = make.tensor({40, 64}),
                    .starts = make.on_host({2}, DataType::INT32, Layout::ROW_MAJOR),
                    .ends = make.on_host({2}, DataType::UINT32, Layout::ROW_MAJOR),
                    .slice_step = std::vector<int64_t>{3, 2}});
}

}  // namespace ttnn

#endif
