// matmul_batched_weights: one tensor times each of several.
#pragma once

#include "ttnn/ops/matmul/matmul.hpp"

namespace ttnn {

struct MatmulBatchedWeights {
    static constexpr std::string_view name = "ttnn.matmul_batched_weights";
    static constexpr std::string_view doc = "The products of a tensor with each of a list of weights.";
    struct Params {
        Tensor input_tensor_a{};
        std::vector<Tensor> input_tensors_b{};
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
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_a>("tile tensor with a floating dtype"),
                  arg<&Params::input_tensors_b>("tile tensors, each as the second one of matmul")} +
        matmul_rules::product_fields<Params>;

    static Matmul::Params product(const Params& p, size_t index) {
        return {.input_tensor_a = p.input_tensor_a,
                .input_tensor_b = p.input_tensors_b[index],
                .transpose_a = p.transpose_a,
                .transpose_b = p.transpose_b,
                .memory_config = p.memory_config,
                .dtype = p.dtype,
                .program_config = p.program_config,
                .activation = p.activation,
                .compute_kernel_config = p.compute_kernel_config,
                .core_grid = p.core_grid,
                .output_tile = p.output_tile,
                .optional_output_tensor = p.optional_output_tensor,
                .global_cb = p.global_cb,
                .sub_device_id = p.sub_device_id};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(matmul_batched_weights, MatmulBatchedWeights);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::MatmulBatchedWeights::reference(const Params& params) {
    std::vector<reference::Array> products;
    for (size_t i = 0; i < params.input_tensors_b.size(); ++i) {
        products.push_back(Matmul::reference(product(params, i))[0]);
    }
    return products;
}

#else

#include "ttnn/check/case_maker.hpp"

namespace ttnn {

inline void MatmulBatchedWeights::validate(const Params& params) {
    require(!params.input_tensors_b.empty(), "{}: argument 'input_tensors_b' must hold a tensor", name);
    require(!params.optional_output_tensor || params.input_tensors_b.size() == 1,
            "{}: argument 'optional_output_tensor' has no room for {} products", name, params.input_tensors_b.size());
}

inline std::vector<Tensor> MatmulBatchedWeights::run(const Params& params) {
    std::vector<Tensor> products;
    for (size_t i = 0; i < params.input_tensors_b.size(); ++i) {
        products.push_back(matmul.with(product(params, i)));
    }
    return products;
}

inline void MatmulBatchedWeights::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = make.tensor({1, 1, 64, 96}),
                    .input_tensors_b = {plain({1, 1, 96, 128}), plain({1, 1, 96, 64})}});
    make.add(Params{.input_tensor_a = make.tensor({33, 65}),
                    .input_tensors_b = {plain({34, 65}), plain({40, 65}), plain({34, 65})},
                    .transpose_b = true,
                    .memory_config = l1_memory_config(),
                    .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor_a = make.tensor({32, 64}),
                    .input_tensors_b = {plain({64, 32})},
                    .optional_output_tensor = make.interleaved({32, 32}, make.dtype(), Layout::TILE)});
}

}  // namespace ttnn

#endif
