// What the convolutions share: the window, the arguments of a call, and what tells prepared weights from plain ones.
#pragma once

#include <array>
#include <limits>

#include "ttnn/core/math.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::conv_rules {

// One spatial dimension.
struct Axis {
    uint32_t in = 1;
    uint32_t taps = 1;
    uint32_t stride = 1;
    uint32_t before = 0;  // padding
    uint32_t after = 0;
    uint32_t dilation = 1;
    bool transposed = false;
    uint32_t output_padding = 0;  // transposed only

    int64_t reach() const { return int64_t{dilation} * (int64_t{taps} - 1); }
    // Negative: the window does not fit.
    int64_t out() const {
        if (transposed) {
            return (int64_t{in} - 1) * stride - before - after + reach() + output_padding + 1;
        }
        const int64_t room = int64_t{in} + before + after - reach() - 1;
        return room < 0 ? room : room / stride + 1;
    }
};

struct Window {
    uint32_t batch = 1;
    Axis height{};
    Axis width{};
    uint32_t in_channels = 1;
    uint32_t out_channels = 1;
    uint32_t groups = 1;

    bool transposed() const { return height.transposed; }
    uint32_t taps() const { return height.taps * width.taps; }
    uint32_t out_height() const { return static_cast<uint32_t>(height.out()); }
    uint32_t out_width() const { return static_cast<uint32_t>(width.out()); }
    uint32_t in_positions() const { return batch * height.in * width.in; }
    uint32_t out_positions() const { return batch * out_height() * out_width(); }
    uint32_t group_inputs() const { return in_channels / groups; }
    uint32_t group_outputs() const { return out_channels / groups; }
    // One tap that moves by one: a product of matrices.
    bool is_pointwise() const {
        const auto plain = [](const Axis& axis) {
            return axis.taps == 1 && axis.stride == 1 && axis.before == 0 && axis.after == 0 && axis.dilation == 1;
        };
        return !transposed() && plain(height) && plain(width);
    }
};

