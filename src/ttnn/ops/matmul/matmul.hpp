// matmul: products of matrices and of batches of them.
#pragma once

#include "ttnn/ops/matmul/matmul_rules.hpp"

namespace ttnn {

struct Matmul {
    static constexpr std::string_view name = "ttnn.matmul";
    static constexpr std::string_view doc = "Product of two tensors' last two dimensions, leading ones as batches.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
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
                  arg<&Params::input_tensor_b>("tile tensor; its batch dimensions are all 1 or those of the first")} +
        matmul_rules::product_fields<Params>;
    static matmul_rules::Arguments arguments(const Params& p) { return matmul_rules::product_arguments(name, p); }
    static void validate(const Params& params) { matmul_rules::validate(arguments(params)); }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(matmul, Matmul);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/matmul.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Matmul::reference(const Params& params) {
    return {reference::linear(matmul_rules::reference_call(arguments(params)))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/matmul/matmul_program.hpp"

namespace ttnn {

inline Tensor Matmul::run(const Params& params) { return matmul_program::run(arguments(params)); }

inline void Matmul::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = make.tensor({1, 1, 64, 96}), .input_tensor_b = plain({1, 1, 96, 128})});
    make.add(Params{.input_tensor_a = make.tensor({33, 65}), .input_tensor_b = plain({65, 34})});
    make.add(Params{.input_tensor_a = make.tensor({2, 3, 32, 64}), .input_tensor_b = plain({64, 40})});
    make.add(Params{.input_tensor_a = make.tensor({2, 3, 32, 64}), .input_tensor_b = plain({2, 3, 64, 32})});
    make.add(Params{.input_tensor_a = make.tensor({64, 40}),
                    .input_tensor_b = plain({1, 1, 50, 64}),
                    .transpose_a = true,
                    .transpose_b = true});
    make.add(Params{.input_tensor_a = make.tensor({1, 2, 64, 32}),
                    .input_tensor_b = plain({1, 2, 64, 96}),
                    .transpose_a = true,
                    .dtype = DataType::FLOAT32});
    make.add(Params{.input_tensor_a = make.tensor({3, 32, 64}),
                    .input_tensor_b = plain({64}),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor_a = plain({64}), .input_tensor_b = make.tensor({64, 96})});
    make.add(Params{.input_tensor_a = plain({64}), .input_tensor_b = plain({64})});
    make.add(Params{.input_tensor_a = make.tensor({32, 64}),
                    .input_tensor_b = make.interleaved({64, 64}, DataType::BFLOAT8_B, Layout::TILE),
                    .core_grid = CoreGrid{2, 1}});
    make.add(
        Params{.input_tensor_a = plain({64, 64}), .input_tensor_b = plain({64, 96}), .activation = Activation("gelu")});
    make.add(
        Params{.input_tensor_a = make.tensor({64, 64}),
               .input_tensor_b = plain({64, 96}),
               .optional_output_tensor = make.interleaved({64, 96}, DataType::BFLOAT16, Layout::TILE, BufferType::L1)});
    make.add(Params{.input_tensor_a = plain({32, 0}), .input_tensor_b = plain({0, 32})});
}

}  // namespace ttnn

#endif
