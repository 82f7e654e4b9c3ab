// What the operations between tokens and experts share: where experts live, and what fits together.
#pragma once

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn::indexing {

// A mapping is [1, 1, experts, chips]; all chips have the same number of experts.
inline void check_mapping(std::string_view op, std::string_view argument, const Tensor& mapping, const Tensor& tokens) {
    const Shape& shape = mapping.logical_shape();
    const uint32_t chips = tokens.device()->num_chips();
    require(shape.rank() == 4 && shape[0] == 1 && shape[1] == 1 && shape[3] == chips && shape[2] % chips == 0,
            "{}: argument '{}' must be [1, 1, experts, {}] with the same number of experts for {} chips, got {}", op,
            argument, chips, chips, shape);
    check_at_launch([&] {
        check_dtype(op, argument, mapping, {DataType::UINT16});
        check_layout(op, argument, mapping, Layout::ROW_MAJOR);
    });
}
inline uint32_t experts_per_chip(const Tensor& mapping) {
    return mapping.logical_shape()[2] / mapping.logical_shape()[3];
}

inline void check_rows(std::string_view op, std::string_view argument, const Tensor& tensor, DataType dtype) {
    check_dtype(op, argument, tensor, {dtype});
    check_layout(op, argument, tensor, Layout::ROW_MAJOR);
    check_interleaved(op, argument, tensor);
}

// Rows of tokens, their experts and the mapping, on the cores that drive the links.
inline void expert_program(Program& program, std::span<const Tensor> tensors, const std::optional<int64_t>& links) {
    for (const Tensor& tensor : tensors) {
        ccl::link_buffers(program, tensor, links);
    }
}

// Experts live on the chips in turn, so that all have the same number of them.
inline Domain expert_domain(const Tensor& mapping, bool experts, bool lives) {
    if (experts) {
        return Domain::integer(0, std::max(mapping.logical_shape().from_end(1), 1U) - 1);
    }
    return lives ? Domain::one_hot() : Domain::real(-1.0, 1.0);
}

// Of a case: interleaved rows that are other ones on every chip.
inline Tensor expert_rows(const CaseMaker& make, const Shape& shape, DataType dtype) {
    return make.interleaved(shape, dtype, Layout::ROW_MAJOR);
}

}  // namespace ttnn::indexing
