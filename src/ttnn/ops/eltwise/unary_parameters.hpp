// Unary functions with one or two numbers as parameters.
#pragma once

#include "ttnn/ops/eltwise/unary_family.hpp"

namespace ttnn {

struct HeavisideForm {
    struct Params {
        Tensor input_tensor{};
        double value = 0.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::value>("result where x is 0"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.value)}};
    }
    static std::vector<Params> variants() { return {{.value = 0.5}}; }
};

struct LeakyReluForm {
    struct Params {
        Tensor input_tensor{};
        double negative_slope = 0.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::negative_slope>("factor of negative numbers"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.negative_slope)}};
    }
    static std::vector<Params> variants() { return {{.negative_slope = 0.01}, {.negative_slope = -0.5}}; }
};

struct ReluMaxForm {
    struct Params {
        Tensor input_tensor{};
        double upper_limit = 0.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::upper_limit>("largest result"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.upper_limit)}};
    }
    static std::vector<Params> variants() { return {{.upper_limit = 2.5}}; }
};

struct ReluMinForm {
    struct Params {
        Tensor input_tensor{};
        double lower_limit = 0.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::lower_limit>("smallest result"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.lower_limit)}};
    }
    static std::vector<Params> variants() { return {{.lower_limit = -1.5}}; }
};

struct EluForm {
    struct Params {
        Tensor input_tensor{};
        double alpha = 1.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      opt<&Params::alpha>("factor of the exponential"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.alpha)}};
    }
    static std::vector<Params> variants() { return {{.alpha = 0.5}}; }
};

struct CeluForm {
    struct Params {
        Tensor input_tensor{};
        double alpha = 1.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::alpha>("scale of the exponential"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.alpha)}};
    }
    static std::vector<Params> variants() { return {{.alpha = 2.0}}; }
};

struct ShrinkForm {
    struct Params {
        Tensor input_tensor{};
        double lambd = 0.5;
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::lambd>("half the width of the zero zone, at least 0"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.lambd)}};
    }
    static std::vector<Params> variants() { return {{.lambd = 0.0}, {.lambd = 2.0}}; }
};

struct SeluForm {
    struct Params {
        Tensor input_tensor{};
        double scale = 1.0507;
        double alpha = 1.67326;
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::scale>("factor of the whole"),
                                      kw<&Params::alpha>("factor of the exponential"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.scale), static_cast<float>(params.alpha)}};
    }
    static std::vector<Params> variants() { return {{.scale = 2.0, .alpha = 0.5}}; }
};

struct HardtanhForm {
    struct Params {
        Tensor input_tensor{};
        double min_val = -1.0;
        double max_val = 1.0;
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::min_val>("smallest result"), kw<&Params::max_val>("largest result"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.min_val), static_cast<float>(params.max_val)}};
    }
    static std::vector<Params> variants() { return {{.min_val = -3.0, .max_val = 0.5}}; }
};

struct ThresholdForm {
    struct Params {
        Tensor input_tensor{};
        double threshold = 0.0;
        double value = 0.0;
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::threshold>("numbers up to this are replaced"),
                                      arg<&Params::value>("what they are replaced by"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.threshold), static_cast<float>(params.value)}};
    }
    static std::vector<Params> variants() { return {{.threshold = 1.5, .value = -20.0}}; }
};

struct SoftplusForm {
    struct Params {
        Tensor input_tensor{};
        double beta = 1.0;
        double threshold = 20.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"), kw<&Params::beta>("steepness"),
                                      kw<&Params::threshold>("beta x above this gives x"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.beta), static_cast<float>(params.threshold)}};
    }
    static std::vector<Params> variants() { return {{.beta = 2.0, .threshold = 5.0}}; }
};

struct XieluForm {
    struct Params {
        Tensor input_tensor{};
        double alpha_p = 0.8;
        double alpha_n = 0.8;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::alpha_p>("curvature for positive x"),
                                      kw<&Params::alpha_n>("factor for negative x"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.alpha_p), static_cast<float>(params.alpha_n)}};
    }
    static std::vector<Params> variants() { return {{.alpha_p = 0.3, .alpha_n = 1.2}}; }
};

TTNN_OPERATION(heaviside, UnaryOperation<"ttnn.heaviside", UnaryOpType::HEAVISIDE, HeavisideForm>);
TTNN_OPERATION(leaky_relu, UnaryOperation<"ttnn.leaky_relu", UnaryOpType::LEAKY_RELU, LeakyReluForm>);
TTNN_OPERATION(relu_max, UnaryOperation<"ttnn.relu_max", UnaryOpType::RELU_MAX, ReluMaxForm>);
TTNN_OPERATION(relu_min, UnaryOperation<"ttnn.relu_min", UnaryOpType::RELU_MIN, ReluMinForm>);
TTNN_OPERATION(elu, UnaryOperation<"ttnn.elu", UnaryOpType::ELU, EluForm>);
TTNN_OPERATION(celu, UnaryOperation<"ttnn.celu", UnaryOpType::CELU, CeluForm>);
TTNN_OPERATION(hardshrink, UnaryOperation<"ttnn.hardshrink", UnaryOpType::HARDSHRINK, ShrinkForm>);
TTNN_OPERATION(softshrink, UnaryOperation<"ttnn.softshrink", UnaryOpType::SOFTSHRINK, ShrinkForm>);
TTNN_OPERATION(selu, UnaryOperation<"ttnn.selu", UnaryOpType::SELU, SeluForm>);
TTNN_OPERATION(hardtanh, UnaryOperation<"ttnn.hardtanh", UnaryOpType::HARDTANH, HardtanhForm>);
TTNN_OPERATION(threshold, UnaryOperation<"ttnn.threshold", UnaryOpType::THRESHOLD, ThresholdForm>);
TTNN_OPERATION(softplus, UnaryOperation<"ttnn.softplus", UnaryOpType::SOFTPLUS, SoftplusForm>);
TTNN_OPERATION(xielu, UnaryOperation<"ttnn.xielu", UnaryOpType::XIELU, XieluForm>);

}  // namespace ttnn
