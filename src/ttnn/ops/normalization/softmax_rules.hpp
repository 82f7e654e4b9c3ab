// What the softmax operations share: their arguments and the forms of a mask.
#pragma once

#include "ttnn/op/parameter_types.hpp"

namespace ttnn::softmax_rules {

// How a mask's rows belong to the rows of an input [N, C, H, W].
enum class MaskForm : uint8_t {
    NONE,
    ROW,     // one row per batch: [N, 1, 1, W], or row-major [N, 1, W / 32, 32]
    CAUSAL,  // a matrix per batch: [N, 1, H, W]
    SHARED,  // one matrix for all: [1, 1, H, W]
    FULL,    // the input's own shape
};

// The arguments of a softmax, whichever operation asks for it.
struct Arguments {
    std::string_view op;
    const Tensor& input;
    int64_t dim = -1;
    std::optional<double> scale{};
    std::optional<Tensor> mask{};
    MaskForm mask_form = MaskForm::NONE;
    bool in_place = false;
    std::optional<MemoryConfig> memory_config{};
    SoftmaxProgramConfig program_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    bool numeric_stable = true;
};

inline MaskForm mask_form(const std::optional<Tensor>& mask, bool is_causal_mask) {
    if (!mask) {
        return MaskForm::NONE;
    }
    if (mask->is_sharded()) {
        return MaskForm::FULL;
    }
    return is_causal_mask ? MaskForm::CAUSAL : MaskForm::ROW;
}

// Where in the mask's numbers the row that goes with row `row` of the input starts.
inline size_t mask_offset(MaskForm form, const Shape& input, const Shape& mask, size_t row) {
    const size_t width = input.from_end(0);
    const size_t height = input.from_end(1);
    const size_t batch = row / height / input.from_end(2);
    switch (form) {
        case MaskForm::ROW: return batch * (mask.volume() / mask.from_end(3));
        case MaskForm::CAUSAL: return (batch * height + row % height) * width;
        case MaskForm::SHARED: return row % height * width;
        default: return row * width;
    }
}

}  // namespace ttnn::softmax_rules