// The call, whichever operation asks for it.
struct Arguments {
    std::string_view op;
    const Tensor& input;
    const Tensor& weight;
    std::optional<Tensor> bias{};
    DeviceHandle device{};
    Window window{};
    std::optional<DataType> dtype{};
    Conv2dConfig config{};
    std::optional<ComputeKernelConfig> compute_config{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Op2DSliceConfig> slice{};
    bool mirrored = false;  // plain weights are turned round: transposed convolutions
};

// --- checks of numbers as users give them ----------------------------------------------------------------------------

inline uint32_t positive(std::string_view op, std::string_view argument, int64_t value) {
    require(value > 0 && value <= std::numeric_limits<int32_t>::max(), "{}: argument '{}' must be positive, got {}", op,
            argument, value);
    return static_cast<uint32_t>(value);
}

inline std::array<uint32_t, 4> four_sides(const Padding2d& padding) {
    if (const auto* sides = std::get_if<std::array<uint32_t, 4>>(&padding)) {
        return *sides;
    }
    const auto [height, width] = std::get<std::array<uint32_t, 2>>(padding);
    return {height, height, width, width};
}

inline void check_axis(std::string_view op, std::string_view what, const Axis& axis) {
    constexpr uint32_t most = 1U << 20;  // products of these stay in range
    require(axis.taps > 0 && axis.stride > 0 && axis.dilation > 0,
            "{}: kernel size, stride and dilation must be positive, got {}, {} and {} for the {}", op, axis.taps,
            axis.stride, axis.dilation, what);
    require(axis.taps < most && axis.stride < most && axis.dilation < most && axis.before < most && axis.after < most &&
                axis.output_padding < most,
            "{}: a number for the {} is out of range", op, what);
    require(axis.out() > 0 && axis.out() < std::numeric_limits<int32_t>::max(),
            "{}: a window of {} (dilation {}) does not fit an input {} of {} with a padding of {} and {}", op,
            axis.taps, axis.dilation, what, axis.in, axis.before, axis.after);
}

inline void check_window(std::string_view op, const Window& window) {
    check_axis(op, "height", window.height);
    check_axis(op, "width", window.width);
    require(window.in_channels % window.groups == 0 && window.out_channels % window.groups == 0,
            "{}: argument 'groups' ({}) must divide in_channels ({}) and out_channels ({})", op, window.groups,
            window.in_channels, window.out_channels);
    const uint64_t most = std::numeric_limits<int32_t>::max();
    const double inner = 1.0 * window.in_channels * window.height.taps * window.width.taps;
    require(inner <= static_cast<double>(most), "{}: a window of {} x {} with {} channels is too large", op,
            window.height.taps, window.width.taps, window.in_channels);
    require(uint64_t{window.batch} * static_cast<uint64_t>(window.height.out()) *
                        static_cast<uint64_t>(window.width.out()) <=
                    most &&
                uint64_t{window.batch} * window.height.in * window.width.in <= most,
            "{}: an image of {} x {} in a batch of {} is too large", op, window.height.in, window.width.in,
            window.batch);
}

template <class Params>
Window window_of(std::string_view op, const Params& p, bool transposed) {
    const auto [top, bottom, left, right] = four_sides(p.padding);
    std::array<uint32_t, 2> output_padding{};
    if constexpr (requires { p.output_padding; }) {
        output_padding = p.output_padding;
    }
    Window window{.batch = positive(op, "batch_size", p.batch_size),
                  .height = {positive(op, "input_height", p.input_height), p.kernel_size[0], p.stride[0], top, bottom,
                             p.dilation[0], transposed, output_padding[0]},
                  .width = {positive(op, "input_width", p.input_width), p.kernel_size[1], p.stride[1], left, right,
                            p.dilation[1], transposed, output_padding[1]},
                  .in_channels = positive(op, "in_channels", p.in_channels),
                  .out_channels = positive(op, "out_channels", p.out_channels),
                  .groups = positive(op, "groups", p.groups)};
    check_window(op, window);
    return window;
}

// --- weights ---------------------------------------------------------------------------------------------------------

// Prepared weights are tiles, plain ones rows.
inline bool is_prepared(const Tensor& weight) { return weight.layout() == Layout::TILE; }

inline DataType weights_dtype(const Tensor& weight, const Conv2dConfig& config) {
    return is_prepared(weight) ? weight.dtype() : config.weights_dtype.value_or(weight.dtype());
}
// The bias goes along with the weights.
inline DataType bias_dtype(const Tensor& bias, const Conv2dConfig& config) { return weights_dtype(bias, config); }

inline Shape plain_weight_shape(const Window& window) {
    return window.transposed()
               ? Shape{window.in_channels, window.group_outputs(), window.height.taps, window.width.taps}
               : Shape{window.out_channels, window.group_inputs(), window.height.taps, window.width.taps};
}

// The matrix of prepared weights: (tap, input channel) x output channel.
inline Shape weight_matrix_shape(const Window& window) {
    return {1, 1, window.taps() * window.in_channels, window.out_channels};
}

inline void check_plain_weight(std::string_view op, const Tensor& weight, const Window& window) {
    check_dtype(op, "weight_tensor", weight, {DataType::FLOAT32, DataType::BFLOAT16});
    const Shape wanted = plain_weight_shape(window);
    const bool on_a_line = window.height.taps == 1 && window.height.in == 1 &&
                           weight.logical_shape() == Shape{wanted[0], wanted[1], wanted[3]};
    require(weight.logical_shape() == wanted || on_a_line,
            "{}: argument 'weight_tensor' must have {} for these channels, groups and kernel size, got {}", op, wanted,
            weight.logical_shape());
}

// Rows of a tap in prepared weights; they may have been prepared with channels of padding.
inline uint32_t matrix_channels(const Tensor& weight, const Window& window) {
    return weight.logical_shape().from_end(1) / window.taps();
}

inline void check_weight(std::string_view op, const Tensor& weight, const Window& window) {
    if (!is_prepared(weight)) {
        return check_plain_weight(op, weight, window);
    }
    const Shape& shape = weight.logical_shape();
    require(
        shape.rank() == 4 && shape[0] == 1 && shape[1] == 1 && shape[2] % window.taps() == 0 &&
            shape[2] / window.taps() >= window.in_channels && shape[3] >= window.out_channels,
        "{}: argument 'weight_tensor' (prepared, in TILE) must be [1, 1, K, N] with at least {} rows for each of {} "
        "taps and {} columns, got {}",
        op, window.in_channels, window.taps(), window.out_channels, shape);
    require(is_floating(weight.dtype()), "{}: argument 'weight_tensor' must have a floating dtype, got {}", op,
            weight.dtype());
}

inline void check_bias(std::string_view op, const Tensor& bias, const Window& window) {
    const Shape& shape = bias.logical_shape();
    const bool row = shape.rank() == 4 && shape[0] == 1 && shape[1] == 1;
    if (is_prepared(bias)) {
        require(row && shape[2] <= tile_size && shape[3] >= window.out_channels && is_floating(bias.dtype()),
                "{}: argument 'bias_tensor' (prepared, in TILE) must be [1, 1, 1, {}] with a floating dtype, got {} {}",
                op, window.out_channels, shape, bias.dtype());
        return;
    }
    check_dtype(op, "bias_tensor", bias, {DataType::FLOAT32, DataType::BFLOAT16});
    require(row && shape[2] == 1 && shape[3] == window.out_channels,
            "{}: argument 'bias_tensor' must have Shape([1, 1, 1, {}]), got {}", op, window.out_channels, shape);
}

// --- the result ------------------------------------------------------------------------------------------------------

inline std::optional<UnaryWithParam> activation_of(const Conv2dConfig& config) {
    if (!config.activation) {
        return std::nullopt;
    }
    if (const auto* name = std::get_if<std::string>(&*config.activation)) {
        return name->empty() ? std::nullopt : std::optional(activation_from_name(*name));
    }
    return std::get<UnaryWithParam>(*config.activation);
}

inline DataType result_dtype(const Arguments& args) { return args.dtype.value_or(args.input.dtype()); }

inline Shape result_shape(const Window& window) { return {1, 1, window.out_positions(), window.out_channels}; }

// Whether the convolution runs on shards in L1, or on an image in DRAM. A tensor from the host goes where its memory
// config says.
inline bool runs_in_l1(const Arguments& args) {
    if (args.slice) {
        return args.slice->slice_type == Op2DSliceType::L1Full;
    }
    return args.input.memory_config().is_l1();
}

// Channels of a stick of the input: those that count, and maybe padding.
inline uint32_t input_channels(const Arguments& args) { return args.input.logical_shape().from_end(0); }

// Whether `linear` can do the work: also the weights must be those of a plain product.
inline bool is_product(const Arguments& args, bool width_sharded) {
    const bool plain = !is_prepared(args.weight) || args.weight.logical_shape() == weight_matrix_shape(args.window);
    return args.window.is_pointwise() && !width_sharded && input_channels(args) == args.window.in_channels && plain &&
           (!args.bias || args.bias->logical_shape() == Shape{1, 1, 1, args.window.out_channels});
}

// In DRAM a product without shards leaves its activation, and outside DRAM its bias, to operations of their own, which
// store the sum in between.
inline bool is_product_in_dram(const Arguments& args) {
    return !runs_in_l1(args) && is_product(args, args.config.shard_layout == TensorMemoryLayout::WIDTH_SHARDED);
}
inline bool stores_before_bias(const Arguments& args) {
    const bool elsewhere = args.memory_config && (args.memory_config->is_sharded() || !args.memory_config->is_dram());
    return args.bias && is_product_in_dram(args) && elsewhere;
}
inline bool stores_before_activation(const Arguments& args) {
    return activation_of(args.config) && is_product_in_dram(args);
}

inline void check_input(const Arguments& args) {
    const Tensor& input = args.input;
    if (input.layout() == Layout::TILE) {
        check_dtype(args.op, "input_tensor", input, {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B});
    } else {
        check_dtype(args.op, "input_tensor", input, {DataType::BFLOAT16, DataType::FLOAT32});
    }
    const Shape& shape = input.logical_shape();
    const Window& window = args.window;
    require(shape.rank() >= 2 && shape.rank() <= 4 && shape.from_end(0) >= window.in_channels &&
                shape.volume() == uint64_t{window.in_positions()} * shape.from_end(0),
            "{}: argument 'input_tensor' must be [{}, {}, {}, C] or [1, 1, {}, C] with C of at least {}, got {}",
            args.op, window.batch, window.height.in, window.width.in, window.in_positions(), window.in_channels, shape);
}

inline void check(const Arguments& args) {
    require(args.device != nullptr || args.input.is_on_device(),
            "{}: argument 'device' is needed for an 'input_tensor' on the host", args.op);
    check_input(args);
    check_weight(args.op, args.weight, args.window);
    if (args.bias) {
        check_bias(args.op, *args.bias, args.window);
    }
    const DataType dtype = result_dtype(args);
    require(is_floating(dtype), "{}: argument 'dtype' must be a floating dtype, got {}", args.op, dtype);
    require(args.config.output_layout == Layout::TILE || !is_block_float(dtype),
            "{}: a result in ROW_MAJOR cannot have {}; output_layout must be TILE", args.op, dtype);
    require(!args.config.override_sharding_config || args.config.core_grid,
            "{}: override_sharding_config needs a core_grid in 'conv_config'", args.op);
    require(args.config.shard_layout != TensorMemoryLayout::INTERLEAVED,
            "{}: shard_layout in 'conv_config' must be HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED", args.op);
    require(args.config.act_block_h_override >= 0 && args.config.act_block_h_override % tile_size == 0,
            "{}: act_block_h_override in 'conv_config' must be a multiple of 32, got {}", args.op,
            args.config.act_block_h_override);
    activation_of(args.config);  // a name that does not exist throws
}

// --- what users get --------------------------------------------------------------------------------------------------

// What a convolution made.
struct Made {
    Tensor output;
    Tensor weight;  // prepared
    std::optional<Tensor> bias;
};

template <class Size>
ConvolutionResult<Size> returned(const Made& made, const Size& size, bool with_size, bool with_weights) {
    const WeightAndBias prepared{made.weight, made.bias};
    if (with_size && with_weights) {
        return std::tuple{made.output, size, prepared};
    }
    if (with_size) {
        return std::tuple{made.output, size};
    }
    if (with_weights) {
        return std::tuple{made.output, prepared};
    }
    return made.output;
}

}  // namespace ttnn::conv_rules

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/convolution.hpp"

