// composite_example: the documented skeleton of an operation. Copy this file to add the next one
// (docs/adding-an-operation.md goes through it line by line).
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct CompositeExample {
    static constexpr std::string_view name = "ttnn.composite_example";
    static constexpr std::string_view doc = "Copies its input; shows how an operation is declared.";
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

TTNN_OPERATION(composite_example, CompositeExample);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::CompositeExample::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {

inline Tensor CompositeExample::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor>) {
        p.circular_buffer(p.split(input.spec().num_pages()), 2 * page_bytes(input));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        if (is_integer(inputs[0].dtype())) {
            compute::map_bits(inputs[0], outputs[0], [](uint32_t*, size_t) {});
        } else {
            compute::map(inputs[0], outputs[0], [](float*, size_t) {});
        }
    };
    return launch({"ttnn::prim::example", {&input, 1}, program, kernel}, input.spec());
}

inline void CompositeExample::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 65})});
}

}  // namespace ttnn

#endif
