// prepare_conv_weights and its relatives: weights and biases as convolutions keep them on a device.
#pragma once

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn {

namespace conv_rules {

// What all of these take of the convolution that is going to come: its input, its window, and the rest.
template <class Params>
inline constexpr FieldList input_fields{kwreq<&Params::input_memory_config>("of the input that is going to come"),
                                        kwreq<&Params::input_layout>("of that input")};
template <class Params>
inline constexpr FieldList window_fields{kwreq<&Params::in_channels>("channels of that input"),
                                         kwreq<&Params::out_channels>("channels of the result"),
                                         kwreq<&Params::batch_size>("images"),
                                         kwreq<&Params::input_height>("of an image"),
                                         kwreq<&Params::input_width>("of an image"),
                                         kwreq<&Params::kernel_size>("height and width of the window"),
                                         kw<&Params::stride>("steps of the window"),
                                         kw<&Params::padding>("(height, width), or (top, bottom, left, right)"),
                                         kw<&Params::dilation>("distance of the taps")};
template <class Params>
inline constexpr FieldList coming_fields{kw<&Params::groups>("of channels that do not see each other"),
                                         kwreq<&Params::device>("where the convolution is going to run"),
                                         kwreq<&Params::input_dtype>("of that input"),
                                         kw<&Params::output_dtype>("of the result, no effect here"),
                                         kw<&Params::conv_config>("weights_dtype; shards"),
                                         kw<&Params::compute_config>("no effect here")};

}  // namespace conv_rules

struct PrepareConvWeights {
    static constexpr std::string_view name = "ttnn.prepare_conv_weights";
    static constexpr std::string_view doc = "The weights of conv2d as a tile matrix on the device.";
    static constexpr bool transposed = false;
    struct Params {
        Tensor weight_tensor{};
        MemoryConfig input_memory_config{};
        Layout input_layout = Layout::TILE;
        std::string weights_format{"OIHW"};
        int64_t in_channels = 0;
        int64_t out_channels = 0;
        int64_t batch_size = 0;
        int64_t input_height = 0;
        int64_t input_width = 0;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{1, 1};
        Padding2d padding{};
        std::array<uint32_t, 2> dilation{1, 1};
        bool has_bias = false;
        int64_t groups = 1;
        DeviceHandle device{};
        DataType input_dtype = DataType::BFLOAT16;
        std::optional<DataType> output_dtype{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<Op2DSliceConfig> slice_config{};
        static constexpr bool mirror_kernel = false;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{kwreq<&Params::weight_tensor>("[out, in / groups, height, width] in ROW_MAJOR")} +
        conv_rules::input_fields<Params> + FieldList{kw<&Params::weights_format>("OIHW")} +
        conv_rules::window_fields<Params> + FieldList{kwreq<&Params::has_bias>("no effect here")} +
        conv_rules::coming_fields<Params> +
        FieldList{kw<&Params::slice_config>("where the convolution is going to run")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static const auto& slice(const Params& params) { return params.slice_config; }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PrepareConvTranspose2dWeights {
    static constexpr std::string_view name = "ttnn.prepare_conv_transpose2d_weights";
    static constexpr std::string_view doc = "The weights of conv_transpose2d as a tile matrix on the device.";
    static constexpr bool transposed = true;
    struct Params {
        Tensor weight_tensor{};
        MemoryConfig input_memory_config{};
        Layout input_layout = Layout::TILE;
        std::string weights_format{"IOHW"};
        int64_t in_channels = 0;
        int64_t out_channels = 0;
        int64_t batch_size = 0;
        int64_t input_height = 0;
        int64_t input_width = 0;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{1, 1};
        Padding2d padding{};
        std::array<uint32_t, 2> dilation{1, 1};
        bool has_bias = false;
        int64_t groups = 1;
        DeviceHandle device{};
        DataType input_dtype = DataType::BFLOAT16;
        std::optional<DataType> output_dtype{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        bool mirror_kernel = true;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{kwreq<&Params::weight_tensor>("[in, out / groups, height, width] in ROW_MAJOR")} +
        conv_rules::input_fields<Params> + FieldList{kw<&Params::weights_format>("IOHW")} +
        conv_rules::window_fields<Params> + FieldList{kwreq<&Params::has_bias>("no effect here")} +
        conv_rules::coming_fields<Params> +
        FieldList{kw<&Params::dram_slice_config>("where the convolution is going to run"),
                  kw<&Params::mirror_kernel>("the weights are those of torch; False: turned round already")};
    static constexpr Tolerance tolerance = PrepareConvWeights::tolerance;
    static constexpr bool host_inputs = true;

    static const auto& slice(const Params& params) { return params.dram_slice_config; }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PrepareConvBias {
    static constexpr std::string_view name = "ttnn.prepare_conv_bias";
    static constexpr std::string_view doc = "The bias of conv2d as a row of tiles on the device.";
    static constexpr bool transposed = false;
    struct Params {
        Tensor bias_tensor{};
        MemoryConfig input_memory_config{};
        Layout input_layout = Layout::TILE;
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
        DeviceHandle device{};
        DataType input_dtype = DataType::BFLOAT16;
        std::optional<DataType> output_dtype{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<Op2DSliceConfig> slice_config{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{kwreq<&Params::bias_tensor>("[1, 1, 1, out_channels] in ROW_MAJOR")} +
                                   conv_rules::input_fields<Params> + conv_rules::window_fields<Params> +
                                   conv_rules::coming_fields<Params> +
                                   FieldList{kw<&Params::slice_config>("where the convolution is going to run")};
    static constexpr Tolerance tolerance = PrepareConvWeights::tolerance;
    static constexpr bool host_inputs = true;

    static const auto& slice(const Params& params) { return params.slice_config; }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PrepareConvTranspose2dBias {
    static constexpr std::string_view name = "ttnn.prepare_conv_transpose2d_bias";
    static constexpr std::string_view doc = "The bias of conv_transpose2d as a row of tiles on the device.";
    static constexpr bool transposed = true;
    struct Params {
        Tensor bias_tensor{};
        MemoryConfig input_memory_config{};
        Layout input_layout = Layout::TILE;
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
        DeviceHandle device{};
        DataType input_dtype = DataType::BFLOAT16;
        std::optional<DataType> output_dtype{};
        std::optional<Conv2dConfig> conv_config{};
        std::optional<ComputeKernelConfig> compute_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{kwreq<&Params::bias_tensor>("[1, 1, 1, out_channels] in ROW_MAJOR")} +
                                   conv_rules::input_fields<Params> + conv_rules::window_fields<Params> +
                                   conv_rules::coming_fields<Params> +
                                   FieldList{kw<&Params::dram_slice_config>("where the convolution is going to run")};
    static constexpr Tolerance tolerance = PrepareConvWeights::tolerance;
    static constexpr bool host_inputs = true;

    static const auto& slice(const Params& params) { return params.dram_slice_config; }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(prepare_conv_weights, PrepareConvWeights);
TTNN_OPERATION(prepare_conv_bias, PrepareConvBias);
TTNN_OPERATION(prepare_conv_transpose2d_weights, PrepareConvTranspose2dWeights);
TTNN_OPERATION(prepare_conv_transpose2d_bias, PrepareConvTranspose2dBias);

namespace conv_rules {

template <class D>
Window coming_window(const typename D::Params& params) {
    return window_of(D::name, params, D::transposed);
}

inline Conv2dConfig config_of(const std::optional<Conv2dConfig>& config) { return config.value_or(Conv2dConfig()); }

}  // namespace conv_rules

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

namespace ttnn {
namespace conv_rules {

template <class D>
std::vector<reference::Array> reference_of_weights(const typename D::Params& params) {
    const Window window = coming_window<D>(params);
    const DataType dtype = weights_dtype(params.weight_tensor, config_of(params.conv_config));
    return {reference::weight_matrix(reference_window(window),
                                     reference_weights(params.weight_tensor, window, dtype, params.mirror_kernel))};
}

inline std::vector<reference::Array> reference_of_bias(const Tensor& bias, const std::optional<Conv2dConfig>& config) {
    return {reference::rounded(reference::values(bias), bias_dtype(bias, config_of(config)))};
}

}  // namespace conv_rules

inline std::vector<reference::Array> PrepareConvWeights::reference(const Params& params) {
    return conv_rules::reference_of_weights<PrepareConvWeights>(params);
}
inline std::vector<reference::Array> PrepareConvTranspose2dWeights::reference(const Params& params) {
    return conv_rules::reference_of_weights<PrepareConvTranspose2dWeights>(params);
}
inline std::vector<reference::Array> PrepareConvBias::reference(const Params& params) {
    return conv_rules::reference_of_bias(params.bias_tensor, params.conv_config);
}
inline std::vector<reference::Array> PrepareConvTranspose2dBias::reference(const Params& params) {
    return conv_rules::reference_of_bias(params.bias_tensor, params.conv_config);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/conv/conv_program.hpp"

namespace ttnn {
namespace conv_rules {

template <class D>
void check_coming(const typename D::Params& params) {
    require(params.device != nullptr, "{}: argument 'device' must be a device, got None", D::name);
    if constexpr (requires { params.weights_format; }) {
        require(params.weights_format == typename D::Params().weights_format,
                "{}: argument 'weights_format' must be {}, got {}", D::name, typename D::Params().weights_format,
                params.weights_format);
        require(!is_prepared(params.weight_tensor), "{}: argument 'weight_tensor' must be in ROW_MAJOR, got {}",
                D::name, params.weight_tensor.layout());
        check_plain_weight(D::name, params.weight_tensor, coming_window<D>(params));
    } else {
        require(!is_prepared(params.bias_tensor), "{}: argument 'bias_tensor' must be in ROW_MAJOR, got {}", D::name,
                params.bias_tensor.layout());
        check_bias(D::name, params.bias_tensor, coming_window<D>(params));
    }
}

template <class D>
Shape coming_matrix(const typename D::Params& params) {
    const auto& slice = D::slice(params);
    const bool in_l1 = slice ? slice->slice_type == Op2DSliceType::L1Full : params.input_memory_config.is_l1();
    return conv_program::padded_matrix(coming_window<D>(params), params.input_memory_config, params.input_layout,
                                       params.input_dtype, config_of(params.conv_config), in_l1, params.device);
}

template <class D>
Tensor run_weights(const typename D::Params& params) {
    return conv_program::prepared_weight(params.weight_tensor, coming_window<D>(params),
                                         weights_dtype(params.weight_tensor, config_of(params.conv_config)),
                                         coming_matrix<D>(params), params.mirror_kernel, params.device);
}
template <class D>
Tensor run_bias(const typename D::Params& params) {
    return conv_program::prepared_bias(params.bias_tensor,
                                       bias_dtype(params.bias_tensor, config_of(params.conv_config)),
                                       coming_matrix<D>(params).from_end(0), params.device);
}

// Plain tensors in rows; the memory kind of the combination is that of the input that is going to come.
template <class D>
void preparation_cases(CaseMaker& make) {
    using Params = typename D::Params;
    make.only_if(make.layout() == Layout::ROW_MAJOR && make.floating());
    const auto add = [&](uint32_t in, uint32_t out, uint32_t groups, std::optional<DataType> dtype) {
        Params params;
        if constexpr (requires { params.weight_tensor; }) {
            const Shape shape = D::transposed ? Shape{in, out / groups, 3, 2} : Shape{out, in / groups, 3, 2};
            params.weight_tensor = make.on_host(shape, make.dtype(), Layout::ROW_MAJOR);
        } else {
            params.bias_tensor = make.on_host({1, 1, 1, out}, make.dtype(), Layout::ROW_MAJOR);
        }
        params.input_memory_config = make.memory_config({1, 1, 2 * 6 * 8, in});
        params.input_layout = Layout::TILE;
        params.in_channels = in;
        params.out_channels = out;
        params.batch_size = 2;
        params.input_height = 6;
        params.input_width = 8;
        params.kernel_size = {3, 2};
        params.groups = groups;
        params.device = make.device();
        if (dtype) {
            params.conv_config = Conv2dConfig{.weights_dtype = dtype};
        }
        make.add(params);
    };
    add(32, 48, 1, std::nullopt);
    add(40, 80, 1, DataType::BFLOAT8_B);
    add(64, 96, 4, DataType::BFLOAT16);
    add(48, 48, 48, DataType::BFLOAT8_B);
}

}  // namespace conv_rules

inline void PrepareConvWeights::validate(const Params& params) { conv_rules::check_coming<PrepareConvWeights>(params); }
inline Tensor PrepareConvWeights::run(const Params& params) {
    return conv_rules::run_weights<PrepareConvWeights>(params);
}
inline void PrepareConvWeights::cases(CaseMaker& make) { conv_rules::preparation_cases<PrepareConvWeights>(make); }

inline void PrepareConvTranspose2dWeights::validate(const Params& params) {
    conv_rules::check_coming<PrepareConvTranspose2dWeights>(params);
}
inline Tensor PrepareConvTranspose2dWeights::run(const Params& params) {
    return conv_rules::run_weights<PrepareConvTranspose2dWeights>(params);
}
inline void PrepareConvTranspose2dWeights::cases(CaseMaker& make) {
    conv_rules::preparation_cases<PrepareConvTranspose2dWeights>(make);
}

inline void PrepareConvBias::validate(const Params& params) { conv_rules::check_coming<PrepareConvBias>(params); }
inline Tensor PrepareConvBias::run(const Params& params) { return conv_rules::run_bias<PrepareConvBias>(params); }
inline void PrepareConvBias::cases(CaseMaker& make) { conv_rules::preparation_cases<PrepareConvBias>(make); }

inline void PrepareConvTranspose2dBias::validate(const Params& params) {
    conv_rules::check_coming<PrepareConvTranspose2dBias>(params);
}
inline Tensor PrepareConvTranspose2dBias::run(const Params& params) {
    return conv_rules::run_bias<PrepareConvTranspose2dBias>(params);
}
inline void PrepareConvTranspose2dBias::cases(CaseMaker& make) {
    conv_rules::preparation_cases<PrepareConvTranspose2dBias>(make);
}

}  // namespace ttnn

#endif
