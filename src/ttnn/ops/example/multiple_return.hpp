// composite_example_multiple_return and its device operation: operations with results that the caller may leave out.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct MultipleReturnParams {
    Tensor input_tensor{};
    bool return_output1 = false;
    bool return_output2 = false;
};
inline constexpr FieldList multiple_return_fields{
    arg<&MultipleReturnParams::input_tensor>("tensor on a device, any dtype and layout"),
    arg<&MultipleReturnParams::return_output1>("whether the first copy is wanted; None stands in its place otherwise"),
    arg<&MultipleReturnParams::return_output2>("the same of the second")};

struct PrimExampleMultipleReturn {
    static constexpr std::string_view name = "ttnn.prim.example_multiple_return";
    static constexpr std::string_view doc = "Two copies of its input in interleaved DRAM, or one of them.";
    using Params = MultipleReturnParams;
    using Result = std::vector<Tensor>;
    static constexpr const auto& fields = multiple_return_fields;
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct CompositeExampleMultipleReturn {
    static constexpr std::string_view name = "ttnn.composite_example_multiple_return";
    static constexpr std::string_view doc = "Two copies of its input in interleaved DRAM, or one of them.";
    using Params = MultipleReturnParams;
    using Result = std::vector<Tensor>;
    static constexpr const auto& fields = multiple_return_fields;
    static constexpr Tolerance tolerance = PrimExampleMultipleReturn::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace prim {
inline constexpr Op<PrimExampleMultipleReturn> example_multiple_return{};
}
TTNN_DECLARATION(PrimExampleMultipleReturn);
TTNN_OPERATION(composite_example_multiple_return, CompositeExampleMultipleReturn);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> PrimExampleMultipleReturn::reference(const Params& params) {
    const size_t count = (params.return_output1 ? 1 : 0) + (params.return_output2 ? 1 : 0);
    return std::vector(count, reference::values(params.input_tensor));
}
inline std::vector<reference::Array> CompositeExampleMultipleReturn::reference(const Params& params) {
    return PrimExampleMultipleReturn::reference(params);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/example/copies.hpp"

namespace ttnn {

namespace example {

inline void check_wanted(std::string_view op, const MultipleReturnParams& params) {
    check_at_launch([&] {
        require(params.return_output1 || params.return_output2,
                "{}: argument 'return_output1' or 'return_output2' must be true", op);
    });
}

inline std::vector<Tensor> multiple_return(const MultipleReturnParams& params) {
    const bool wanted[] = {params.return_output1, params.return_output2};
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input_tensor).add(params.return_output1).add(params.return_output2);
    };
    return copies("ttnn::prim::example_multiple_return", params.input_tensor, wanted, arguments);
}

inline void multiple_return_cases(CaseMaker& make) {
    const auto add = [&](const Shape& shape, bool first, bool second) {
        make.add(MultipleReturnParams{
            .input_tensor = make.tensor(shape), .return_output1 = first, .return_output2 = second});
    };
    add({1, 1, 64, 96}, true, true);
    add({2, 33, 65}, true, false);
    add({32, 64}, false, true);
}

}  // namespace example

inline void PrimExampleMultipleReturn::validate(const Params& params) { example::check_wanted(name, params); }
inline std::vector<Tensor> PrimExampleMultipleReturn::run(const Params& params) {
    return example::multiple_return(params);
}
inline void PrimExampleMultipleReturn::cases(CaseMaker& make) { example::multiple_return_cases(make); }

inline void CompositeExampleMultipleReturn::validate(const Params& params) { example::check_wanted(name, params); }
inline std::vector<Tensor> CompositeExampleMultipleReturn::run(const Params& params) {
    return example::multiple_return(params);
}
inline void CompositeExampleMultipleReturn::cases(CaseMaker& make) { example::multiple_return_cases(make); }

}  // namespace ttnn

#endif
