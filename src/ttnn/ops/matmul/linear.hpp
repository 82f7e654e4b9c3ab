// linear: a product with bias and activation.
#pragma once

#include "ttnn/ops/matmul/matmul_rules.hpp"

namespace ttnn {

struct Linear {
    static constexpr std::string_view name = "ttnn.linear";
    static constexpr std::string_view doc =
        "activation(a @ b + bias), as matmul with a bias that is added to every row.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        std::optional<Tensor> bias{};
        bool transpose_a = false;
        bool transpose_b = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<Activation> activation{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
        std::optional<Tile> output_tile{};
        std::optional<Tensor> optional_output_tensor{};
        std::optional<int64_t> global_cb{};
        std::optional<int64_t> sub_device_id{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_a>("tile tensor with a floating dtype"),
                  arg<&Params::input_tensor_b>("tile tensor of weights; without a bias it may have batches"),
                  kw<&Params::bias>("tile tensor with as many columns as the result")} +
        matmul_rules::product_fields<Params>;
    static matmul_rules::Arguments arguments(const Params& p) { return matmul_rules::product_arguments(name, p); }
    static void validate(const Params& params) { matmul_rules::validate(arguments(params)); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(linear, Linear);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Linear::reference(const Params& params) {
    return {reference::linear(matmul_rules::reference_call(arguments(params)))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/matmul/matmul_program.hpp"

namespace ttnn {

inline Tensor Linear::run(const Params& params) { return matmul_program::run(arguments(params)); }

inline void Linear::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = make.tensor({1, 1, 64, 96}),
                    .input_tensor_b = plain({1, 1, 96, 128}),
                    .bias = plain({1, 1, 1, 128})});
    make.add(Params{.input_tensor_a = make.tensor({2, 33, 65}),
                    .input_tensor_b = plain({65, 34}),
                    .bias = plain({1, 34}),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor_a = make.tensor({2, 64, 32}),
                    .input_tensor_b = plain({40, 32}),
                    .bias = plain({32, 40}),
                    .transpose_b = true});
    make.add(Params{.input_tensor_a = make.tensor({32, 64}),
                    .input_tensor_b = plain({64, 60}),
                    .bias = plain({64}),
                    .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor_a = plain({32, 64}),
                    .input_tensor_b = plain({64, 64}),
                    .bias = plain({64}),
                    .activation = Activation("silu"),
                    .core_grid = CoreGrid{2, 1}});
    make.add(Params{.input_tensor_a = plain({2, 32, 64}),
                    .input_tensor_b = plain({2, 64, 64}),
                    .activation = Activation(UnaryWithParam(UnaryOpType::RELU))});
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {4, 1};
    config.per_core_M = 2;
    config.per_core_N = 1;
    config.fused_activation = UnaryWithParam(UnaryOpType::TANH);
    make.add(Params{.input_tensor_a = make.tensor({64, 64}),
                    .input_tensor_b = plain({64, 128}),
                    .bias = plain({128}),
                    .memory_config = MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1),
                    .program_config = config});
    config.untilize_out = true;
    make.add(
        Params{.input_tensor_a = make.tensor({64, 64}), .input_tensor_b = plain({64, 128}), .program_config = config});
}

}  // namespace ttnn

#endif
