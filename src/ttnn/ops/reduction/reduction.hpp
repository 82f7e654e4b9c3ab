// sum, mean, max, min, std and var over any dimensions.
#pragma once

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/ops/reduction/reduction_rules.hpp"

namespace ttnn {

enum class ReduceKind : uint8_t { SUM, MEAN, MAX, MIN, STD, VAR };
template <>
struct EnumInfo<ReduceKind> {
    static constexpr std::string_view type = "ReduceOpMath";
    static constexpr EnumMember<ReduceKind> members[] = {{ReduceKind::SUM, "SUM"}, {ReduceKind::MEAN, "MEAN"},
                                                         {ReduceKind::MAX, "MAX"}, {ReduceKind::MIN, "MIN"},
                                                         {ReduceKind::STD, "STD"}, {ReduceKind::VAR, "VAR"}};
};

struct ReductionParams {
    Tensor input_tensor{};
    std::optional<IntOrList> dim{};
    bool keepdim = false;
    std::optional<MemoryConfig> memory_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    double scalar = 1.0;
    bool correction = true;
    std::optional<CoreRangeSet> sub_core_grids{};
};

namespace reduction {
void validate(std::string_view op, ReduceKind kind, const ReductionParams& params);
Tensor run(std::string_view op, ReduceKind kind, const ReductionParams& params);
void cases(CaseMaker& make);
}  // namespace reduction

template <FixedString Name, ReduceKind Kind>
struct Reduction {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = "Reduces a tensor over some or all of its dimensions.";
    using Params = ReductionParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      opt<&Params::dim>("dimension or list of them, default: all"),
                                      opt<&Params::keepdim>("keep reduced dimensions with size 1"),
                                      kw<&Params::memory_config>("default: of the input"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::scalar>("factor of the result"),
                                      kw<&Params::correction>("std and var: divide by n - 1 instead of n"),
                                      kw<&Params::sub_core_grids>("no effect on results")};
    // Sums run in fp64; std takes the root of a variance that was rounded to fp32.
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static void validate(const Params& params) { reduction::validate(name, Kind, params); }
    static Result run(const Params& params) { return reduction::run(name, Kind, params); }
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make) { reduction::cases(make); }
};

