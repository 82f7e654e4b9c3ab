// all_gather: every chip gets the parts of all chips of its group.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct AllGather {
    static constexpr std::string_view name = "ttnn.all_gather";
    static constexpr std::string_view doc =
        "Joins the parts of all chips along a dimension; every chip gets the whole. Without a dimension of the mesh, "
        "all of them one after the other.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<int64_t> num_links{};
        std::optional<CclTopology> topology{};
        std::optional<int64_t> chunks_per_sync{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                                             arg<&Params::dim>("dimension to join, negative from the end"),
                                             kw<&Params::cluster_axis>(ccl::axis_doc),
                                             kw<&Params::memory_config>("default: the input's, shards refitted"),
                                             kw<&Params::output_tensor>("written into and returned").mutates(),
                                             kw<&Params::sub_core_grids>("cores to use")} +
                                   ccl::link_fields<Params> + ccl::chunk_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(all_gather, AllGather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

// Dimensions of a mesh one after the other, the last one first: the order of all chips.
inline std::vector<ttnn::reference::Array> ttnn::AllGather::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::gathered(params.input_tensor, reference::members(mesh, params.cluster_axis, chip), params.dim)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/gather_call.hpp"

namespace ttnn {

namespace ccl {
inline GatherCall gather_call(const AllGather::Params& params) {
    return {.op = AllGather::name,
            .primitive = "ttnn::prim::all_gather",
            .input = params.input_tensor,
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output = params.output_tensor,
            .links = params.num_links};
}
}  // namespace ccl

inline void AllGather::validate(const Params& params) { ccl::check_gather(ccl::gather_call(params)); }

inline Tensor AllGather::run(const Params& params) {
    if (!ccl::goes_axis_by_axis(params.input_tensor, params.cluster_axis)) {
        return ccl::gather(ccl::gather_call(params), [&](ArgumentList& list) {
            list.add(params.subdevice_id).add(params.num_links).add(params.topology).add(params.chunks_per_sync);
            list.add(params.num_workers_per_link).add(params.num_buffers_per_channel).add(params.sub_core_grids);
        });
    }
    Params step = params;
    const auto rank = static_cast<int64_t>(params.input_tensor.device()->mesh().rank());
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
        step.cluster_axis = axis;
        // What the caller gave for the result has room for nothing less.
        step.output_tensor = axis == 0 ? params.output_tensor : std::nullopt;
        step.memory_config = axis == 0 ? params.memory_config : ccl::between_steps(params.memory_config);
        step.input_tensor = all_gather.with(step);
    }
    return step.input_tensor;
}

inline void AllGather::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 2, 32, 64}), .dim = -1, .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 17, 40}), .dim = 2, .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 33, 48}),
                        .dim = 0,
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config(),
                        .num_links = 1,
                        .topology = CclTopology::Linear});
    }
}

}  // namespace ttnn

#endif
