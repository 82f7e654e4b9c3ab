// deepseek_moe_reduce_scatter: every chip of a group keeps the sum of its own part of a tensor that lies in parts.
#pragma once

#include "ttnn/ops/ccl/reduce_scatter.hpp"

namespace ttnn {

struct DeepseekMoeReduceScatter {
    static constexpr std::string_view name = "ttnn.experimental.deepseek_moe_reduce_scatter";
    static constexpr std::string_view doc =
        "reduce_scatter of tensors that lie beside each other: one for each chip of a group.";
    struct Params {
        std::vector<Tensor> input_tensors{};
        MemoryConfig output_memory_config{};
        int64_t dim = 0;
        std::optional<int64_t> num_links = 4;
        std::optional<CclTopology> topology = CclTopology::Ring;
        std::optional<int64_t> cluster_axis{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensors>("tensors of one shape on a mesh, as many as a group has chips"),
        arg<&Params::output_memory_config>("of the result"),
        arg<&Params::dim>("dimension along which the tensors lie beside each other, negative from the end"),
        kw<&Params::num_links>("links between chips, no effect on results"),
        kw<&Params::topology>("how chips are connected, no effect on results"),
        kw<&Params::cluster_axis>(ccl::axis_doc)};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<DeepseekMoeReduceScatter> deepseek_moe_reduce_scatter{};
}
TTNN_DECLARATION(DeepseekMoeReduceScatter);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::DeepseekMoeReduceScatter::mesh_reference(const Params& params,
                                                                                          uint32_t chip) {
    const Tensor& first = params.input_tensors.front();
    const std::vector<uint32_t> chips = reference::members(reference::mesh_of(first), params.cluster_axis, chip);
    return {reference::summed(params.input_tensors[reference::place_among(chips, chip)], chips)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/concat.hpp"

namespace ttnn {

inline void DeepseekMoeReduceScatter::validate(const Params& params) {
    require(!params.input_tensors.empty(), "{}: argument 'input_tensors' must hold a tensor", name);
    const Tensor& first = params.input_tensors.front();
    require(params.cluster_axis || first.device()->mesh().is_line(),
            "{}: argument 'cluster_axis' is needed on a mesh of more than one dimension", name);
    const uint32_t chips = ccl::group_size(first, ccl::mesh_axis(name, first, params.cluster_axis));
    require(params.input_tensors.size() == chips,
            "{}: argument 'input_tensors' must hold one tensor for each of {} chips, got {}", name, chips,
            params.input_tensors.size());
    for (const Tensor& tensor : params.input_tensors) {
        require(tensor.logical_shape() == first.logical_shape(),
                "{}: argument 'input_tensors' must hold tensors of one shape, got {} and {}", name,
                first.logical_shape(), tensor.logical_shape());
    }
}

inline Tensor DeepseekMoeReduceScatter::run(const Params& params) {
    const std::optional<MemoryConfig> between(MemoryConfig{});
    const Tensor whole = params.input_tensors.size() == 1
                             ? params.input_tensors.front()
                             : concat(params.input_tensors, {.dim = params.dim, .memory_config = between});
    return reduce_scatter.with({.input_tensor = whole,
                                .dim = params.dim,
                                .cluster_axis = params.cluster_axis,
                                .memory_config = params.output_memory_config,
                                .num_links = params.num_links,
                                .topology = params.topology});
}

inline void DeepseekMoeReduceScatter::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    for (const auto& axis : ccl::axes(make)) {
        if (!axis && !mesh.is_line()) {
            continue;
        }
        const uint32_t count = axis ? mesh.dims[static_cast<size_t>(*axis)] : ccl::chips(make);
        std::vector<Tensor> parts;
        for (uint32_t i = 0; i < count; ++i) {
            parts.push_back(ccl::spread(make, {1, 1, 32, 64}));
        }
        make.add(Params{.input_tensors = parts, .dim = 3, .cluster_axis = axis});
        make.add(Params{
            .input_tensors = parts, .output_memory_config = l1_memory_config(), .dim = -2, .cluster_axis = axis});
    }
}

}  // namespace ttnn

#endif
