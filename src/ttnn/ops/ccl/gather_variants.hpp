// Gathering in another order of transfers, with the same result: strided_all_gather_async feeds a product chunk by
// chunk, ring_attention_all_gather_async takes several tensors at once.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct StridedAllGatherAsync {
    static constexpr std::string_view name = "ttnn.experimental.strided_all_gather_async";
    static constexpr std::string_view doc =
        "Joins the parts of all chips along a dimension, in the chunks that a product takes.";
    struct Params {
        Tensor input_tensor{};
        std::optional<Tensor> persistent_output_buffer{};
        std::optional<int64_t> dim{};
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> tiles_per_chunk{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
        std::optional<int64_t> mm_cores_y{};
        std::optional<int64_t> mm_block_ht{};
        std::optional<int64_t> mm_block_wt{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  opt<&Params::persistent_output_buffer>("written into and returned").mutates(),
                  opt<&Params::dim>("dimension to join, negative from the end; must be given"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::num_links>("links between chips to use; no effect on results"),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::topology>("how chips are linked; no effect on results"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  kw<&Params::tiles_per_chunk>("no effect on results"),
                  kw<&Params::mm_cores_y>("no effect on results"),
                  kw<&Params::mm_block_ht>("no effect on results"),
                  kw<&Params::mm_block_wt>("no effect on results")} +
        ccl::buffering_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct RingAttentionAllGatherAsync {
    static constexpr std::string_view name = "ttnn.experimental.ring_attention_all_gather_async";
    static constexpr std::string_view doc = "Joins the parts of all chips along a dimension, for each of some tensors.";
    struct Params {
        std::vector<Tensor> input_tensor{};
        std::vector<Tensor> persistent_output_buffer{};
        int64_t dim = 0;
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t cluster_axis = 0;
        DeviceHandle mesh_device{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> subdevice_id{};
        CoreCoord ccl_core_grid_offset{};
        bool use_column_major_ccl = false;
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensors on a mesh"),
        arg<&Params::persistent_output_buffer>("written into and returned, one for each").mutates(),
        arg<&Params::dim>("dimension to join, negative from the end"),
        kw<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
        kw<&Params::num_links>("links between chips to use; no effect on results"),
        kwreq<&Params::cluster_axis>(ccl::axis_doc),
        kwreq<&Params::mesh_device>("the device of the tensors"),
        kw<&Params::memory_config>("no effect: the buffers have theirs"),
        kwreq<&Params::topology>("how chips are linked; no effect on results"),
        kw<&Params::subdevice_id>("no effect"),
        kw<&Params::ccl_core_grid_offset>("no effect"),
        kw<&Params::use_column_major_ccl>("no effect")};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<StridedAllGatherAsync> strided_all_gather_async{};
inline constexpr Op<RingAttentionAllGatherAsync> ring_attention_all_gather_async{};
}  // namespace experimental

TTNN_DECLARATION(StridedAllGatherAsync);
TTNN_DECLARATION(RingAttentionAllGatherAsync);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

inline std::vector<reference::Array> StridedAllGatherAsync::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::gathered(params.input_tensor, reference::members(mesh, params.cluster_axis, chip), *params.dim)};
}

inline std::vector<reference::Array> RingAttentionAllGatherAsync::mesh_reference(const Params& params, uint32_t chip) {
    std::vector<reference::Array> outputs;
    for (const Tensor& tensor : params.input_tensor) {
        const auto chips = reference::members(reference::mesh_of(tensor), params.cluster_axis, chip);
        outputs.push_back(reference::gathered(tensor, chips, params.dim));
    }
    return outputs;
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/gather_call.hpp"

namespace ttnn {

namespace ccl {

inline GatherCall gather_call(const StridedAllGatherAsync::Params& params) {
    return {.op = StridedAllGatherAsync::name,
            .primitive = "ttnn::prim::strided_all_gather_async",
            .input = params.input_tensor,
            .dim = given_dim(StridedAllGatherAsync::name, params.dim),
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output_argument = "persistent_output_buffer",
            .output = params.persistent_output_buffer,
            .links = params.num_links};
}

inline GatherCall gather_call(const RingAttentionAllGatherAsync::Params& params, size_t index) {
    return {.op = RingAttentionAllGatherAsync::name,
            .primitive = "ttnn::prim::ring_attention_all_gather_async",
            .input = params.input_tensor[index],
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .output_argument = "persistent_output_buffer",
            .output = params.persistent_output_buffer[index],
            .links = params.num_links};
}

}  // namespace ccl

inline void StridedAllGatherAsync::validate(const Params& params) { ccl::check_gather(ccl::gather_call(params)); }

inline Tensor StridedAllGatherAsync::run(const Params& params) {
    return ccl::gather(ccl::gather_call(params), [&](ArgumentList& list) {
        list.add_at_run(params.multi_device_global_semaphore).add(params.num_links).add(params.topology);
        list.add(params.tiles_per_chunk).add(params.num_workers_per_link).add(params.num_buffers_per_channel);
        list.add(params.mm_cores_y).add(params.mm_block_ht).add(params.mm_block_wt);
    });
}

inline void StridedAllGatherAsync::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                        .dim = 3,
                        .cluster_axis = axis,
                        .tiles_per_chunk = 2,
                        .mm_cores_y = 1});
    }
}

inline void RingAttentionAllGatherAsync::validate(const Params& params) {
    require(params.persistent_output_buffer.size() == params.input_tensor.size(),
            "{}: argument 'persistent_output_buffer' must have a buffer for each of the {} tensors, got {}", name,
            params.input_tensor.size(), params.persistent_output_buffer.size());
    for (size_t i = 0; i < params.input_tensor.size(); ++i) {
        ccl::check_gather(ccl::gather_call(params, i));
    }
}

inline std::vector<Tensor> RingAttentionAllGatherAsync::run(const Params& params) {
    std::vector<Tensor> results;
    for (size_t i = 0; i < params.input_tensor.size(); ++i) {
        results.push_back(ccl::gather(ccl::gather_call(params, i), [&](ArgumentList& list) {
            list.add_at_run(params.multi_device_global_semaphore).add(params.topology).add(params.num_links);
            list.add(params.memory_config).add(params.subdevice_id).add(params.ccl_core_grid_offset);
        }));
    }
    return results;
}

inline void RingAttentionAllGatherAsync::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    for (uint32_t axis = 0; axis < mesh.rank(); ++axis) {
        const uint32_t size = mesh.dims[axis];
        make.add(Params{
            .input_tensor = {ccl::spread(make, {1, 2, 32, 64}), ccl::spread(make, {1, 2, 64, 32})},
            .persistent_output_buffer = {ccl::spread(make, {1, 2 * size, 32, 64}),
                                         ccl::spread(make, {1, 2 * size, 64, 32})},
            .dim = 1,
            .cluster_axis = axis,
            .mesh_device = make.device(),
            .topology = CclTopology::Linear,
        });
    }
}

}  // namespace ttnn

#endif
