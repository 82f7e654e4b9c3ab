// conv2d: a two-dimensional convolution of channels-last images.
#pragma once

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn {

namespace conv_rules {

// What conv2d and conv_transpose2d declare alike: the fields up to the padding, and those from the groups on.
template <class Params>
inline constexpr FieldList image_fields{
    kwreq<&Params::input_tensor>("[N, H, W, C] or [1, 1, N * H * W, C], on a device or on the host"),
    kwreq<&Params::weight_tensor>("as in torch, in ROW_MAJOR; or prepared ones, in TILE"),
    kw<&Params::device>("default: that of the input"),
    kwreq<&Params::in_channels>("channels of the input that count"),
    kwreq<&Params::out_channels>("channels of the result"),
    kwreq<&Params::batch_size>("images"),
    kwreq<&Params::input_height>("of an image"),
    kwreq<&Params::input_width>("of an image"),
    kwreq<&Params::kernel_size>("height and width of the window"),
    kw<&Params::stride>("steps of the window"),
    kw<&Params::padding>("(height, width), or (top, bottom, left, right)")};
template <class Params>
inline constexpr FieldList convolution_fields{
    kw<&Params::groups>("of channels that do not see each other"),
    kw<&Params::dtype>("of the result, default: of the input"),
    kw<&Params::bias_tensor>("[1, 1, 1, out_channels], plain or prepared"),
    kw<&Params::conv_config>("weights_dtype, activation, output_layout; shards"),
    kw<&Params::compute_config>("precision, no effect on results here"),
    kw<&Params::memory_config>("where a result of shards in L1 goes")};
template <class Params>
inline constexpr FieldList return_fields{kw<&Params::return_output_dim>("also return the size of the result"),
                                         kw<&Params::return_weights_and_bias>("also return them prepared")};

}  // namespace conv_rules

struct Conv2d {
    static constexpr std::string_view name = "ttnn.conv2d";
    static constexpr std::string_view doc =
        "2-D convolution with bias and activation; the result is [1, 1, N * H * W, C].";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        std::optional<DeviceHandle> device{};
        int64_t in_channels = 0;
        int64_t out_channels = 0;
        int64_t batch_size = 0;
        int64_t input_height = 0;
        int64_t input_width = 0;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{1, 1};
        Padding2d padding{};
        std::array<uint32_t, 2> dilation{1, 1};
        int64_t groups = 1;
        std::optional<DataType> dtype{};
        std::optional<Tensor> bias_tensor{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> slice_config{};
        bool return_output_dim = false;
        bool return_weights_and_bias = false;
    };
    using Result = Conv2dResult;
    static constexpr auto fields =
        conv_rules::image_fields<Params> + FieldList{kw<&Params::dilation>("distance of the taps")} +
        conv_rules::convolution_fields<Params> +
        FieldList{kw<&Params::slice_config>("how an image in DRAM is cut, or that it is not; no effect on results")} +
        conv_rules::return_fields<Params>;
    static constexpr bool host_inputs = true;

    static conv_rules::Arguments arguments(const Params& params);
    static void validate(const Params& params) { conv_rules::check(arguments(params)); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(conv2d, Conv2d);

inline conv_rules::Arguments Conv2d::arguments(const Params& p) {
    return {.op = name,
            .input = p.input_tensor,
            .weight = p.weight_tensor,
            .bias = p.bias_tensor,
            .device = p.device.value_or(nullptr),
            .window = conv_rules::window_of(name, p, false),
            .dtype = p.dtype,
            .config = p.conv_config.value_or(Conv2dConfig()),
            .compute_config = p.compute_config,
            .memory_config = p.memory_config,
            .slice = p.slice_config};
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::Conv2d::reference(const Params& params) {
    return conv_rules::reference_outputs(arguments(params), params.return_weights_and_bias);
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/conv/conv_program.hpp"

namespace ttnn {

inline Conv2dResult Conv2d::run(const Params& params) {
    const conv_rules::Arguments args = arguments(params);
    const std::array<uint32_t, 2> size{args.window.out_height(), args.window.out_width()};
    return conv_rules::returned(conv_program::run(args), size, params.return_output_dim,
                                params.return_weights_and_bias);
}

inline void Conv2d::cases(CaseMaker& make) {
    make.only_if(make.floating());
    const auto plain = [&](const Shape& shape) { return make.on_host(shape, DataType::FLOAT32, Layout::ROW_MAJOR); };
    const auto config = [](TensorMemoryLayout layout) {
        Conv2dConfig wanted;
        wanted.shard_layout = layout;
        wanted.reshard_if_not_optimal = true;
        return wanted;
    };
    // A window of 3 x 3 with everything that moves it, in slices or on the shards that the input has.
    Params params{.input_tensor = make.tensor({1, 1, 2 * 9 * 7, 32}),
                  .weight_tensor = plain({48, 32, 3, 3}),
                  .device = make.device(),
                  .in_channels = 32,
                  .out_channels = 48,
                  .batch_size = 2,
                  .input_height = 9,
                  .input_width = 7,
                  .kernel_size = {3, 3},
                  .stride = {2, 1},
                  .padding = std::array<uint32_t, 4>{0, 1, 2, 1},
                  .dilation = {1, 2},
                  .bias_tensor = plain({1, 1, 1, 48}),
                  .return_output_dim = true,
                  .return_weights_and_bias = true};
    make.add(params);
    // The same moved to other shards; weights of another dtype.
    for (const TensorMemoryLayout layout :
         {TensorMemoryLayout::HEIGHT_SHARDED, TensorMemoryLayout::WIDTH_SHARDED, TensorMemoryLayout::BLOCK_SHARDED}) {
        params.conv_config = config(layout);
        params.conv_config->weights_dtype = DataType::BFLOAT16;
        params.memory_config = MemoryConfig();
        params.input_tensor = make.tensor({1, 1, 2 * 9 * 7, 32});
        make.add(params);
    }
    // As many slices as asked for: across the image, and of outputs of which some see nothing but padding.
    if (!make.sharded()) {
        for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth}) {
            params.input_tensor = make.tensor({1, 1, 2 * 9 * 7, 32});
            params.padding = std::array<uint32_t, 4>{5, 6, 7, 5};
            params.conv_config.reset();
            params.slice_config = Op2DSliceConfig{type, 4};
            make.add(params);
        }
    }
    // Groups of channels, and a depthwise convolution with channels that fill no tile.
    make.add(Params{.input_tensor = make.tensor({1, 6, 10, 64}),
                    .weight_tensor = plain({96, 16, 3, 1}),
                    .device = make.device(),
                    .in_channels = 64,
                    .out_channels = 96,
                    .batch_size = 1,
                    .input_height = 6,
                    .input_width = 10,
                    .kernel_size = {3, 1},
                    .padding = std::array<uint32_t, 2>{1, 0},
                    .groups = 4,
                    .conv_config = Conv2dConfig{.weights_dtype = DataType::BFLOAT8_B,
                                                .activation = UnaryWithParam(UnaryOpType::RELU)},
                    .return_weights_and_bias = true});
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 48}),
                    .weight_tensor = plain({48, 1, 5, 5}),
                    .device = make.device(),
                    .in_channels = 48,
                    .out_channels = 48,
                    .batch_size = 1,
                    .input_height = 8,
                    .input_width = 8,
                    .kernel_size = {5, 5},
                    .stride = {2, 2},
                    .padding = std::array<uint32_t, 2>{2, 2},
                    .groups = 48,
                    .dtype = DataType::BFLOAT16,
                    .bias_tensor = plain({1, 1, 1, 48}),
                    .return_weights_and_bias = true});
    // One tap: a product of matrices, in DRAM with an activation of its own.
    Params product{.input_tensor = make.tensor({1, 1, 100, 64}),
                   .weight_tensor = plain({80, 64, 1, 1}),
                   .device = make.device(),
                   .in_channels = 64,
                   .out_channels = 80,
                   .batch_size = 1,
                   .input_height = 10,
                   .input_width = 10,
                   .kernel_size = {1, 1},
                   .bias_tensor = plain({1, 1, 1, 80})};
    make.add(product);
    product.conv_config = Conv2dConfig{.activation = "silu"};
    make.add(product);
    for (const TensorMemoryLayout layout : {TensorMemoryLayout::WIDTH_SHARDED, TensorMemoryLayout::BLOCK_SHARDED}) {
        product.input_tensor = make.tensor({1, 1, 100, 64});
        product.conv_config = config(layout);
        product.conv_config->deallocate_activation = true;
        make.add(product);
    }
    // Prepared weights with channels of padding, an input with more channels than count, rows as the result.
    make.add(Params{.input_tensor = make.interleaved({1, 1, 64, 16}, make.dtype(), make.layout(), BufferType::L1),
                    .weight_tensor = make.interleaved({1, 1, 4 * 32, 64}, DataType::BFLOAT16, Layout::TILE),
                    .device = make.device(),
                    .in_channels = 3,
                    .out_channels = 40,
                    .batch_size = 1,
                    .input_height = 8,
                    .input_width = 8,
                    .kernel_size = {2, 2},
                    .dtype = DataType::BFLOAT16,
                    .bias_tensor = make.interleaved({1, 1, 1, 40}, DataType::BFLOAT16, Layout::TILE),
                    .conv_config = Conv2dConfig{.output_layout = Layout::ROW_MAJOR},
                    .return_output_dim = true});
}

}  // namespace ttnn

#endif
