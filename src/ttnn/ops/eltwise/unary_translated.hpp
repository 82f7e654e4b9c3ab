// Unary functions whose arguments need translating: a base, a rounding mode, an optional bound.
#pragma once

#include "ttnn/core/error.hpp"
#include "ttnn/ops/eltwise/unary_family.hpp"

namespace ttnn {

struct RpowForm {
    struct Params {
        Tensor input_tensor{};
        double exponent = 1.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::exponent>("the base, greater than 0"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.exponent)}};
    }
    static std::vector<Params> variants() { return {{.exponent = 2.0}, {.exponent = 0.7}}; }
};

struct RdivForm {
    struct Params {
        Tensor input_tensor{};
        double value = 0.0;
        std::optional<std::string> rounding_mode{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::value>("the dividend"),
                                      kw<&Params::rounding_mode>("None, 'trunc' or 'floor'"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        float rounding = 0.0F;
        if (params.rounding_mode) {
            require(*params.rounding_mode == "trunc" || *params.rounding_mode == "floor",
                    "ttnn.rdiv: argument 'rounding_mode' is '{}'; Incorrect rounding mode (expected None, 'trunc', or "
                    "'floor')",
                    *params.rounding_mode);
            rounding = *params.rounding_mode == "trunc" ? 1.0F : 2.0F;
        }
        return {type, {static_cast<float>(params.value), rounding}};
    }
    static std::vector<Params> variants() {
        return {{.value = 3.0}, {.value = -7.5, .rounding_mode = "trunc"}, {.value = -7.5, .rounding_mode = "floor"}};
    }
};

struct LogitForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<double> eps{};
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::eps>("clamps the input to [eps, 1 - eps]"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.eps.value_or(-1.0))}};
    }
    static std::vector<Params> variants() { return {{.eps = 0.2}}; }
};

TTNN_OPERATION(rpow, UnaryOperation<"ttnn.rpow", UnaryOpType::RPOW, RpowForm>);
TTNN_OPERATION(rdiv, UnaryOperation<"ttnn.rdiv", UnaryOpType::RDIV, RdivForm>);
TTNN_OPERATION(logit, UnaryOperation<"ttnn.logit", UnaryOpType::LOGIT, LogitForm>);

}  // namespace ttnn
