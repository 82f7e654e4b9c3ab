// fill_implicit_tile_padding: gives the hidden padding of a tile tensor a value.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct FillImplicitTilePadding {
    static constexpr std::string_view name = "ttnn.fill_implicit_tile_padding";
    static constexpr std::string_view doc = "Rewrites the hidden tile padding of a tensor; the elements stay.";
    struct Params {
        Tensor input_tensor{};
        double fill_value = 0.0;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::fill_value>("value of the padding"),
                                      kw<&Params::memory_config>("default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fill_implicit_tile_padding, FillImplicitTilePadding);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::FillImplicitTilePadding::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"

namespace ttnn {

namespace movement {

inline bool nothing_to_fill(const Tensor& tensor) {
    return tensor.layout() == Layout::ROW_MAJOR || !has_padding(tensor);
}

inline Tensor fill_padding(const Tensor& input, double value, const MemoryConfig& config) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        buffer_for(p, outputs[0], outputs[0], 1);
        p.circular_buffer(p.split(outputs[0].spec().num_pages()), page_bytes(outputs[0]));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::refill(inputs[0], outputs[0], value);
    };
    return launch({"ttnn::prim::fill_pad", {&input, 1}, program, kernel},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), input.dtype(), input.layout(),
                                          config, input.spec().tile()));
}

}  // namespace movement

inline void FillImplicitTilePadding::validate(const Params& params) {
    if (!movement::nothing_to_fill(params.input_tensor)) {
        check_at_launch([&] {
            check_dtype(name, "input_tensor", params.input_tensor,
                        {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16,
                         DataType::BFLOAT8_B});
        });
    }
}

inline Tensor FillImplicitTilePadding::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (movement::nothing_to_fill(input)) {
        return input;
    }
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    if (!is_block_float(input.dtype())) {
        return movement::fill_padding(input, params.fill_value, config);
    }
    // Block floats are filled as BFLOAT16 and stay so from rank 4 on.
    Tensor wide = movement::fill_padding(typecast(input, DataType::BFLOAT16), params.fill_value, config);
    return input.logical_shape().rank() >= 4 ? wide : typecast(wide, input.dtype());
}

inline void FillImplicitTilePadding::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 65}), .fill_value = 7.0});
    make.add(Params{.input_tensor = make.tensor({40, 64}), .fill_value = -1.0});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .fill_value = 1.0});
}

}  // namespace ttnn

#endif
