// Attention of sequences that the chips of a mesh share.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"
#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

struct RingJointScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.ring_joint_scaled_dot_product_attention";
    static constexpr std::string_view doc =
        "joint_scaled_dot_product_attention where each chip of a ring has a part of the first sequence and attends to "
        "all of it; also returns the logs of the sums of the softmax.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        std::optional<Tensor> joint_tensor_q{};
        std::optional<Tensor> joint_tensor_k{};
        std::optional<Tensor> joint_tensor_v{};
        Tensor persistent_output_buffer_k{};
        Tensor persistent_output_buffer_v{};
        std::string joint_strategy = "rear";
        int64_t logical_n = 0;
        std::optional<SDPAProgramConfig> program_config{};
        int64_t dim = 2;
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t num_links = 1;
        int64_t cluster_axis = 0;
        std::optional<DeviceHandle> mesh_device{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
        CoreCoord ccl_core_grid_offset{};
        std::optional<double> scale{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool use_column_major_ccl = false;
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_q>("each chip's queries: tile tensor [batch, heads, N / chips, width] in DRAM"),
        arg<&Params::input_tensor_k>("as the queries"),
        arg<&Params::input_tensor_v>("as the queries"),
        opt<&Params::joint_tensor_q>("the same [batch, heads, L, width] on all chips"),
        opt<&Params::joint_tensor_k>("as the joint queries"),
        opt<&Params::joint_tensor_v>("as the joint queries"),
        kwreq<&Params::persistent_output_buffer_k>("room for all keys; stays as it is here"),
        kwreq<&Params::persistent_output_buffer_v>("room for all values; stays as it is here"),
        kw<&Params::joint_strategy>("\"rear\": the joint sequence comes second"),
        kwreq<&Params::logical_n>("keys of the first sequence that count; the rest is padding"),
        kw<&Params::program_config>(attention::program_doc),
        kw<&Params::scale>(attention::scale_doc),
        kw<&Params::compute_kernel_config>(attention::compute_doc),
        kw<&Params::dim>("dimension that chips share: 2"),
        kw<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
        kw<&Params::num_links>("links between chips to use; no effect on results"),
        kw<&Params::cluster_axis>(ccl::axis_doc),
        kw<&Params::mesh_device>("the mesh that the tensors are on"),
        kw<&Params::topology>("how chips are linked; no effect on results"),
        kw<&Params::subdevice_id>("no effect"),
        kw<&Params::ccl_core_grid_offset>("no effect"),
        kw<&Params::use_column_major_ccl>("no effect")};
    static constexpr Tolerance tolerance = attention::tolerance;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct RingDistributedScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.ring_distributed_scaled_dot_product_attention";
    static constexpr std::string_view doc =
        "Causal attention of which each chip of a ring computes two chunks of queries: one from the front and its "
        "counterpart from the end.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        int64_t ring_size = 1;
        std::optional<int64_t> ring_id{};
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> page_table{};
        std::optional<int64_t> chunk_start_idx{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("all queries: tile tensor [batch, heads, S, width] in DRAM"),
                  arg<&Params::input_tensor_k>("[batch, key heads, S, width]; paged: [blocks, key heads, rows, width]"),
                  arg<&Params::input_tensor_v>("as the keys"),
                  arg<&Params::ring_size>("chips that share the queries, an even number"),
                  opt<&Params::ring_id>("place of all chips in the ring, default: that of each chip"),
                  kw<&Params::scale>(attention::scale_doc)} +
        attention::config_fields<Params> +
        FieldList{kw<&Params::page_table>(attention::pages_doc),
                  kw<&Params::chunk_start_idx>("position of the first query; needs a page table")};
    static constexpr Tolerance tolerance = attention::tolerance;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<RingJointScaledDotProductAttention> ring_joint_scaled_dot_product_attention{};
inline constexpr Op<RingDistributedScaledDotProductAttention> ring_distributed_scaled_dot_product_attention{};
}  // namespace transformer

TTNN_DECLARATION(RingJointScaledDotProductAttention);
TTNN_DECLARATION(RingDistributedScaledDotProductAttention);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <algorithm>
#include <cmath>

