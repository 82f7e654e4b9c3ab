// experimental.typecast: the former name of typecast, with its former arguments.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ExperimentalTypecast {
    static constexpr std::string_view name = "ttnn.experimental.typecast";
    static constexpr std::string_view doc = "Converts a tensor to another data type; what ttnn.typecast does.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::INVALID;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> optional_output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"), arg<&Params::dtype>("data type of the result"),
        opt<&Params::memory_config>("same memory layout as the input; default: its config"),
        opt<&Params::optional_output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<ExperimentalTypecast> typecast{};
}
TTNN_DECLARATION(ExperimentalTypecast);

}  // namespace ttnn

#include "ttnn/ops/data_movement/typecast.hpp"

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::ExperimentalTypecast::reference(const Params& params) {
    return {reference::converted(params.input_tensor, params.dtype)};
}

#else

namespace ttnn {

inline Tensor ExperimentalTypecast::run(const Params& params) {
    return typecast(params.input_tensor, params.dtype,
                    {.memory_config = params.memory_config, .output_tensor = params.optional_output_tensor});
}

inline Domain ExperimentalTypecast::domain(const Params& params, std::string_view) {
    return movement::castable(params.dtype);
}

inline void ExperimentalTypecast::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 64, 32}), .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor = make.tensor({33, 40}), .dtype = DataType::FLOAT32});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .dtype = DataType::INT32});
}

}  // namespace ttnn

#endif
