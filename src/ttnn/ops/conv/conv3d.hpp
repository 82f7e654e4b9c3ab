// experimental.conv3d: a three-dimensional convolution of channels-last volumes.
#pragma once

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn {

struct Conv3d {
    static constexpr std::string_view name = "ttnn.experimental.conv3d";
    static constexpr std::string_view doc = "3-D convolution with bias of [N, D, H, W, C] in ROW_MAJOR.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        std::optional<Tensor> bias_tensor{};
        std::optional<Conv3dConfig> config{};
        DataType dtype = DataType::BFLOAT16;
        int64_t output_channels = 0;
        std::array<uint32_t, 3> kernel_size{};
        std::array<uint32_t, 3> stride{1, 1, 1};
        std::array<uint32_t, 3> padding{};
        std::array<uint32_t, 3> dilation{1, 1, 1};
        std::string padding_mode{"zeros"};
        int64_t groups = 1;
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        kwreq<&Params::input_tensor>("[N, D, H, W, C] in ROW_MAJOR, BFLOAT16 or FLOAT32"),
        kwreq<&Params::weight_tensor>("tiles: (depth, height, width, channel) x output channel"),
        kw<&Params::bias_tensor>("output_channels numbers in one row"),
        kw<&Params::config>("blocks; C_in_block also says in which order the weights' rows stand"),
        kwreq<&Params::dtype>("of the result, BFLOAT16 or FLOAT32"),
        kwreq<&Params::output_channels>("channels of the result"),
        kwreq<&Params::kernel_size>("depth, height and width of the window"),
        kw<&Params::stride>("steps of the window"),
        kw<&Params::padding>("on both sides of each dimension"),
        kw<&Params::dilation>("distance of the taps; default: that of the config"),
        kw<&Params::padding_mode>("\"zeros\" or \"replicate\""),
        kw<&Params::groups>("of channels that do not see each other"),
        kw<&Params::memory_config>("interleaved; default: DRAM"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<Conv3d> conv3d{};
}
TTNN_DECLARATION(Conv3d);

namespace conv_rules {

// The call with what follows from the tensors.
struct Volume {
    uint32_t batch = 1;
    std::array<Axis, 3> axes{};
    uint32_t in_channels = 1;
    uint32_t out_channels = 1;
    uint32_t groups = 1;
    uint32_t block = 0;    // channels whose rows stand together for all taps; 0: all
    uint32_t per_tap = 0;  // rows of a tap
    bool replicate = false;

    uint32_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
    // Weights may have rows for the channels of one group only.
    bool own_group() const { return per_tap < in_channels; }
    Shape result_shape() const {
        const auto size = [&](size_t axis) { return static_cast<uint32_t>(axes[axis].out()); };
        return {batch, size(0), size(1), size(2), out_channels};
    }
};

inline Volume volume_of(const Conv3d::Params& p) {
    const std::string_view op = Conv3d::name;
    const Shape& input = p.input_tensor.logical_shape();
    require(input.rank() == 5, "{}: argument 'input_tensor' must be [N, D, H, W, C], got {}", op, input);
    const Conv3dConfig config = p.config.value_or(Conv3dConfig());
    const bool given = p.dilation != std::array<uint32_t, 3>{1, 1, 1};
    Volume volume{.batch = input[0],
                  .in_channels = input[4],
                  .out_channels = positive(op, "output_channels", p.output_channels),
                  .groups = positive(op, "groups", p.groups),
                  .replicate = p.padding_mode == "replicate"};
    constexpr std::string_view names[] = {"depth", "height", "width"};
    double window = 1;
    for (size_t i = 0; i < 3; ++i) {
        volume.axes[i] = {.in = input[static_cast<int64_t>(i) + 1],
                          .taps = p.kernel_size[i],
                          .stride = p.stride[i],
                          .before = p.padding[i],
                          .after = p.padding[i],
                          .dilation = given ? p.dilation[i] : config.dilation[i]};
        check_axis(op, names[i], volume.axes[i]);
        window *= volume.axes[i].taps;
    }
    require(window * volume.in_channels < 1e9, "{}: the window is too large", op);
    const uint32_t rows = p.weight_tensor.logical_shape().from_end(1);
    volume.per_tap = rows / volume.taps();
    require(rows % volume.taps() == 0 && volume.per_tap > 0,
            "{}: argument 'weight_tensor' must have a multiple of {} rows, one for each tap, got {}", op, volume.taps(),
            p.weight_tensor.logical_shape());
    if (volume.groups == 1) {  // an input may be padded, and so may the weights
        volume.in_channels = std::min(volume.in_channels, volume.per_tap);
    }
    const int64_t block = config.C_in_block;
    volume.block = block > 0 && block < int64_t{volume.per_tap} ? static_cast<uint32_t>(block) : 0;
    return volume;
}

inline void check_volume(const Conv3d::Params& p, const Volume& volume) {
    const std::string_view op = Conv3d::name;
    const Shape& weight = p.weight_tensor.logical_shape();
    require(weight.rank() >= 2 && weight.from_end(0) >= volume.out_channels &&
                weight.volume() == uint64_t{weight.from_end(0)} * weight.from_end(1),
            "{}: argument 'weight_tensor' must be a matrix of {} columns, got {}", op, volume.out_channels, weight);
    require(volume.in_channels % volume.groups == 0 && volume.out_channels % volume.groups == 0,
            "{}: argument 'groups' ({}) must divide the input's channels ({}) and output_channels ({})", op,
            volume.groups, volume.in_channels, volume.out_channels);
    require(!volume.own_group() || volume.per_tap >= volume.in_channels / volume.groups,
            "{}: argument 'weight_tensor' has {} rows for a tap, but a group has {} channels", op, volume.per_tap,
            volume.in_channels / volume.groups);
    require(volume.block == 0 || volume.per_tap % volume.block == 0,
            "{}: C_in_block in 'config' ({}) must divide the {} rows of a tap", op, volume.block, volume.per_tap);
    require(p.padding_mode == "zeros" || p.padding_mode == "replicate",
            "{}: argument 'padding_mode' must be zeros or replicate, got {}", op, p.padding_mode);
    if (p.bias_tensor) {
        const Shape& bias = p.bias_tensor->logical_shape();
        require(bias.rank() > 0 && bias.from_end(0) >= volume.out_channels && bias.volume() == bias.from_end(0),
                "{}: argument 'bias_tensor' must be one row of {} numbers, got {}", op, volume.out_channels, bias);
    }
    require(!p.config || p.config->output_layout == Layout::ROW_MAJOR,
            "{}: output_layout in 'config' must be ROW_MAJOR", op);
    require(p.dtype == DataType::BFLOAT16 || p.dtype == DataType::FLOAT32,
            "{}: argument 'dtype' must be BFLOAT16 or FLOAT32, got {}", op, p.dtype);
    require(!p.memory_config || !p.memory_config->is_sharded(), "{}: argument 'memory_config' must be interleaved", op);
}

// What the device operation refuses.
inline void check_volume_tensors(const Conv3d::Params& p) {
    const std::string_view op = Conv3d::name;
    check_layout(op, "input_tensor", p.input_tensor, Layout::ROW_MAJOR);
    check_dtype(op, "input_tensor", p.input_tensor, {DataType::BFLOAT16, DataType::FLOAT32});
    check_interleaved(op, "input_tensor", p.input_tensor);
    check_layout(op, "weight_tensor", p.weight_tensor, Layout::TILE);
    require(is_floating(p.weight_tensor.dtype()), "{}: argument 'weight_tensor' must have a floating dtype, got {}", op,
            p.weight_tensor.dtype());
    require(!p.bias_tensor || is_floating(p.bias_tensor->dtype()),
            "{}: argument 'bias_tensor' must have a floating dtype", op);
}

}  // namespace conv_rules
}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::Conv3d::reference(const Params& params) {
    const conv_rules::Volume volume = conv_rules::volume_of(params);
    const reference::Convolution window{
        .batch = volume.batch,
        .axes = {conv_rules::reference_axis(volume.axes[0]), conv_rules::reference_axis(volume.axes[1]),
                 conv_rules::reference_axis(volume.axes[2])},
        .in_channels = volume.in_channels,
        .out_channels = volume.out_channels,
        .groups = volume.groups,
        .replicate = volume.replicate};
    reference::ConvolutionCall call{
        .window = window,
        .input = reference::values(params.input_tensor),
        .weights = reference::matrix_weights(window, reference::values(params.weight_tensor), volume.block),
        .dtype = params.dtype};
    if (params.bias_tensor) {
        call.bias = reference::values(*params.bias_tensor);
    }
    reference::Array result = reference::convolution(call);
    result.shape = volume.result_shape();
    return {result};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/convolve.hpp"
#include "ttnn/compute/gemm.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {
namespace conv_rules {

// The input position that a tap sees; -1: zero.
inline int64_t seen(const Axis& axis, uint64_t output, uint64_t tap, bool replicate) {
    const int64_t at = static_cast<int64_t>(output * axis.stride + tap * axis.dilation) - axis.before;
    if (at >= 0 && at < axis.in) {
        return at;
    }
    return replicate ? std::clamp<int64_t>(at, 0, int64_t{axis.in} - 1) : -1;
}

inline int64_t stick_of(const Volume& volume, size_t output, size_t tap) {
    std::array<int64_t, 3> at{};
    for (size_t i = 3; i-- > 0;) {
        const Axis& axis = volume.axes[i];
        const auto size = static_cast<size_t>(axis.out());
        at[i] = seen(axis, output % size, tap % axis.taps, volume.replicate);
        if (at[i] < 0) {
            return -1;
        }
        output /= size;
        tap /= axis.taps;
    }
    const auto image = static_cast<int64_t>(output);
    return ((image * volume.axes[0].in + at[0]) * volume.axes[1].in + at[1]) * volume.axes[2].in + at[2];
}

inline void convolve_volume(const Volume& volume, std::span<const Tensor> inputs, Tensor& output) {
    const Shape shape = volume.result_shape();
    const compute::Convolution c{.positions = static_cast<size_t>(shape.volume() / volume.out_channels),
                                 .taps = volume.taps(),
                                 .in_channels = volume.in_channels,
                                 .out_channels = volume.out_channels,
                                 .groups = volume.groups};
    const Dense<float> sticks = read<float>(inputs[0]);
    const size_t width = inputs[0].logical_shape().from_end(0);
    const std::vector<float> weights = compute::read_weight_matrix(
        c, inputs[1], {.channels = volume.per_tap, .block = volume.block, .own_group = volume.own_group()});
    const auto stick = [&](size_t position, size_t tap) -> const float* {
        const int64_t at = stick_of(volume, position, tap);
        return at < 0 ? nullptr : sticks.data() + static_cast<size_t>(at) * width;
    };
    Dense<float> result(shape.volume());
    compute::for_parts(c, [&](size_t first, size_t last) {
        compute::convolve(c, first, last - first, stick, weights.data(), result.data() + first * c.out_channels);
    });
    if (inputs[2]) {
        compute::add_row(result.data(), read<float>(inputs[2]).data(), c.positions, c.out_channels);
    }
    write<float>(output, result.span());
}

inline void declare_volume(Program& program, const Conv3d::Params& p, const Volume& volume, const Tensor& output) {
    const Conv3dConfig config = p.config.value_or(Conv3dConfig());
    const auto tiles = [](uint64_t numbers) { return std::max<uint64_t>(div_up<uint64_t>(numbers, tile_size), 1); };
    const auto at_least_one = [](int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(number, 1)); };
    const CoreCoord device = program.device().compute_grid();
    const CoreCoord wanted = config.compute_with_storage_grid_size;
    const CoreRangeSet cores(
        CoreRange({0, 0}, {std::clamp(wanted.x, 1U, device.x) - 1, std::clamp(wanted.y, 1U, device.y) - 1}));
    const uint64_t rows =
        tiles(at_least_one(config.T_out_block) * at_least_one(config.H_out_block) * at_least_one(config.W_out_block));
    const uint64_t columns =
        tiles(config.C_out_block > 0 ? static_cast<uint64_t>(config.C_out_block) : volume.out_channels);
    const uint64_t channels = volume.block > 0 ? volume.block : volume.per_tap;
    const uint64_t tile = Tile().bytes(DataType::BFLOAT16);
    const uint64_t weight_tile = Tile().bytes(p.weight_tensor.dtype());
    uint64_t inner = tiles(volume.taps() * channels);
    const auto bytes = [&] { return 2 * rows * inner * tile + inner * columns * weight_tile; };
    const uint64_t outside = 3 * rows * columns * tile + columns * tile;
    const uint64_t free = movement::free_l1(program);
    while (inner > 1 && bytes() + outside > free) {  // the default block has all channels, which may be too many
        inner = div_up<uint64_t>(inner, 2);
    }
    program.circular_buffer(cores, rows * inner * tile);  // the gathered window as rows
    program.circular_buffer(cores, rows * inner * tile);  // and as tiles
    program.circular_buffer(cores, inner * columns * weight_tile);
    program.circular_buffer(cores, rows * columns * tile);  // partial sums
    if (volume.block > 0) {
        program.circular_buffer(cores, rows * columns * tile);  // those of other blocks of channels
    }
    if (p.bias_tensor) {
        program.circular_buffer(cores, columns * tile);
    }
    program.circular_buffer(cores, rows * columns * Tile().bytes(output.dtype()));
}

}  // namespace conv_rules

inline void Conv3d::validate(const Params& params) {
    conv_rules::check_volume(params, conv_rules::volume_of(params));
    check_at_launch([&] { conv_rules::check_volume_tensors(params); });
}

inline Tensor Conv3d::run(const Params& params) {
    const conv_rules::Volume volume = conv_rules::volume_of(params);
    const Tensor tensors[] = {params.input_tensor, params.weight_tensor, params.bias_tensor.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        conv_rules::declare_volume(p, params, volume, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        conv_rules::convolve_volume(volume, inputs, outputs[0]);
    };
    const TensorSpec spec(volume.result_shape(), params.dtype, Layout::ROW_MAJOR,
                          params.memory_config.value_or(MemoryConfig()));
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input_tensor).add(params.weight_tensor).add(params.bias_tensor).add(params.config);
        list.add(params.dtype).add(params.output_channels).add(params.kernel_size).add(params.stride);
        list.add(params.padding).add(params.dilation).add(params.padding_mode).add(params.groups);
        list.add(params.memory_config).add(params.compute_kernel_config);
    };
    return launch({"ttnn::prim::conv3d", tensors, program, kernel, arguments}, spec);
}

inline void Conv3d::cases(CaseMaker& make) {
    const auto matrix = [&](uint32_t rows, uint32_t columns) {
        return make.interleaved({rows, columns}, DataType::BFLOAT16, Layout::TILE);
    };
    Params params{.input_tensor = make.tensor({2, 4, 5, 6, 32}),
                  .weight_tensor = matrix(3 * 3 * 2 * 32, 48),
                  .bias_tensor = matrix(1, 48),
                  .dtype = DataType::BFLOAT16,
                  .output_channels = 48,
                  .kernel_size = {3, 3, 2},
                  .stride = {1, 2, 1},
                  .padding = {1, 0, 1}};
    make.add(params);
    params.padding_mode = "replicate";
    params.config = Conv3dConfig{.C_in_block = 16};
    make.add(params);
    params.config = Conv3dConfig{.dilation = {1, 2, 2}};
    params.padding_mode = "zeros";
    params.dtype = DataType::FLOAT32;
    make.add(params);
    // Channels in groups: rows for all channels, or for those of a group.
    params.config.reset();
    params.groups = 4;
    make.add(params);
    params.weight_tensor = matrix(3 * 3 * 2 * 8, 48);
    make.add(params);
}

}  // namespace ttnn

#endif
