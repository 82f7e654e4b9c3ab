// conv_transpose2d: what a convolution does to gradients: every input spreads over a window of outputs.
#pragma once

#include "ttnn/ops/conv/conv2d.hpp"

namespace ttnn {

struct ConvTranspose2d {
    static constexpr std::string_view name = "ttnn.conv_transpose2d";
    static constexpr std::string_view doc =
        "Transposed 2-D convolution with bias and activation; the result is [1, 1, N * H * W, C].";
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
        std::array<uint32_t, 2> output_padding{};
        std::array<uint32_t, 2> dilation{1, 1};
        int64_t groups = 1;
        std::optional<DataType> dtype{};
        std::optional<Tensor> bias_tensor{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        bool mirror_kernel = true;
        bool return_output_dim = false;
        bool return_weights_and_bias = false;
    };
    using Result = Conv2dResult;
    static constexpr auto fields =
        conv_rules::image_fields<Params> +
        FieldList{kw<&Params::output_padding>("rows and columns added to the result"),
                  kw<&Params::dilation>("distance of the taps")} +
        conv_rules::convolution_fields<Params> +
        FieldList{kw<&Params::dram_slice_config>("where it runs; no effect on results"),
                  kw<&Params::mirror_kernel>("plain weights are those of torch; False: turned round already")} +
        conv_rules::return_fields<Params>;
    static constexpr bool host_inputs = true;

    static conv_rules::Arguments arguments(const Params& params);
    static void validate(const Params& params) { conv_rules::check(arguments(params)); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(conv_transpose2d, ConvTranspose2d);

inline conv_rules::Arguments ConvTranspose2d::arguments(const Params& p) {
    return {.op = name,
            .input = p.input_tensor,
            .weight = p.weight_tensor,
            .bias = p.bias_tensor,
            .device = p.device.value_or(nullptr),
            .window = conv_rules::window_of(name, p, true),
            .dtype = p.dtype,
            .config = p.conv_config.value_or(Conv2dConfig()),
            .compute_config = p.compute_config,
            .memory_config = p.memory_config,
            .slice = p.dram_slice_config,
            .mirrored = p.mirror_kernel};
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::ConvTranspose2d::reference(const Params& params) {
    return conv_rules::reference_outputs(arguments(params), params.return_weights_and_bias);
}

#else

namespace ttnn {

inline Conv2dResult ConvTranspose2d::run(const Params& params) {
    const conv_rules::Arguments args = arguments(params);
    const std::array<uint32_t, 2> size{args.window.out_height(), args.window.out_width()};
    return conv_rules::returned(conv_program::run(args), size, params.return_output_dim,
                                params.return_weights_and_bias);
}

inline void ConvTranspose2d::cases(CaseMaker& make) {
    make.only_if(make.floating());
    const auto plain = [&](const Shape& shape) { return make.on_host(shape, DataType::FLOAT32, Layout::ROW_MAJOR); };
    Params params{.input_tensor = make.tensor({1, 1, 2 * 5 * 4, 32}),
                  .weight_tensor = plain({32, 40, 3, 2}),
                  .device = make.device(),
                  .in_channels = 32,
                  .out_channels = 40,
                  .batch_size = 2,
                  .input_height = 5,
                  .input_width = 4,
                  .kernel_size = {3, 2},
                  .stride = {2, 3},
                  .padding = std::array<uint32_t, 2>{1, 0},
                  .output_padding = {1, 0},
                  .bias_tensor = plain({1, 1, 1, 40}),
                  .return_output_dim = true,
                  .return_weights_and_bias = true};
    make.add(params);
    params.mirror_kernel = false;
    params.dilation = {2, 1};
    params.padding = std::array<uint32_t, 4>{0, 1, 1, 0};
    params.input_tensor = make.tensor({2, 5, 4, 32});
    make.add(params);
    if (!make.sharded()) {
        for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth}) {
            params.input_tensor = make.tensor({2, 5, 4, 32});
            params.dram_slice_config = Op2DSliceConfig{type, 3};
            make.add(params);
        }
        params.dram_slice_config.reset();
    }
    params.mirror_kernel = true;
    params.input_tensor = make.tensor({1, 1, 2 * 5 * 4, 32});
    params.weight_tensor = plain({32, 16, 3, 2});
    params.out_channels = 64;
    params.groups = 4;
    params.bias_tensor.reset();
    params.conv_config =
        Conv2dConfig{.weights_dtype = DataType::BFLOAT16, .activation = UnaryWithParam(UnaryOpType::RELU)};
    make.add(params);
}

}  // namespace ttnn

#endif
