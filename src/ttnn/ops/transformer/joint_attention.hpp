// Attention over two sequences at once, one behind the other.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

struct JointScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.joint_scaled_dot_product_attention";
    static constexpr std::string_view doc =
        "Attention of two sequences to both of them; the results are two tensors again.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        Tensor joint_tensor_q{};
        Tensor joint_tensor_k{};
        Tensor joint_tensor_v{};
        std::string joint_strategy = "rear";
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<double> scale{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = std::tuple<Tensor, Tensor>;
    static constexpr FieldList fields{arg<&Params::input_tensor_q>("tile tensor [batch, heads, N, width] in DRAM"),
                                      arg<&Params::input_tensor_k>("as the queries"),
                                      arg<&Params::input_tensor_v>("as the queries"),
                                      arg<&Params::joint_tensor_q>("[batch, heads, L, width]"),
                                      arg<&Params::joint_tensor_k>("as the joint queries"),
                                      arg<&Params::joint_tensor_v>("as the joint queries"),
                                      kw<&Params::joint_strategy>("\"rear\": the joint sequence comes second"),
                                      kw<&Params::program_config>(attention::program_doc),
                                      kw<&Params::scale>(attention::scale_doc),
                                      kw<&Params::compute_kernel_config>(attention::compute_doc)};
    static constexpr Tolerance tolerance = attention::tolerance;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<JointScaledDotProductAttention> joint_scaled_dot_product_attention{};
}  // namespace transformer

TTNN_DECLARATION(JointScaledDotProductAttention);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/attention.hpp"

