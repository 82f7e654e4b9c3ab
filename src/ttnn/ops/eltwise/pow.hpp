// pow: a tensor to a number, a tensor to a tensor, and a number to a tensor.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct PowNumber {
    static constexpr std::string_view name = "ttnn.pow";
    static constexpr std::string_view doc = "input_tensor raised to a number.";
    struct Params {
        Tensor input_tensor{};
        Scalar exponent{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("base: floating tensor on a device"),
                                      arg<&Params::exponent>("a whole float counts as an int"),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates()};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::POWER);

    static BinaryArguments arguments(const Params& params);
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    // Negative bases have whole powers only; the pole of negative ones is left out.
    static Domain domain(const Params& params, std::string_view) {
        return is_whole(params.exponent) && as_double(params.exponent) >= 0 ? Domain::real(-4, 4)
                                                                            : Domain::real(0.1, 4);
    }
    static void cases(CaseMaker& make);
};

struct PowTensor {
    static constexpr std::string_view name = "ttnn.pow";
    static constexpr std::string_view doc =
        "input_tensor raised to the elements of a tensor; the result has the dtype of the base.";
    struct Params {
        Tensor input_tensor{};
        Tensor exponent{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::vector<UnaryWithParam> activations{};
        std::vector<UnaryWithParam> input_tensor_a_activations{};
        std::vector<UnaryWithParam> input_tensor_b_activations{};
        std::optional<bool> use_legacy{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("base: floating tensor on a device"),
                                      arg<&Params::exponent>("floating tensor that broadcasts with the base"),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect)};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::POWER);

    static BinaryArguments arguments(const Params& params);
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return binary_domain(BinaryOpType::POWER, field == "exponent", params.input_tensor.dtype());
    }
    static void cases(CaseMaker& make);
};

struct PowOfNumber {
    static constexpr std::string_view name = "ttnn.pow";
    static constexpr std::string_view doc = "A number raised to the elements of a tensor.";
    struct Params {
        double input = 0.0;
        Tensor exponent{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::vector<UnaryWithParam> activations{};
        std::vector<UnaryWithParam> input_tensor_a_activations{};
        std::vector<UnaryWithParam> input_tensor_b_activations{};
        std::optional<bool> use_legacy{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>("base"),
                                      arg<&Params::exponent>("floating tensor on a device"),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect)};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::POWER);

    static BinaryArguments arguments(const Params& params);
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view) {
        return binary_domain(BinaryOpType::RPOWER, false, params.exponent.dtype());
    }
    static void cases(CaseMaker& make);
};

inline BinaryArguments PowNumber::arguments(const Params& params) {
    BinaryArguments call;
    call.op = name;
    call.type = BinaryOpType::POWER;
    call.a = &params.input_tensor;
    call.a_name = "input_tensor";
    call.scalar = params.exponent;
    call.memory_config = pointer_to(params.memory_config);
    call.output = pointer_to(params.output_tensor);
    return call;
}

inline BinaryArguments PowTensor::arguments(const Params& params) {
    BinaryArguments call;
    call.op = name;
    call.type = BinaryOpType::POWER;
    call.a = &params.input_tensor;
    call.b = &params.exponent;
    call.a_name = "input_tensor";
    call.b_name = "exponent";
    call.dtype = params.dtype;
    call.memory_config = pointer_to(params.memory_config);
    call.output = pointer_to(params.output_tensor);
    call.activations = params.activations;
    call.a_activations = params.input_tensor_a_activations;
    call.b_activations = params.input_tensor_b_activations;
    return call;
}

// The exponent is the only tensor, so it is the primitive's first operand and brings its activations along.
inline BinaryArguments PowOfNumber::arguments(const Params& params) {
    BinaryArguments call;
    call.op = name;
    call.type = BinaryOpType::RPOWER;
    call.a = &params.exponent;
    call.a_name = "exponent";
    call.scalar = params.input;
    call.dtype = params.dtype;
    call.memory_config = pointer_to(params.memory_config);
    call.output = pointer_to(params.output_tensor);
    call.activations = params.activations;
    call.a_activations = params.input_tensor_b_activations;
    call.b_activations = params.input_tensor_a_activations;
    return call;
}

TTNN_DECLARATION(PowNumber);
TTNN_DECLARATION(PowTensor);
TTNN_DECLARATION(PowOfNumber);
inline constexpr Overloads<PowNumber, PowTensor, PowOfNumber> pow{};

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

namespace ttnn {

inline std::vector<reference::Array> PowNumber::reference(const Params& params) {
    return reference::binary(arguments(params));
}

inline std::vector<reference::Array> PowTensor::reference(const Params& params) {
    return reference::binary(arguments(params));
}

inline std::vector<reference::Array> PowOfNumber::reference(const Params& params) {
    return reference::binary(arguments(params));
}

}  // namespace ttnn

#else

namespace ttnn {

inline void PowNumber::cases(CaseMaker& make) {
    for (const Scalar exponent : {Scalar(int64_t{0}), Scalar(int64_t{1}), Scalar(2.0), Scalar(int64_t{3}), Scalar(4.0),
                                  Scalar(0.5), Scalar(-1.5), Scalar(int64_t{-2})}) {
        make.add(Params{.input_tensor = make.tensor({1, 2, 33, 64}), .exponent = exponent});
    }
    Params into{.input_tensor = make.tensor({64, 64}), .exponent = 2.0};
    into.output_tensor = make.tensor({64, 64});
    make.add(into);
}

inline void PowTensor::cases(CaseMaker& make) {
    for_each_pair(make, [&](const Tensor& a, const Tensor& b) { make.add(Params{.input_tensor = a, .exponent = b}); });
    Params activated{.input_tensor = make.tensor({64, 64}), .exponent = make.tensor({64, 64})};
    activated.activations = {UnaryOpType::SQRT};
    make.add(activated);
}

inline void PowOfNumber::cases(CaseMaker& make) {
    for (const double base : {2.0, 0.3, 10.0}) {
        make.add(Params{.input = base, .exponent = make.tensor({1, 2, 33, 64})});
    }
}

}  // namespace ttnn

#endif
