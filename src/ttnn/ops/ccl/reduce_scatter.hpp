// reduce_scatter: the sum of what the chips of a group hold, a slice of it for each.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct ReduceScatter {
    static constexpr std::string_view name = "ttnn.reduce_scatter";
    static constexpr std::string_view doc =
        "Adds the parts of all chips up; each keeps its slice along a dimension. Without a dimension of the mesh, all "
        "of them one after the other.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<MemoryConfig> intermediate_memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<int64_t> num_links{};
        std::optional<CclTopology> topology{};
        std::optional<int64_t> chunks_per_sync{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::dim>("dimension to cut, negative from the end; a multiple of the chips of a group"),
                  kw<&Params::cluster_axis>(ccl::axis_doc),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::intermediate_memory_config>("no effect: there is no intermediate tensor here"),
                  kw<&Params::output_tensor>("written into and returned").mutates(),
                  kw<&Params::compute_kernel_config>("precision, no effect on results here")} +
        ccl::link_fields<Params> + ccl::chunk_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(reduce_scatter, ReduceScatter);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

// Dimensions of a mesh one after the other, each storing what it leaves on a chip before the next.
inline std::vector<ttnn::reference::Array> ttnn::ReduceScatter::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    const DataType dtype = params.input_tensor.dtype();
    std::vector<reference::Array> parts = reference::parts_of(params.input_tensor);
    const auto slice = [&](std::optional<int64_t> axis, uint32_t of) {
        return reference::slice_of_sum(parts, reference::members(mesh, axis, of), of, params.dim, dtype);
    };
    if (params.cluster_axis || mesh.is_line()) {
        return {slice(params.cluster_axis, chip)};
    }
    const auto last = static_cast<int64_t>(mesh.rank()) - 1;
    for (int64_t axis = 0; axis < last; ++axis) {
        std::vector<reference::Array> slices;
        for (uint32_t each = 0; each < parts.size(); ++each) {
            slices.push_back(reference::stored_between(slice(axis, each), dtype));
        }
        parts = std::move(slices);
    }
    return {slice(last, chip)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/scatter_call.hpp"

namespace ttnn {

namespace ccl {
inline ScatterCall scatter_call(const ReduceScatter::Params& params) {
    return {.op = ReduceScatter::name,
            .primitive = "ttnn::prim::reduce_scatter",
            .input = params.input_tensor,
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output = params.output_tensor,
            .links = params.num_links};
}
}  // namespace ccl

inline void ReduceScatter::validate(const Params& params) { ccl::check_scatter(ccl::scatter_call(params)); }

inline Tensor ReduceScatter::run(const Params& params) {
    if (!ccl::goes_axis_by_axis(params.input_tensor, params.cluster_axis)) {
        return ccl::reduce_and_scatter(ccl::scatter_call(params), [&](ArgumentList& list) {
            list.add(params.subdevice_id).add(params.intermediate_memory_config).add(params.num_links);
            list.add(params.topology).add(params.chunks_per_sync).add(params.num_workers_per_link);
            list.add(params.num_buffers_per_channel).add(params.compute_kernel_config);
        });
    }
    Params step = params;
    const auto rank = static_cast<int64_t>(params.input_tensor.device()->mesh().rank());
    for (int64_t axis = 0; axis < rank; ++axis) {
        const bool last = axis + 1 == rank;
        step.cluster_axis = axis;
        step.output_tensor = last ? params.output_tensor : std::nullopt;
        step.memory_config = last ? params.memory_config : ccl::between_steps(params.memory_config);
        step.input_tensor = reduce_scatter.with(step);
    }
    return step.input_tensor;
}

inline void ReduceScatter::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * chips}), .dim = 3, .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 3 * chips, 40}), .dim = -2, .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {chips, 17, 48}),
                        .dim = 0,
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