inline std::vector<ttnn::reference::Array> ttnn::JointScaledDotProductAttention::reference(const Params& p) {
    const double scale = p.scale.value_or(1.0 / std::sqrt(static_cast<double>(p.input_tensor_q.logical_shape()[3])));
    const reference::HeadRow keys =
        reference::joined(reference::rows_of(p.input_tensor_k), p.input_tensor_k.logical_shape()[2],
                          reference::rows_of(p.joint_tensor_k));
    const reference::HeadRow values =
        reference::joined(reference::rows_of(p.input_tensor_v), p.input_tensor_k.logical_shape()[2],
                          reference::rows_of(p.joint_tensor_v));
    std::vector<reference::Array> results;
    for (const Tensor& q : {p.input_tensor_q, p.joint_tensor_q}) {
        const Shape& shape = q.logical_shape();
        results.push_back(reference::attention(
            {.shape = shape,
             .keys = size_t{p.input_tensor_k.logical_shape()[2]} + p.joint_tensor_k.logical_shape()[2],
             .width = shape[3],
             .scale = scale,
             .query = reference::rows_of(q),
             .key = keys,
             .value = values,
             .key_heads = shape[1],
             .value_heads = shape[1],
             .sees = [](size_t, size_t, size_t) { return true; }}));
    }
    return results;
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

namespace attention {

inline constexpr std::string_view joint_primitive = "ttnn::prim::joint_scaled_dot_product_attention";

inline void check_joint(const JointScaledDotProductAttention::Params& p) {
    constexpr std::string_view op = JointScaledDotProductAttention::name;
    require(p.joint_strategy == "rear", "{}: argument 'joint_strategy' must be \"rear\", got \"{}\"", op,
            p.joint_strategy);
    const Shape& q = p.input_tensor_q.logical_shape();
    const auto check = [&](std::string_view argument, const Tensor& tensor, const Tensor& like) {
        check_dram_operand(op, argument, tensor);
        require(tensor.dtype() == p.input_tensor_q.dtype(), "{}: argument '{}' must have {}, got {}", op, argument,
                p.input_tensor_q.dtype(), tensor.dtype());
        Shape wanted = q;
        wanted[2] = like.logical_shape()[2];
        require(tensor.logical_shape() == wanted, "{}: argument '{}' must be {}, got {}", op, argument, wanted,
                tensor.logical_shape());
    };
    check_dram_operand(op, "input_tensor_q", p.input_tensor_q);
    check_dram_operand(op, "joint_tensor_q", p.joint_tensor_q);
    require(p.input_tensor_q.dtype() != DataType::BFLOAT4_B, "{}: argument 'input_tensor_q' must not have BFLOAT4_B",
            op);
    check("input_tensor_k", p.input_tensor_k, p.input_tensor_k);
    check("input_tensor_v", p.input_tensor_v, p.input_tensor_k);
    check("joint_tensor_q", p.joint_tensor_q, p.joint_tensor_q);
    check("joint_tensor_k", p.joint_tensor_k, p.joint_tensor_k);
    check("joint_tensor_v", p.joint_tensor_v, p.joint_tensor_k);
    check_chunks(op, p.program_config);
}

inline TensorSpec joint_output(const Tensor& q) { return TensorSpec(q.logical_shape(), q.dtype(), Layout::TILE); }

}  // namespace attention

inline void JointScaledDotProductAttention::validate(const Params& p) {
    check_primitive(
        attention::joint_primitive, [&] { attention::check_joint(p); },
        [&] {
            return std::vector<Tensor>{p.input_tensor_q, p.input_tensor_k, p.input_tensor_v,
                                       p.joint_tensor_q, p.joint_tensor_k, p.joint_tensor_v};
        },
        [&] { return attention::joint_output(p.input_tensor_q); });
}

inline std::tuple<Tensor, Tensor> JointScaledDotProductAttention::run(const Params& p) {
    const Tensor inputs[] = {p.input_tensor_q, p.input_tensor_k, p.input_tensor_v,
                             p.joint_tensor_q, p.joint_tensor_k, p.joint_tensor_v};
    const auto program = [&](Program& made, std::span<const Tensor> outputs) {
        const uint64_t queries = p.input_tensor_q.logical_shape()[2];
        const uint64_t joint = p.joint_tensor_q.logical_shape()[2];
        const bool padded = attention::is_padded(p.program_config, queries, p.input_tensor_k.logical_shape()[2]) ||
                            attention::is_padded(p.program_config, joint, p.joint_tensor_k.logical_shape()[2]);
        attention::declare_chunks(made, {.q = p.input_tensor_q,
                                         .k = p.input_tensor_k,
                                         .v = p.input_tensor_v,
                                         .output = outputs[0],
                                         .value_width = p.input_tensor_v.logical_shape()[3],
                                         .mask = padded ? std::optional(DataType::BFLOAT4_B) : std::nullopt,
                                         .config = p.program_config});
    };
    const auto kernel = [&](std::span<const Tensor> tensors, std::span<Tensor> outputs) {
        const auto both = [&](size_t first, size_t second) {
            compute::KeySequence sequence = attention::sequence_of(tensors[first]);
            sequence.parts.push_back({tensors[second], tensors[second].logical_shape()[2]});
            return sequence;
        };
        const compute::KeySequence keys = both(1, 4);
        const compute::KeySequence values = both(2, 5);
        for (size_t i = 0; i < 2; ++i) {
            attention::attend_all(tensors[3 * i], keys, values, attention::scale_of(p.scale, tensors[0]), outputs[i]);
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(p.input_tensor_q).add(p.input_tensor_k).add(p.input_tensor_v).add(p.joint_tensor_q);
        list.add(p.joint_tensor_k).add(p.joint_tensor_v).add(p.joint_strategy).add(p.program_config).add(p.scale);
        list.add(p.compute_kernel_config);
    };
    const OutputSlot slots[] = {{attention::joint_output(p.input_tensor_q)},
                                {attention::joint_output(p.joint_tensor_q)}};
    std::vector<Tensor> results = launch({attention::joint_primitive, inputs, program, kernel, arguments}, slots);
    return {std::move(results[0]), std::move(results[1])};
}

inline Domain JointScaledDotProductAttention::domain(const Params&, std::string_view field) {
    return attention::domain_of_operand(field);
}

inline void JointScaledDotProductAttention::cases(CaseMaker& make) {
    const auto tensor = [&](uint32_t rows) { return make.tensor({2, 2, rows, 64}); };
    make.add(Params{.input_tensor_q = tensor(70),
                    .input_tensor_k = tensor(70),
                    .input_tensor_v = tensor(70),
                    .joint_tensor_q = tensor(33),
                    .joint_tensor_k = tensor(33),
                    .joint_tensor_v = tensor(33)});
    make.add(Params{.input_tensor_q = tensor(64),
                    .input_tensor_k = tensor(64),
                    .input_tensor_v = tensor(64),
                    .joint_tensor_q = tensor(32),
                    .joint_tensor_k = tensor(32),
                    .joint_tensor_v = tensor(32),
                    .program_config = attention::chunks(64, 32),
                    .scale = 0.25});
}

}  // namespace ttnn

#endif