#include "ttnn/reference/attention.hpp"
#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {

inline double default_scale(const Tensor& q) { return 1.0 / std::sqrt(static_cast<double>(q.logical_shape()[3])); }

// The parts of these chips one after the other.
inline HeadRow ring_rows(const Tensor& tensor, const std::vector<uint32_t>& chips) {
    std::vector<HeadRow> parts;
    for (const uint32_t chip : chips) {
        parts.push_back(rows_of(tensor.part(chip)));
    }
    return [parts, rows = tensor.logical_shape()[2]](size_t batch, size_t head, size_t index, std::span<double> to) {
        parts[index / rows](batch, head, index % rows, to);
    };
}

// Where a chip stands in a ring along the last dimension of the mesh of that size, else among all chips.
inline uint32_t place_in_ring(const MeshShape& mesh, uint32_t chip, uint32_t size) {
    const std::vector<uint32_t> place = mesh.coordinate_of(chip).values;
    for (size_t i = place.size(); i-- > 0;) {
        if (mesh.dims[i] == size) {
            return place[i];
        }
    }
    return chip % size;
}

}  // namespace reference

inline std::vector<reference::Array> RingJointScaledDotProductAttention::mesh_reference(const Params& p,
                                                                                        uint32_t chip) {
    const auto chips = reference::members(reference::mesh_of(p.input_tensor_k), p.cluster_axis, chip);
    const auto logical = static_cast<size_t>(p.logical_n);
    const bool joint = p.joint_tensor_k && p.joint_tensor_k->logical_volume() > 0;
    const size_t more = joint ? p.joint_tensor_k->logical_shape()[2] : 0;
    const auto rows = [&](const Tensor& tensor, const std::optional<Tensor>& second) {
        reference::HeadRow own = reference::ring_rows(tensor, chips);
        return joint ? reference::joined(own, logical, reference::rows_of(second->part(chip))) : own;
    };
    reference::Attention problem{.shape = p.input_tensor_q.logical_shape(),
                                 .keys = logical + more,
                                 .width = p.input_tensor_q.logical_shape()[3],
                                 .scale = p.scale.value_or(reference::default_scale(p.input_tensor_q)),
                                 .query = reference::rows_of(p.input_tensor_q.part(chip)),
                                 .key = rows(p.input_tensor_k, p.joint_tensor_k),
                                 .value = rows(p.input_tensor_v, p.joint_tensor_v),
                                 .key_heads = p.input_tensor_k.logical_shape()[1],
                                 .value_heads = p.input_tensor_v.logical_shape()[1],
                                 .sees = [](size_t, size_t, size_t) { return true; }};
    const reference::Array own = reference::attention(problem);
    const reference::Array own_logs = reference::attention_log_sums(problem);
    problem.shape[2] = static_cast<uint32_t>(more);
    if (joint) {
        problem.query = reference::rows_of(p.joint_tensor_q->part(chip));
    }
    const reference::Array other = reference::attention(problem);
    const reference::Array other_logs = reference::attention_log_sums(problem);
    const uint32_t count = own_logs.shape[2];
    Shape shape = own_logs.shape;
    shape[2] += static_cast<uint32_t>(more);
    const reference::Array logs = reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[2] -= index[2] < count ? 0 : count;
        return index[2] < count ? own_logs.at(source) : other_logs.at(source);
    });
    return {own, other, logs};
}