TTNN_OPERATION(sum, Reduction<"ttnn.sum", ReduceKind::SUM>);
TTNN_OPERATION(mean, Reduction<"ttnn.mean", ReduceKind::MEAN>);
TTNN_OPERATION(max, Reduction<"ttnn.max", ReduceKind::MAX>);
TTNN_OPERATION(min, Reduction<"ttnn.min", ReduceKind::MIN>);
TTNN_OPERATION(std, Reduction<"ttnn.std", ReduceKind::STD>);
TTNN_OPERATION(var, Reduction<"ttnn.var", ReduceKind::VAR>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/reduce.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {

template <FixedString Name, ReduceKind Kind>
std::vector<reference::Array> Reduction<Name, Kind>::reference(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const auto dims = reduction_rules::dims_of(name, shape, params.dim);
    const DataType dtype = reduction_rules::result_dtype(input);
    reference::Array result = reference::values(input);
    switch (Kind) {
        case ReduceKind::SUM: result = reference::reduce(result, dims, dtype, reference::sum_of); break;
        case ReduceKind::MEAN: result = reference::reduce(result, dims, dtype, reference::mean_of); break;
        case ReduceKind::MAX: result = reference::reduce(result, dims, dtype, reference::max_of); break;
        case ReduceKind::MIN: result = reference::reduce(result, dims, dtype, reference::min_of); break;
        default:
            result = reference::reduce_at_once(result, dims, [&](const std::vector<double>& values) {
                const double variance = reference::variance_of(values, params.correction);
                return Kind == ReduceKind::STD ? std::sqrt(variance) : variance;
            });
    }
    result = reference::map(result, [&](double value) {
        return is_integer(dtype) ? std::trunc(value * params.scalar) : value * params.scalar;
    });
    if (Kind != ReduceKind::STD && Kind != ReduceKind::VAR) {
        result = reference::rounded(result, dtype);  // stored before its last dimensions are dropped
    }
    result.shape = reduction_rules::reduced_shape(shape, dims, params.keepdim);
    return {result};
}

}  // namespace ttnn

#else

#include <cmath>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/reduce.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"

namespace ttnn {
namespace reduction {

inline bool is_statistic(ReduceKind kind) { return kind == ReduceKind::STD || kind == ReduceKind::VAR; }

// What one launch computes.
struct Work {
    ReduceKind kind = ReduceKind::SUM;
    reduction_rules::Step step{};
    double factor = 1.0;  // of the result
};

inline void reduce_floats(const Tensor& input, const Work& work, Tensor& output) {
    const Dense<float> values = read<float>(input);
    Dense<float> result(output.logical_volume());
    const auto shape = compute::ReduceShape::of(input.logical_shape(), work.step.first, work.step.last);
    if (work.kind == ReduceKind::MAX || work.kind == ReduceKind::MIN) {
        work.kind == ReduceKind::MAX ? compute::reduce_max(values.data(), shape, result.data())
                                     : compute::reduce_min(values.data(), shape, result.data());
        for (float& value : result) {
            value = static_cast<float>(value * work.factor);
        }
    } else {
        const double count = work.kind == ReduceKind::MEAN ? static_cast<double>(shape.count) : 1.0;
        compute::reduce_sum(values.data(), shape, work.factor / count, result.data());
    }
    write<float>(output, result.span());
}

inline void scale_integer(uint32_t& value, double factor, bool is_signed) {
    value = is_signed ? static_cast<uint32_t>(static_cast<int64_t>(static_cast<int32_t>(value) * factor))
                      : static_cast<uint32_t>(static_cast<int64_t>(value * factor));
}

inline void reduce_integers(const Tensor& input, const Work& work, Tensor& output) {
    const Dense<uint32_t> values = read<uint32_t>(input);
    Dense<uint32_t> result(output.logical_volume());
    const auto shape = compute::ReduceShape::of(input.logical_shape(), work.step.first, work.step.last);
    const bool is_signed = input.dtype() == DataType::INT32;
    switch (work.kind) {
        case ReduceKind::MAX: compute::reduce_max(values.data(), shape, is_signed, result.data()); break;
        case ReduceKind::MIN: compute::reduce_min(values.data(), shape, is_signed, result.data()); break;
        default: compute::reduce_sum(values.data(), shape, result.data());
    }
    if (work.factor != 1.0) {
        std::ranges::for_each(result, [&](uint32_t& value) { scale_integer(value, work.factor, is_signed); });
    }
    write<uint32_t>(output, result.span());
}

// Rows, columns or, for leading dimensions, output tiles are dealt to the cores; height and width together run on one.
inline CoreRangeSet cores_of(const Program& program, const Shape& shape, const reduction_rules::Step& step) {
    const uint64_t across = div_up<uint64_t>(shape.from_end(0), tile_size);
    const uint64_t down = div_up<uint64_t>(shape.from_end(1), tile_size);
    uint64_t batches = 1;
    for (size_t i = 2; i < shape.rank(); ++i) {
        batches *= shape.from_end(i);
    }
    const size_t from_end = shape.rank() - std::min(shape.rank(), step.last + 1);
    if (step.first != step.last) {
        return CoreRangeSet(CoreRange(CoreCoord{0, 0}));
    }
    const uint64_t units = from_end == 0   ? batches * down
                           : from_end == 1 ? batches * across
                                           : batches * down * across / std::max<uint64_t>(shape.from_end(from_end), 1);
    return program.split(std::max<uint64_t>(units, 1));
}

inline bool is_width_sharded_in_l1(const Tensor& tensor) {
    const MemoryConfig& config = tensor.memory_config();
    return config.memory_layout() == TensorMemoryLayout::WIDTH_SHARDED && config.is_l1() && config.shard_spec();
}

// Columns of a width-sharded tensor are reduced where they lie.
inline bool stays_in_shards(const Tensor& input, const Work& work, const Tensor& output) {
    const bool height = work.step.first == work.step.last && work.step.last + 2 == input.logical_shape().rank();
    return height && is_width_sharded_in_l1(input) && is_width_sharded_in_l1(output);
}

// In creation order: input, scaler, output; the two accumulators of min are taken to be one tile each. Sharded
// columns: input and output are global, and two tiles are on their way between them.
inline void declare(Program& program, const Tensor& input, const Work& work, const Tensor& output) {
    const bool sharded = stays_in_shards(input, work, output);
    const CoreRangeSet cores =
        sharded ? input.memory_config().shard_spec()->grid : cores_of(program, input.logical_shape(), work.step);
    const uint64_t in_tile = Tile().bytes(input.dtype());
    const uint64_t out_tile = Tile().bytes(output.dtype());
    const uint64_t scaler_tile = Tile().bytes(input.dtype() == DataType::FLOAT32 ? input.dtype() : DataType::BFLOAT16);
    if (sharded) {
        program.global_circular_buffer(input, shard_bytes(input));
    }
    program.circular_buffer(cores, 2 * in_tile);
    program.circular_buffer(cores, scaler_tile);
    if (sharded) {
        program.global_circular_buffer(output, shard_bytes(output));
    } else {
        program.circular_buffer(cores, 2 * out_tile);
    }
    if (work.kind == ReduceKind::MIN) {
        program.circular_buffer(cores, out_tile);
        program.circular_buffer(cores, out_tile);
    }
}

inline Tensor launch_reduce(const Tensor& input, const Work& work, const TensorSpec& spec, Kernel kernel) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, input, work, outputs[0]); };
    const auto first = static_cast<int64_t>(work.step.first);
    const auto last = static_cast<int64_t>(work.step.last);
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add_enum(work.kind).add(first).add(last).add(work.factor).add(spec.memory_config());
    };
    const auto key = [&](ProgramKey& k, std::span<const Tensor> outputs) {
        k.add(work.kind);
        k.add(first);
        k.add(last);
        k.add(work.factor);
        for (const TensorSpec* each : {&input.spec(), &outputs[0].spec()}) {
            k.add_without_shape(*each);
            k.add(each->padded_shape());  // how much of it counts is a matter of values
        }
    };
    Primitive primitive{"ttnn::prim::reduce", {&input, 1}, program, kernel, arguments};
    primitive.key = key;
    return launch(primitive, spec);
}

