// conv1d: a convolution over lines, as one over images that are one row high.
#pragma once

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn {

struct Conv1d {
    static constexpr std::string_view name = "ttnn.conv1d";
    static constexpr std::string_view doc = "1-D convolution with bias and activation; the result is [1, 1, N * L, C].";
    static constexpr std::string_view aliases[] = {"ttnn.Conv1d"};
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        std::optional<DeviceHandle> device{};
        int64_t in_channels = 0;
        int64_t out_channels = 0;
        int64_t batch_size = 0;
        int64_t input_length = 0;
        int64_t kernel_size = 0;
        int64_t stride = 1;
        Padding1d padding{};
        int64_t dilation = 1;
        int64_t groups = 1;
        std::optional<DataType> dtype{};
        std::optional<Tensor> bias_tensor{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<MemoryConfig> memory_config{};
        bool return_output_dim = false;
        bool return_weights_and_bias = false;
    };
    using Result = Conv1dResult;
    static constexpr FieldList fields{
        kwreq<&Params::input_tensor>("[N, L, C] or [1, 1, N * L, C], on a device or on the host"),
        kwreq<&Params::weight_tensor>("[out, in / groups, k] or [out, in / groups, 1, k], or prepared ones, in TILE"),
        kw<&Params::device>("default: that of the input"),
        kwreq<&Params::in_channels>("channels of the input that count"),
        kwreq<&Params::out_channels>("channels of the result"),
        kwreq<&Params::batch_size>("lines"),
        kwreq<&Params::input_length>("of a line"),
        kwreq<&Params::kernel_size>("length of the window"),
        kw<&Params::stride>("step of the window"),
        kw<&Params::padding>("on both sides, or (left, right)"),
        kw<&Params::dilation>("distance of the taps"),
        kw<&Params::groups>("of channels that do not see each other"),
        kw<&Params::dtype>("of the result, default: of the input"),
        kw<&Params::bias_tensor>("[1, 1, 1, out_channels], plain or prepared"),
        kw<&Params::conv_config>("weights_dtype, activation, output_layout; shards"),
        kw<&Params::compute_config>("precision, no effect on results here"),
        kw<&Params::memory_config>("where the result goes"),
        kw<&Params::return_output_dim>("also return the length of the result"),
        kw<&Params::return_weights_and_bias>("also return them prepared")};
    static constexpr bool host_inputs = true;

    static conv_rules::Arguments arguments(const Params& params);
    static void validate(const Params& params) { conv_rules::check(arguments(params)); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(conv1d, Conv1d);

inline conv_rules::Arguments Conv1d::arguments(const Params& p) {
    const auto number = [](std::string_view argument, int64_t value) {
        return conv_rules::positive(name, argument, value);
    };
    std::array<uint32_t, 2> sides{};
    if (const auto* both = std::get_if<int64_t>(&p.padding)) {
        require(*both >= 0 && *both <= std::numeric_limits<int32_t>::max(),
                "{}: argument 'padding' must not be negative, got {}", name, *both);
        sides = {static_cast<uint32_t>(*both), static_cast<uint32_t>(*both)};
    } else {
        sides = std::get<std::array<uint32_t, 2>>(p.padding);
    }
    const conv_rules::Window window{
        .batch = number("batch_size", p.batch_size),
        .width = {number("input_length", p.input_length), number("kernel_size", p.kernel_size),
                  number("stride", p.stride), sides[0], sides[1], number("dilation", p.dilation)},
        .in_channels = number("in_channels", p.in_channels),
        .out_channels = number("out_channels", p.out_channels),
        .groups = number("groups", p.groups)};
    conv_rules::check_window(name, window);
    return {.op = name,
            .input = p.input_tensor,
            .weight = p.weight_tensor,
            .bias = p.bias_tensor,
            .device = p.device.value_or(nullptr),
            .window = window,
            .dtype = p.dtype,
            .config = p.conv_config.value_or(Conv2dConfig()),
            .compute_config = p.compute_config,
            .memory_config = p.memory_config,
            .slice = Op2DSliceConfig{.slice_type = Op2DSliceType::L1Full}};  // never in slices
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::Conv1d::reference(const Params& params) {
    return conv_rules::reference_outputs(arguments(params), params.return_weights_and_bias);
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/conv/conv_program.hpp"

namespace ttnn {

inline Conv1dResult Conv1d::run(const Params& params) {
    const conv_rules::Arguments args = arguments(params);
    return conv_rules::returned(conv_program::run(args), int64_t{args.window.out_width()}, params.return_output_dim,
                                params.return_weights_and_bias);
}

inline void Conv1d::cases(CaseMaker& make) {
    make.only_if(make.floating());
    const auto plain = [&](const Shape& shape) { return make.on_host(shape, DataType::BFLOAT16, Layout::ROW_MAJOR); };
    Params params{.input_tensor = make.tensor({2, 40, 32}),
                  .weight_tensor = plain({64, 32, 3}),
                  .device = make.device(),
                  .in_channels = 32,
                  .out_channels = 64,
                  .batch_size = 2,
                  .input_length = 40,
                  .kernel_size = 3,
                  .stride = 2,
                  .padding = std::array<uint32_t, 2>{1, 2},
                  .dilation = 2,
                  .bias_tensor = plain({1, 1, 1, 64}),
                  .return_output_dim = true,
                  .return_weights_and_bias = true};
    make.add(params);
    params.input_tensor = make.tensor({1, 1, 80, 32});
    params.weight_tensor = plain({32, 1, 1, 4});
    params.out_channels = 32;
    params.kernel_size = 4;
    params.stride = 1;
    params.padding = int64_t{3};
    params.dilation = 1;
    params.groups = 32;
    params.bias_tensor.reset();
    params.conv_config = Conv2dConfig{.activation = UnaryWithParam(UnaryOpType::SILU)};
    make.add(params);
}

}  // namespace ttnn

#endif
