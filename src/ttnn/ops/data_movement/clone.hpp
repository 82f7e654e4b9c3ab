// clone: a copy in a buffer of its own.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Clone {
    static constexpr std::string_view name = "ttnn.clone";
    static constexpr std::string_view doc = "Copies a tensor into a new buffer.";
    struct Params {
        Tensor input_tensor{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device").also("input"),
                                      kw<&Params::dtype>("TILE only; default: the input's"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::compute_kernel_config>("no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(clone, Clone);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/ops/data_movement/typecast.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Clone::reference(const Params& params) {
    return {reference::converted(params.input_tensor, params.dtype.value_or(params.input_tensor.dtype()))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

inline void Clone::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_at_launch([&] {
        require(!params.dtype || *params.dtype == input.dtype() || input.layout() == Layout::TILE,
                "{}: argument 'dtype' is {}, which needs an input in TILE: a ROW_MAJOR one stays {}", name,
                params.dtype.value_or(input.dtype()), input.dtype());
    });
}

inline Tensor Clone::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const DataType dtype = params.dtype.value_or(input.dtype());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        if (dtype != input.dtype()) {
            movement::buffer_for(p, outputs[0], input);
        }
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    return launch({"ttnn::prim::clone", {&input, 1}, program, kernel},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), dtype, input.layout(),
                                          params.memory_config.value_or(input.memory_config()), input.spec().tile()));
}

inline void Clone::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({33, 65}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({3, 40, 64}),
                    .dtype = make.floating() ? DataType::BFLOAT16 : DataType::INT32});
}

}  // namespace ttnn

#endif
