// prim.example: the device operation under composite_example as an operation of its own.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct PrimExample {
    static constexpr std::string_view name = "ttnn.prim.example";
    static constexpr std::string_view doc = "Copies its input to interleaved DRAM.";
    struct Params {
        Tensor input_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device, any dtype and layout")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace prim {
inline constexpr Op<PrimExample> example{};
}
TTNN_DECLARATION(PrimExample);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::PrimExample::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/example/copies.hpp"

namespace ttnn {

inline Tensor PrimExample::run(const Params& params) {
    const bool wanted[] = {true};
    return example::copies("ttnn::prim::example", params.input_tensor, wanted, no_arguments).front();
}

inline void PrimExample::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 65})});
}

}  // namespace ttnn

#endif
