// Binary operations with short signatures: geometry, quotients and remainders, scaled sums, closeness.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

// --- two tensors ---------------------------------------------------------------------------------------------------
struct PairParams {
    Tensor input_tensor_a{};
    Tensor input_tensor_b{};
    std::optional<MemoryConfig> memory_config{};
};

template <FixedString Name, BinaryOpType Type>
struct PairBinary {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = PairParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>("tensor that broadcasts with the first"),
                                      kw<&Params::memory_config>(binary_doc::memory_config)};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, Type, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return binary_domain(Type, field == "input_tensor_b", params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

// --- quotients -----------------------------------------------------------------------------------------------------
struct QuotientParams {
    Tensor input_tensor_a{};
    TensorOrScalar input_tensor_b{};
    std::optional<MemoryConfig> memory_config{};
};

template <FixedString Name, BinaryOpType Type>
struct Quotient {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = QuotientParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>(binary_doc::b).also("value"),
                                      kw<&Params::memory_config>(binary_doc::memory_config)};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, Type, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_tensor_b";
        return binary_domain(Type, second, second ? dtype_of(params.input_tensor_b) : params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

// --- remainders ----------------------------------------------------------------------------------------------------
struct RemainderParams {
    Tensor input_a{};
    TensorOrScalar input_b{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<CoreRangeSet> sub_core_grids{};
};

template <FixedString Name, BinaryOpType Type>
struct RemainderOf {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = RemainderParams;
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_a>(binary_doc::a).also("input_tensor"), arg<&Params::input_b>(binary_doc::b).also("scalar"),
        kw<&Params::memory_config>(binary_doc::memory_config), kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) {
        BinaryArguments call;
        call.op = name;
        call.type = Type;
        call.a = &params.input_a;
        call.a_name = "input_a";
        call.b_name = "input_b";
        call.memory_config = pointer_to(params.memory_config);
        call.cores = pointer_to(params.sub_core_grids);
        call.set_second(params.input_b);
        return call;
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_b";
        return binary_domain(Type, second, second ? dtype_of(params.input_b) : params.input_a.dtype());
    }
    static void cases(CaseMaker& make);
};

// --- scaled sums ---------------------------------------------------------------------------------------------------
struct AlphaParams {
    Tensor input_tensor_a{};
    Tensor input_tensor_b{};
    double alpha = 1.0;
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
};

template <FixedString Name, BinaryOpType Type>
struct AlphaBinary {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = AlphaParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>("tensor that broadcasts with the first"),
                                      opt<&Params::alpha>("factor of the second operand; whole for integer tensors"),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates()};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) {
        BinaryArguments call = binary_arguments(name, Type, params);
        call.extra[0] = static_cast<double>(static_cast<float>(params.alpha));
        return call;
    }
    static void validate(const Params& params) {
        require(is_whole(params.alpha) || !is_integer(params.input_tensor_a.dtype()),
                "{}: argument 'alpha' must be a whole number for tensors of {}, got {}", name,
                params.input_tensor_a.dtype(), params.alpha);
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return binary_domain(Type, field == "input_tensor_b", params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

// --- closeness -----------------------------------------------------------------------------------------------------
struct IsClose {
    static constexpr std::string_view name = "ttnn.isclose";
    static constexpr std::string_view doc = doc_of(BinaryOpType::ISCLOSE);
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        double rtol = 1e-5;
        double atol = 1e-8;
        bool equal_nan = false;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>(binary_doc::a),
        arg<&Params::input_tensor_b>("tensor that broadcasts with the first"),
        kw<&Params::rtol>("tolerance relative to |b|"),
        kw<&Params::atol>("absolute tolerance"),
        kw<&Params::equal_nan>("NaN is close to NaN; else a NaN in a counts as 1 and one in b as 0"),
        kw<&Params::memory_config>(binary_doc::memory_config)};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::ISCLOSE);

    static BinaryArguments arguments(const Params& params) {
        BinaryArguments call = binary_arguments(name, BinaryOpType::ISCLOSE, params);
        call.extra = {params.rtol, params.atol, params.equal_nan ? 1.0 : 0.0};
        return call;
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view) {
        return binary_domain(BinaryOpType::ISCLOSE, false, params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(hypot, PairBinary<"ttnn.hypot", BinaryOpType::HYPOT>);
TTNN_OPERATION(nextafter, PairBinary<"ttnn.nextafter", BinaryOpType::NEXTAFTER>);
TTNN_OPERATION(atan2, PairBinary<"ttnn.atan2", BinaryOpType::ATAN2>);
TTNN_OPERATION(div_no_nan, Quotient<"ttnn.div_no_nan", BinaryOpType::DIV_NO_NAN>);
TTNN_OPERATION(floor_div, Quotient<"ttnn.floor_div", BinaryOpType::DIV_FLOOR>);
TTNN_OPERATION(fmod, RemainderOf<"ttnn.fmod", BinaryOpType::FMOD>);
TTNN_OPERATION(remainder, RemainderOf<"ttnn.remainder", BinaryOpType::REMAINDER>);
TTNN_OPERATION(addalpha, AlphaBinary<"ttnn.addalpha", BinaryOpType::ADDALPHA>);
TTNN_OPERATION(subalpha, AlphaBinary<"ttnn.subalpha", BinaryOpType::SUBALPHA>);
TTNN_OPERATION(isclose, IsClose);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

namespace ttnn {

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> PairBinary<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> Quotient<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> RemainderOf<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> AlphaBinary<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

inline std::vector<reference::Array> IsClose::reference(const Params& params) {
    return reference::binary(arguments(params));
}

}  // namespace ttnn

#else

namespace ttnn {

template <FixedString Name, BinaryOpType Type>
void PairBinary<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

template <FixedString Name, BinaryOpType Type>
void Quotient<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

template <FixedString Name, BinaryOpType Type>
void RemainderOf<Name, Type>::cases(CaseMaker& make) {
    for_each_pair(make, [&](const Tensor& a, const Tensor& b) { make.add(Params{.input_a = a, .input_b = b}); });
    for (const Scalar& scalar : scalars_for(Type)) {
        std::visit([&](auto by) { make.add(Params{.input_a = make.tensor({2, 1, 32, 64}), .input_b = by}); }, scalar);
    }
}

template <FixedString Name, BinaryOpType Type>
void AlphaBinary<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
    for (const double alpha : {2.0, -0.3, 0.0}) {
        Params params{.input_tensor_a = make.tensor({2, 33, 64}), .input_tensor_b = make.tensor({2, 33, 64})};
        params.alpha = alpha;
        make.add(params);
    }
}

inline void IsClose::cases(CaseMaker& make) {
    binary_cases<Params>(make, BinaryOpType::ISCLOSE);
    Params loose{.input_tensor_a = make.tensor({2, 33, 64}), .input_tensor_b = make.tensor({2, 33, 64})};
    loose.rtol = 0.5;
    loose.atol = 0.25;
    loose.equal_nan = true;
    make.add(loose);
}

}  // namespace ttnn

#endif
