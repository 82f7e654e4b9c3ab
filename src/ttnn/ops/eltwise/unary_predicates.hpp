// Comparisons with zero, classification, signs, rounding and copies.
#pragma once

#include "ttnn/ops/eltwise/unary_family.hpp"

namespace ttnn {

struct RoundForm {
    struct Params {
        Tensor input_tensor{};
        int64_t decimals = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::decimals>("digits to keep after the point, -6 to 7"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params& params) {
        return {type, {static_cast<float>(params.decimals)}};
    }
    static std::vector<Params> variants() { return {{.decimals = 1}, {.decimals = -1}}; }
};

using AltComplexRotate90 = UnaryOperation<"ttnn.alt_complex_rotate90", UnaryOpType::ALT_COMPLEX_ROTATE90, StandardForm>;

struct LogicalNotInPlace {
    static constexpr std::string_view name = "ttnn.logical_not_";
    static constexpr std::string_view doc = "logical_not written into the input, which is returned.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device").mutates(),
                                      kw<&Params::memory_config>("must have the input's memory layout")};
    static constexpr Tolerance tolerance = unary_tolerance(UnaryOpType::LOGICAL_NOT_UNARY);

    static Domain domain(const Params&, std::string_view) { return unary_domain(UnaryOpType::LOGICAL_NOT_UNARY); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(abs, UnaryOperation<"ttnn.abs", UnaryOpType::ABS, StandardForm>);
TTNN_OPERATION(neg, UnaryOperation<"ttnn.neg", UnaryOpType::NEG, StandardForm>);
TTNN_OPERATION(sign, UnaryOperation<"ttnn.sign", UnaryOpType::SIGN, StandardForm>);
TTNN_OPERATION(signbit, UnaryOperation<"ttnn.signbit", UnaryOpType::SIGNBIT, StandardForm>);
TTNN_OPERATION(reciprocal, UnaryOperation<"ttnn.reciprocal", UnaryOpType::RECIP, StandardForm>);
TTNN_OPERATION(identity, UnaryOperation<"ttnn.identity", UnaryOpType::IDENTITY, StandardForm>);
TTNN_OPERATION(bitwise_not, UnaryOperation<"ttnn.bitwise_not", UnaryOpType::BITWISE_NOT, StandardForm>);
TTNN_OPERATION(floor, UnaryOperation<"ttnn.floor", UnaryOpType::FLOOR, SubCoreGridForm>);
TTNN_OPERATION(ceil, UnaryOperation<"ttnn.ceil", UnaryOpType::CEIL, StandardForm>);
TTNN_OPERATION(trunc, UnaryOperation<"ttnn.trunc", UnaryOpType::TRUNC, SubCoreGridForm>);
TTNN_OPERATION(frac, UnaryOperation<"ttnn.frac", UnaryOpType::FRAC, StandardForm>);
TTNN_OPERATION(round, UnaryOperation<"ttnn.round", UnaryOpType::ROUND, RoundForm>);
TTNN_OPERATION(eqz, UnaryOperation<"ttnn.eqz", UnaryOpType::EQZ, StandardForm>);
TTNN_OPERATION(nez, UnaryOperation<"ttnn.nez", UnaryOpType::NEZ, StandardForm>);
TTNN_OPERATION(gtz, UnaryOperation<"ttnn.gtz", UnaryOpType::GTZ, StandardForm>);
TTNN_OPERATION(ltz, UnaryOperation<"ttnn.ltz", UnaryOpType::LTZ, SubCoreGridForm>);
TTNN_OPERATION(gez, UnaryOperation<"ttnn.gez", UnaryOpType::GEZ, StandardForm>);
TTNN_OPERATION(lez, UnaryOperation<"ttnn.lez", UnaryOpType::LEZ, StandardForm>);
TTNN_OPERATION(logical_not, UnaryOperation<"ttnn.logical_not", UnaryOpType::LOGICAL_NOT_UNARY, StandardForm>);
TTNN_OPERATION(isfinite, UnaryOperation<"ttnn.isfinite", UnaryOpType::ISFINITE, StandardForm>);
TTNN_OPERATION(isinf, UnaryOperation<"ttnn.isinf", UnaryOpType::ISINF, StandardForm>);
TTNN_OPERATION(isnan, UnaryOperation<"ttnn.isnan", UnaryOpType::ISNAN, StandardForm>);
TTNN_OPERATION(isposinf, UnaryOperation<"ttnn.isposinf", UnaryOpType::ISPOSINF, StandardForm>);
TTNN_OPERATION(isneginf, UnaryOperation<"ttnn.isneginf", UnaryOpType::ISNEGINF, StandardForm>);
TTNN_OPERATION(alt_complex_rotate90, AltComplexRotate90);
TTNN_OPERATION(logical_not_, LogicalNotInPlace);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::LogicalNotInPlace::reference(const Params& params) {
    return {reference::unary(UnaryOpType::LOGICAL_NOT_UNARY, params.input_tensor.dtype(),
                             reference::values(params.input_tensor))};
}

#else

namespace ttnn {

inline void LogicalNotInPlace::validate(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    compute::validate_unary_function(call, UnaryOpType::LOGICAL_NOT_UNARY);
    compute::validate_unary_placement(call);
}

inline Tensor LogicalNotInPlace::run(const Params& params) {
    const std::optional<Tensor> output = params.input_tensor;
    const std::optional<CoreRangeSet> all_cores;
    const UnaryWithParam function(UnaryOpType::LOGICAL_NOT_UNARY);
    return compute::run_unary({name, params.input_tensor, params.memory_config, output, all_cores}, {&function, 1});
}

inline void LogicalNotInPlace::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66})});
    make.add(Params{.input_tensor = make.tensor({50, 40})});
}

}  // namespace ttnn

#endif