inline std::vector<reference::Array> RingDistributedScaledDotProductAttention::mesh_reference(const Params& p,
                                                                                              uint32_t chip) {
    const auto size = static_cast<uint32_t>(p.ring_size);
    const uint32_t place = p.ring_id ? static_cast<uint32_t>(*p.ring_id)
                                     : reference::place_in_ring(reference::mesh_of(p.input_tensor_q), chip, size);
    const auto part = [&](const std::optional<Tensor>& tensor) {
        return tensor ? std::optional(tensor->part(chip)) : std::nullopt;
    };
    const reference::Array all = reference::prefill({.op = name,
                                                     .q = p.input_tensor_q.part(chip),
                                                     .k = p.input_tensor_k.part(chip),
                                                     .v = part(p.input_tensor_v),
                                                     .scale = p.scale,
                                                     .page_table = part(p.page_table),
                                                     .chunk_start_idx = p.chunk_start_idx});
    Shape shape = all.shape;
    const uint32_t chunk = shape[2] / (2 * size);
    shape[2] = 2 * chunk;
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[2] = index[2] < chunk ? place * chunk + index[2] : (2 * size - 2 - place) * chunk + index[2];
        return all.at(source);
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"

namespace ttnn {

namespace attention {
void validate_ring(const RingJointScaledDotProductAttention::Params& params);
std::tuple<Tensor, Tensor, Tensor> run_ring(const RingJointScaledDotProductAttention::Params& params);
void validate_ring(const RingDistributedScaledDotProductAttention::Params& params);
Tensor run_ring(const RingDistributedScaledDotProductAttention::Params& params);
}  // namespace attention

inline void RingJointScaledDotProductAttention::validate(const Params& params) { attention::validate_ring(params); }
inline void RingDistributedScaledDotProductAttention::validate(const Params& params) {
    attention::validate_ring(params);
}

inline std::tuple<Tensor, Tensor, Tensor> RingJointScaledDotProductAttention::run(const Params& params) {
    return attention::run_ring(params);
}
inline Tensor RingDistributedScaledDotProductAttention::run(const Params& params) {
    return attention::run_ring(params);
}

inline Domain RingJointScaledDotProductAttention::domain(const Params&, std::string_view field) {
    return attention::domain_of_operand(field);
}
inline Domain RingDistributedScaledDotProductAttention::domain(const Params& params, std::string_view field) {
    return field == "page_table" ? attention::domain_of_pages(params.input_tensor_k)
                                 : attention::domain_of_operand(field);
}

inline void RingJointScaledDotProductAttention::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    for (size_t axis = 0; axis < mesh.rank(); ++axis) {
        const uint32_t chips = mesh.dims[axis];
        const auto part = [&] { return ccl::spread(make, {1, 2, 64, 64}); };
        const auto room = [&] { return ccl::spread(make, {1, 2, 64 * chips, 64}); };
        const auto joint = [&] { return ccl::spread(make, {1, 2, 40, 64}); };
        make.add(Params{.input_tensor_q = part(),
                        .input_tensor_k = part(),
                        .input_tensor_v = part(),
                        .joint_tensor_q = joint(),
                        .joint_tensor_k = joint(),
                        .joint_tensor_v = joint(),
                        .persistent_output_buffer_k = room(),
                        .persistent_output_buffer_v = room(),
                        .logical_n = 64 * int64_t{chips} - 13,
                        .program_config = attention::chunks(32, 64),
                        .cluster_axis = static_cast<int64_t>(axis)});
        make.add(Params{.input_tensor_q = part(),
                        .input_tensor_k = part(),
                        .input_tensor_v = part(),
                        .persistent_output_buffer_k = room(),
                        .persistent_output_buffer_v = room(),
                        .logical_n = 64 * int64_t{chips},
                        .program_config = attention::chunks(64, 32),
                        .cluster_axis = static_cast<int64_t>(axis),
                        .topology = CclTopology::Linear,
                        .scale = 0.25});
    }
}

inline void RingDistributedScaledDotProductAttention::cases(CaseMaker& make) {
    const Tensor q = ccl::spread(make, {2, 4, 256, 64});
    const Tensor k = ccl::spread(make, {2, 2, 256, 64});
    make.add(Params{.input_tensor_q = q, .input_tensor_k = k, .input_tensor_v = k, .ring_size = 4});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = k,
                    .input_tensor_v = ccl::spread(make, {2, 2, 256, 64}),
                    .ring_size = 2,
                    .ring_id = 1,
                    .scale = 0.25,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(64, 32)});
    const Tensor blocks = ccl::spread(make, {12, 2, 64, 64});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = blocks,
                    .input_tensor_v = blocks,
                    .ring_size = 2,
                    .page_table = make.interleaved({2, 6}, DataType::INT32, Layout::ROW_MAJOR),
                    .chunk_start_idx = 64});
}

}  // namespace ttnn

#endif
