#include "ttnn/op/unary_op_type.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

// Parameters of one function: how many it has, and the values of those that may be left out (from the end).
struct ParameterRule {
    UnaryOpType type;
    size_t count;
    size_t required;
    std::array<float, 2> defaults;
};

constexpr ParameterRule parameter_rules[] = {
    {UnaryOpType::RELU_MAX, 1, 1, {}},
    {UnaryOpType::RELU_MIN, 1, 1, {}},
    {UnaryOpType::POWER, 1, 1, {}},
    {UnaryOpType::POWER_ITERATIVE, 1, 1, {}},
    {UnaryOpType::LEAKY_RELU, 1, 1, {}},
    {UnaryOpType::ELU, 1, 0, {1.0F}},
    {UnaryOpType::HEAVISIDE, 1, 1, {}},
    {UnaryOpType::RSUB, 1, 1, {}},
    {UnaryOpType::RDIV, 2, 1, {0.0F, 0.0F}},
    {UnaryOpType::SOFTPLUS, 2, 0, {1.0F, 20.0F}},
    {UnaryOpType::ADD_UNARY_SFPU, 1, 1, {}},
    {UnaryOpType::SUB_UNARY_SFPU, 1, 1, {}},
    {UnaryOpType::MUL_UNARY_SFPU, 1, 1, {}},
    {UnaryOpType::DIV_UNARY_SFPU, 1, 1, {}},
    {UnaryOpType::UNARY_NE, 1, 1, {}},
    {UnaryOpType::UNARY_EQ, 1, 1, {}},
    {UnaryOpType::UNARY_GT, 1, 1, {}},
    {UnaryOpType::UNARY_LT, 1, 1, {}},
    {UnaryOpType::UNARY_GE, 1, 1, {}},
    {UnaryOpType::UNARY_LE, 1, 1, {}},
    {UnaryOpType::BITWISE_XOR, 1, 1, {}},
    {UnaryOpType::BITWISE_AND, 1, 1, {}},
    {UnaryOpType::BITWISE_OR, 1, 1, {}},
    {UnaryOpType::RIGHT_SHIFT, 1, 1, {}},
    {UnaryOpType::LEFT_SHIFT, 1, 1, {}},
    {UnaryOpType::ROUND, 1, 0, {0.0F}},
    {UnaryOpType::REMAINDER, 1, 1, {}},
    {UnaryOpType::FMOD, 1, 1, {}},
    {UnaryOpType::FILL, 1, 1, {}},
    {UnaryOpType::PRELU_SFPU, 1, 1, {}},
    {UnaryOpType::MAXIMUM, 1, 1, {}},
    {UnaryOpType::MINIMUM, 1, 1, {}},
    {UnaryOpType::THRESHOLD, 2, 2, {}},
    {UnaryOpType::SOFTSHRINK, 1, 0, {0.5F}},
    {UnaryOpType::HARDSHRINK, 1, 0, {0.5F}},
    {UnaryOpType::HARDTANH, 2, 0, {-1.0F, 1.0F}},
    {UnaryOpType::WHERE_TSS, 2, 2, {}},
    {UnaryOpType::CELU, 1, 0, {1.0F}},
    {UnaryOpType::CLAMP_TSS, 2, 2, {}},
    {UnaryOpType::SELU, 2, 0, {1.0507F, 1.67326F}},
    {UnaryOpType::RPOW, 1, 1, {}},
    {UnaryOpType::LOGIT, 1, 0, {-1.0F}},
    {UnaryOpType::XIELU, 2, 0, {0.8F, 0.8F}},
};

struct NamedActivation {
    std::string_view name;
    UnaryOpType type;
    std::array<float, 2> params;
    size_t count;
};

// Vector mode 4 of the sigmoid means the whole tile; the flags after it and of gelu and mish ask for approximation.
constexpr NamedActivation activations[] = {
    {"relu", UnaryOpType::RELU, {}, 0},
    {"relu6", UnaryOpType::RELU6, {}, 0},
    {"gelu", UnaryOpType::GELU, {0.0F}, 1},
    {"gelu_approx", UnaryOpType::GELU, {1.0F}, 1},
    {"silu", UnaryOpType::SILU, {}, 0},
    {"sigmoid", UnaryOpType::SIGMOID, {4.0F, 0.0F}, 2},
    {"sigmoid_approx", UnaryOpType::SIGMOID, {4.0F, 1.0F}, 2},
    {"hardsigmoid", UnaryOpType::HARDSIGMOID, {}, 0},
    {"sqrt", UnaryOpType::SQRT, {}, 0},
    {"rsqrt", UnaryOpType::RSQRT, {}, 0},
    {"exp", UnaryOpType::EXP, {}, 0},
    {"recip", UnaryOpType::RECIP, {}, 0},
    {"log", UnaryOpType::LOG, {}, 0},
    {"log1p", UnaryOpType::LOG1P, {}, 0},
    {"tanh", UnaryOpType::TANH, {}, 0},
    {"log2", UnaryOpType::LOG2, {}, 0},
    {"log10", UnaryOpType::LOG10, {}, 0},
    {"sin", UnaryOpType::SIN, {}, 0},
    {"cos", UnaryOpType::COS, {}, 0},
    {"cosh", UnaryOpType::COSH, {}, 0},
    {"sinh", UnaryOpType::SINH, {}, 0},
    {"abs", UnaryOpType::ABS, {}, 0},
    {"abs_int32", UnaryOpType::ABS_INT32, {}, 0},
    {"sign", UnaryOpType::SIGN, {}, 0},
    {"square", UnaryOpType::SQUARE, {}, 0},
    {"softplus", UnaryOpType::SOFTPLUS, {1.0F, 20.0F}, 2},
    {"xielu", UnaryOpType::XIELU, {0.8F, 0.8F}, 2},
    {"selu", UnaryOpType::SELU, {1.0507F, 1.67326F}, 2},
    {"alt_complex_rotate90", UnaryOpType::ALT_COMPLEX_ROTATE90, {}, 0},
    {"hardmish", UnaryOpType::HARDMISH, {}, 0},
    {"mish", UnaryOpType::MISH, {}, 0},
    {"mish_approx", UnaryOpType::MISH, {1.0F}, 1},
};

}  // namespace

std::string UnaryWithParam::to_string() const {
    if (params.empty()) {
        return fmt::format("UnaryWithParam(op_type={})", op_type);
    }
    return fmt::format("UnaryWithParam(op_type={}, params=[{}])", op_type, fmt::join(params, ", "));
}

std::array<float, 2> unary_parameters(const UnaryWithParam& op) {
    for (const ParameterRule& rule : parameter_rules) {
        if (rule.type != op.op_type) {
            continue;
        }
        require(op.params.size() >= rule.required, "{} needs {} parameter(s), got {}", op.op_type, rule.required,
                op.params.size());
        std::array<float, 2> values = rule.defaults;
        std::copy_n(op.params.begin(), std::min(op.params.size(), rule.count), values.begin());
        return values;
    }
    return {};
}

UnaryWithParam activation_from_name(std::string_view name) {
    std::vector<std::string_view> known;
    for (const NamedActivation& activation : activations) {
        if (activation.name == name) {
            return {activation.type, {activation.params.begin(), activation.params.begin() + activation.count}};
        }
        known.push_back(activation.name);
    }
    fail("unknown activation '{}'; expected one of {}", name, fmt::join(known, " "));
}

}  // namespace ttnn