inline Tensor run_step(const Tensor& input, const Work& work, const TensorSpec& spec) {
    return launch_reduce(input, work, spec, [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        is_integer(input.dtype()) ? reduce_integers(inputs[0], work, outputs[0])
                                  : reduce_floats(inputs[0], work, outputs[0]);
    });
}

// Variance needs all reduced elements at once, so it is one launch over any set of dimensions.
inline void deviate(ReduceKind kind, const ReductionParams& params, const reduction_rules::DimSet& dims,
                    const Tensor& input, Tensor& output) {
    const Dense<float> values = read<float>(input);
    const Shape& shape = input.logical_shape();
    const Dense<float> rows = compute::move_dims_last(values.data(), shape, dims);
    Dense<float> result(output.logical_volume());
    size_t count = 1;
    for (size_t i = 0; i < shape.rank(); ++i) {
        count *= dims[i] ? shape[static_cast<int64_t>(i)] : 1;
    }
    // Nothing is left of empty or, with correction, single elements: 0 / 0.
    const double divisor = std::max(static_cast<double>(count) - (params.correction ? 1.0 : 0.0), 0.0);
    compute::row_variance(rows.data(), result.size(), count, divisor, result.data());
    for (float& value : result) {
        const double variance = value;
        value = static_cast<float>((kind == ReduceKind::STD ? std::sqrt(variance) : variance) * params.scalar);
    }
    write<float>(output, result.span());
}

inline void validate(std::string_view op, ReduceKind kind, const ReductionParams& params) {
    const Tensor& input = params.input_tensor;
    const bool integers = kind == ReduceKind::SUM || kind == ReduceKind::MAX || kind == ReduceKind::MIN;
    const bool supported = is_floating(input.dtype()) ||
                           (integers && (input.dtype() == DataType::INT32 || input.dtype() == DataType::UINT32));
    check_at_launch([&] {
        require(supported, "{}: argument 'input_tensor' must have a floating dtype{}, got {}", op,
                integers ? ", INT32 or UINT32" : "", input.dtype());
    });
    const Shape& shape = input.logical_shape();
    const auto dims = reduction_rules::dims_of(op, shape, params.dim);
    for (size_t i = 0; i < shape.rank(); ++i) {
        require((kind != ReduceKind::MAX && kind != ReduceKind::MIN) || !dims[i] || shape[static_cast<int64_t>(i)] != 0,
                "{}: argument 'dim': dimension {} of {} has no elements", op, i, shape);
    }
}

// What padding must hold so that it does not count.
inline double neutral_value(ReduceKind kind, DataType dtype) {
    if (kind != ReduceKind::MAX && kind != ReduceKind::MIN) {
        return 0.0;
    }
    const bool greatest = kind == ReduceKind::MIN;
    switch (dtype) {
        case DataType::INT32: return greatest ? 2147483647.0 : -2147483648.0;
        case DataType::UINT32: return greatest ? 4294967295.0 : 0.0;
        default: return greatest ? INFINITY : -INFINITY;
    }
}

// Infinite padding would take the shared exponent from its neighbours, so block floats that stay block floats keep the
// padding they have.
inline bool refills_padding(const Tensor& input, double neutral) {
    const bool widened = reduction_rules::result_dtype(input) != input.dtype();
    return !is_block_float(input.dtype()) || widened || (neutral == 0.0 && input.dtype() == DataType::BFLOAT8_B);
}