namespace ttnn::conv_rules {

inline reference::ConvolutionAxis reference_axis(const Axis& axis) {
    return {.in = axis.in,
            .out = static_cast<uint32_t>(axis.out()),
            .taps = axis.taps,
            .stride = axis.stride,
            .before = axis.before,
            .after = axis.after,
            .dilation = axis.dilation,
            .transposed = axis.transposed};
}

inline reference::Convolution reference_window(const Window& window) {
    return {.batch = window.batch,
            .axes = {reference::ConvolutionAxis{}, reference_axis(window.height), reference_axis(window.width)},
            .in_channels = window.in_channels,
            .out_channels = window.out_channels,
            .groups = window.groups};
}

inline reference::ConvolutionWeights reference_weights(const Tensor& weight, const Window& window, DataType dtype,
                                                       bool mirrored) {
    return is_prepared(weight)
               ? reference::matrix_weights(reference_window(window), reference::values(weight))
               : reference::plain_weights(reference_window(window), reference::values(weight), mirrored, dtype);
}

// The outputs in the order of the result: its tensor, and the prepared weights and bias where they are returned.
inline std::vector<reference::Array> reference_outputs(const Arguments& args, bool with_weights) {
    const reference::Convolution window = reference_window(args.window);
    const reference::ConvolutionWeights weights =
        reference_weights(args.weight, args.window, weights_dtype(args.weight, args.config), args.mirrored);
    reference::ConvolutionCall call{.window = window,
                                    .input = reference::values(args.input),
                                    .weights = weights,
                                    .activation = activation_of(args.config),
                                    .dtype = result_dtype(args),
                                    .round_before_bias = stores_before_bias(args),
                                    .round_before_activation = stores_before_activation(args)};
    if (args.bias) {
        call.bias = reference::rounded(reference::values(*args.bias), bias_dtype(*args.bias, args.config));
    }
    std::vector<reference::Array> outputs{reference::convolution(call)};
    outputs.front().shape = result_shape(args.window);
    if (with_weights) {
        outputs.push_back(is_prepared(args.weight) ? reference::values(args.weight)
                                                   : reference::weight_matrix(window, weights));
        if (args.bias) {
            outputs.push_back(is_prepared(*args.bias) ? reference::values(*args.bias) : *call.bias);
        }
    }
    return outputs;
}

}  // namespace ttnn::conv_rules

#endif
