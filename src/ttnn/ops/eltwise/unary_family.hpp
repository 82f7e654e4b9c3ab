// UnaryOperation: the shape that all operations over one UnaryOpType share. A Form gives the signature: the parameters,
// their fields, how they become the function's parameters, and argument values worth a case of their own.
#pragma once

#include <vector>

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/ops/eltwise/unary_facts.hpp"

namespace ttnn {

template <FixedString Name, UnaryOpType Type, class Form>
struct UnaryOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = unary_doc(Type);
    using Params = typename Form::Params;
    using Result = Tensor;
    static constexpr auto fields = Form::fields;
    static constexpr Tolerance tolerance = unary_tolerance(Type);

    static Domain domain(const Params&, std::string_view) { return unary_domain(Type); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

// (input_tensor, *, memory_config, output_tensor)
struct StandardForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};

// The same with sub_core_grids, which only moves the work.
struct SubCoreGridForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates(),
                                      kw<&Params::sub_core_grids>("cores to run on")};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};

// The flag asks the hardware for speed; here the accurate function is computed either way.
struct ApproximateForm {
    struct Params {
        Tensor input_tensor{};
        bool fast_and_approximate_mode = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::fast_and_approximate_mode>("does not change the result here"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates(),
                                      kw<&Params::sub_core_grids>("cores to run on")};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};
struct TrailingApproximateForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        bool fast_and_approximate_mode = false;
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates(),
                                      kw<&Params::fast_and_approximate_mode>("does not change the result here")};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};

// (input_tensor, *, memory_config). The original composes these of several primitives; here they are one.
struct CompositeForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/unary.hpp"

template <ttnn::FixedString Name, ttnn::UnaryOpType Type, class Form>
std::vector<ttnn::reference::Array> ttnn::UnaryOperation<Name, Type, Form>::reference(const Params& params) {
    DataType result = params.input_tensor.dtype();
    if constexpr (requires { params.output_tensor; }) {
        result = params.output_tensor ? params.output_tensor->dtype() : result;
    }
    return {reference::unary(Form::function(Type, params), result, reference::values(params.input_tensor))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/unary_program.hpp"

namespace ttnn {

template <FixedString Name, UnaryOpType Type, class Form>
void UnaryOperation<Name, Type, Form>::validate(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    compute::validate_unary_function(call, Form::function(Type, params));
    compute::validate_unary_placement(call);
}

template <FixedString Name, UnaryOpType Type, class Form>
Tensor UnaryOperation<Name, Type, Form>::run(const Params& params) {
    const UnaryWithParam function = Form::function(Type, params);
    return compute::run_unary(compute::unary_call(name, params), {&function, 1});
}

template <FixedString Name, UnaryOpType Type, class Form>
void UnaryOperation<Name, Type, Form>::cases(CaseMaker& make) {
    const auto add = [&](const Shape& shape, Params params) {
        params.input_tensor = make.tensor(shape);
        make.add(params);
    };
    add({1, 1, 64, 96}, {});
    add({2, 33, 66}, {});
    add({3, 2, 5, 30}, {});
    add({50, 40}, {});
    if constexpr (requires { Form::variants(); }) {
        for (const Params& params : Form::variants()) {
            add({2, 32, 48}, params);
        }
    }
    if constexpr (requires(Params params) { params.output_tensor; }) {
        Params into{};
        into.output_tensor = make.tensor({1, 2, 32, 80});
        add({1, 2, 32, 80}, into);
    }
    Params placed{};
    placed.memory_config = make.memory_config({2, 64, 64});
    add({2, 64, 64}, placed);
}

}  // namespace ttnn

#endif