// A tile tensor of rank 4 or more whose padding is neutral, by the steps that traces show.
inline Tensor prepared(const Tensor& input, ReduceKind kind) {
    const Shape shape = input.logical_shape().to_rank(std::max<size_t>(input.logical_shape().rank(), 4));
    if (input.logical_volume() == 0) {
        return reshape(input, movement::ints(shape));
    }
    const double neutral = neutral_value(kind, input.dtype());
    Tensor result = input;
    if (input.dtype() == DataType::BFLOAT4_B && reduction_rules::result_dtype(input) != input.dtype()) {
        result = typecast(result, DataType::BFLOAT16);  // BFLOAT8_B is widened while its padding is filled
    }
    if (refills_padding(result, neutral)) {
        result = fill_implicit_tile_padding(result, neutral);
    }
    result = reshape(result, movement::ints(shape));
    return tilize_with_val_padding(
        result, movement::ints(movement::tile_padded(shape)), Scalar(neutral),
        {.memory_config = movement::fitted(result.memory_config(), shape, result.dtype(), Layout::TILE)});
}

inline Tensor run_statistic(ReduceKind kind, const ReductionParams& params, const reduction_rules::DimSet& dims) {
    const Shape& shape = params.input_tensor.logical_shape();
    const Shape result = reduction_rules::reduced_shape(shape, dims, params.keepdim);
    const Work work{kind, {0, shape.rank() == 0 ? 0 : shape.rank() - 1}, params.scalar};
    const DataType dtype = reduction_rules::result_dtype(params.input_tensor);
    return launch_reduce(params.input_tensor, work,
                         reduction_rules::result_spec(params.input_tensor, dtype, result, params.memory_config),
                         [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
                             deviate(kind, params, dims, inputs[0], outputs[0]);
                         });
}

inline Tensor run(std::string_view op, ReduceKind kind, const ReductionParams& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const auto dims = reduction_rules::dims_of(op, shape, params.dim);
    if (is_statistic(kind)) {
        return run_statistic(kind, params, dims);
    }
    Tensor result = prepared(params.input_tensor, kind);
    const size_t added = result.logical_shape().rank() - shape.rank();
    auto steps = reduction_rules::steps_of(shape, dims);
    if (steps.empty()) {
        steps.push_back({});  // a scalar: one element to reduce
    }
    for (const auto& step : steps) {
        const size_t last = result.logical_shape().rank() - 1;
        const reduction_rules::Step lifted{std::min(step.first + added, last), std::min(step.last + added, last)};
        const Shape next = reduction_rules::shape_after(result.logical_shape(), lifted);
        const TensorSpec spec = reduction_rules::result_spec(result, result.dtype(), next, params.memory_config);
        const double factor = &step == &steps.back() ? params.scalar : 1.0;
        result = run_step(result, {kind, lifted, factor}, spec);
    }
    return reshape(result, movement::ints(reduction_rules::reduced_shape(shape, dims, params.keepdim)));
}

inline void cases(CaseMaker& make) {
    const auto dims = [](std::vector<int64_t> list) { return IntOrList(std::move(list)); };
    make.add(ReductionParams{.input_tensor = make.tensor({1, 2, 64, 96}), .dim = IntOrList(-1)});
    make.add(ReductionParams{.input_tensor = make.tensor({2, 33, 65}), .dim = IntOrList(-2), .keepdim = true});
    make.add(ReductionParams{.input_tensor = make.tensor({3, 64, 32}), .dim = IntOrList(0)});
    make.add(ReductionParams{.input_tensor = make.tensor({2, 3, 34, 40}), .dim = dims({-1, -2}), .keepdim = true});
    make.add(ReductionParams{.input_tensor = make.tensor({2, 3, 32, 64}), .dim = dims({1, 3})});
    make.add(ReductionParams{
        .input_tensor = make.tensor({2, 2, 32, 33}), .dim = dims({0, 1, 2}), .scalar = 0.5, .correction = false});
    make.add(ReductionParams{.input_tensor = make.tensor({70, 33})});
    make.add(ReductionParams{.input_tensor = make.tensor({64, 64}),
                             .dim = IntOrList(1),
                             .keepdim = true,
                             .memory_config = l1_memory_config(),
                             .scalar = 2.0});
    make.add(ReductionParams{.input_tensor = make.interleaved({50}, make.dtype(), make.layout()), .dim = IntOrList(0)});
}

}  // namespace reduction
}  // namespace ttnn

#endif
