// Asynchronous forms of reduce_scatter: with semaphores and buffers of the caller, and two older ones.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

namespace ccl {
// What the older forms wait for.
template <class Params>
inline constexpr FieldList neighbour_fields{
    opt<&Params::from_remote_multi_device_global_semaphore>(semaphore_doc).is_volatile(),
    opt<&Params::to_remote_multi_device_global_semaphore>(semaphore_doc).is_volatile()};
}  // namespace ccl

struct ReduceScatterMinimalAsync {
    static constexpr std::string_view name = "ttnn.experimental.reduce_scatter_minimal_async";
    static constexpr std::string_view doc =
        "Adds the parts of all chips up; each keeps its slice along a dimension. Without a dimension of the mesh all "
        "chips are one group.";
    struct Params {
        Tensor input_tensor{};
        std::optional<std::vector<Tensor>> persistent_output_buffers{};
        std::optional<int64_t> dim{};
        SemaphoreArgument multi_device_global_semaphore{};
        std::optional<GlobalSemaphore> barrier_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        std::optional<MemoryConfig> intermediate_memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> chunks_per_sync{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{
            arg<&Params::input_tensor>("tensor on a mesh"),
            opt<&Params::persistent_output_buffers>("room for what is on its way, which stays as it is here, and the "
                                                    "tensor that is written into and returned")
                .mutates(),
            opt<&Params::dim>("dimension to cut, negative from the end; must be given"),
            opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
            kw<&Params::barrier_semaphore>("no effect").is_volatile(),
            kw<&Params::memory_config>("default: the input's, shards refitted"),
            kw<&Params::intermediate_memory_config>("no effect: there is no intermediate tensor here"),
            kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
            kw<&Params::compute_kernel_config>("precision, no effect on results here")} +
        ccl::link_fields<Params> + ccl::chunk_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct ReduceScatterAsync {
    static constexpr std::string_view name = "ttnn.experimental.reduce_scatter_async";
    static constexpr std::string_view doc = "An older form of reduce_scatter_minimal_async, of all chips.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        std::optional<GlobalSemaphore> from_remote_multi_device_global_semaphore{};
        std::optional<GlobalSemaphore> to_remote_multi_device_global_semaphore{};
        ReduceType math_op = ReduceType::Sum;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                                             arg<&Params::dim>("dimension to cut, negative from the end")} +
                                   ccl::neighbour_fields<Params> +
                                   FieldList{opt<&Params::math_op>("must be Sum"),
                                             kw<&Params::memory_config>("default: the input's, shards refitted")} +
                                   ccl::link_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct ReduceScatterAsyncAlong {
    static constexpr std::string_view name = "ttnn.experimental.reduce_scatter_async";
    static constexpr std::string_view doc = "An older form of reduce_scatter_minimal_async, along one mesh dimension.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        int64_t cluster_axis = 0;
        DeviceHandle mesh_device{};
        std::optional<GlobalSemaphore> from_remote_multi_device_global_semaphore{};
        std::optional<GlobalSemaphore> to_remote_multi_device_global_semaphore{};
        std::optional<std::vector<Tensor>> persistent_output_tensors{};
        ReduceType math_op = ReduceType::Sum;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::dim>("dimension to cut, negative from the end"),
                  arg<&Params::cluster_axis>(ccl::axis_doc), arg<&Params::mesh_device>("the device of the tensor")} +
        ccl::neighbour_fields<Params> +
        FieldList{kw<&Params::persistent_output_tensors>("the first is written into and returned").mutates(),
                  kw<&Params::math_op>("must be Sum"),
                  kw<&Params::memory_config>("default: the input's, shards refitted")} +
        ccl::link_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct LlamaReduceScatter {
    static constexpr std::string_view name = "ttnn.experimental.llama_reduce_scatter";
    static constexpr std::string_view doc = "reduce_scatter of width-sharded tensors, through a buffer of packets.";
    struct Params {
        Tensor input_tensor{};
        Tensor intermediate_packet_buffer{};
        int64_t dim = 0;
        std::optional<GlobalSemaphore> cross_device_semaphore{};
        std::optional<int64_t> subdevice_id{};
        std::optional<int64_t> cluster_axis{};
        std::optional<DeviceHandle> mesh_device{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        bool use_noc1_only = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a mesh"),
        arg<&Params::intermediate_packet_buffer>("room for what is on its way; stays as it is here"),
        arg<&Params::dim>("dimension to cut, negative from the end"),
        opt<&Params::cross_device_semaphore>(ccl::semaphore_doc).is_volatile(),
        opt<&Params::subdevice_id>("no effect"),
        opt<&Params::cluster_axis>(ccl::axis_or_all_doc),
        opt<&Params::mesh_device>("the device of the tensor"),
        kw<&Params::num_links>("links between chips to use; no effect on results"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::topology>("how chips are linked; no effect on results"),
        kw<&Params::use_noc1_only>("no effect on results")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<ReduceScatterMinimalAsync> reduce_scatter_minimal_async{};
inline constexpr Overloads<ReduceScatterAsync, ReduceScatterAsyncAlong> reduce_scatter_async{};
inline constexpr Op<LlamaReduceScatter> llama_reduce_scatter{};
}  // namespace experimental

TTNN_DECLARATION(ReduceScatterMinimalAsync);
TTNN_DECLARATION(ReduceScatterAsync);
TTNN_DECLARATION(ReduceScatterAsyncAlong);
TTNN_DECLARATION(LlamaReduceScatter);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {
inline std::vector<Array> scattered(const Tensor& input, std::optional<int64_t> axis, int64_t dim, uint32_t chip) {
    const auto chips = members(mesh_of(input), axis, chip);
    return {slice_of_sum(parts_of(input), chips, chip, dim, input.dtype())};
}
}  // namespace reference

inline std::vector<reference::Array> ReduceScatterMinimalAsync::mesh_reference(const Params& params, uint32_t chip) {
    return reference::scattered(params.input_tensor, params.cluster_axis, *params.dim, chip);
}
// The buffer that is not returned.
inline reference::Array ReduceScatterMinimalAsync::mutated_reference(const Params& params, std::string_view) {
    return reference::values(params.persistent_output_buffers->front());
}
inline std::vector<reference::Array> ReduceScatterAsync::mesh_reference(const Params& params, uint32_t chip) {
    return reference::scattered(params.input_tensor, std::nullopt, params.dim, chip);
}
inline std::vector<reference::Array> ReduceScatterAsyncAlong::mesh_reference(const Params& params, uint32_t chip) {
    return reference::scattered(params.input_tensor, params.cluster_axis, params.dim, chip);
}
inline reference::Array ReduceScatterAsyncAlong::mutated_reference(const Params& params, std::string_view) {
    return reference::values(params.persistent_output_tensors->back());
}
inline std::vector<reference::Array> LlamaReduceScatter::mesh_reference(const Params& params, uint32_t chip) {
    return reference::scattered(params.input_tensor, params.cluster_axis, params.dim, chip);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/scatter_call.hpp"

namespace ttnn {

namespace ccl {

inline ScatterCall scatter_call(const ReduceScatterMinimalAsync::Params& params) {
    const auto& buffers = params.persistent_output_buffers;
    return {.op = ReduceScatterMinimalAsync::name,
            .primitive = "ttnn::prim::reduce_scatter_minimal_async",
            .input = params.input_tensor,
            .dim = given_dim(ReduceScatterMinimalAsync::name, params.dim),
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output_argument = "persistent_output_buffers",
            .output = buffers && !buffers->empty() ? std::optional(buffers->back()) : std::nullopt,
            .links = params.num_links};
}

inline ScatterCall scatter_call(const ReduceScatterAsync::Params& params) {
    return {.op = ReduceScatterAsync::name,
            .primitive = "ttnn::prim::reduce_scatter_async",
            .input = params.input_tensor,
            .dim = params.dim,
            .memory_config = params.memory_config,
            .links = params.num_links};
}

inline ScatterCall scatter_call(const ReduceScatterAsyncAlong::Params& params) {
    const auto& tensors = params.persistent_output_tensors;
    return {.op = ReduceScatterAsyncAlong::name,
            .primitive = "ttnn::prim::reduce_scatter_async",
            .input = params.input_tensor,
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output_argument = "persistent_output_tensors",
            .output = tensors && !tensors->empty() ? std::optional(tensors->front()) : std::nullopt,
            .links = params.num_links};
}

inline ScatterCall scatter_call(const LlamaReduceScatter::Params& params) {
    return {.op = LlamaReduceScatter::name,
            .primitive = "ttnn::prim::llama_reduce_scatter",
            .input = params.input_tensor,
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .links = params.num_links};
}

}  // namespace ccl

inline void ReduceScatterMinimalAsync::validate(const Params& params) { ccl::check_scatter(ccl::scatter_call(params)); }
inline void ReduceScatterAsync::validate(const Params& params) {
    ccl::check_sum(name, params.math_op);
    ccl::check_scatter(ccl::scatter_call(params));
}
inline void ReduceScatterAsyncAlong::validate(const Params& params) {
    ccl::check_sum(name, params.math_op);
    ccl::check_scatter(ccl::scatter_call(params));
}
inline void LlamaReduceScatter::validate(const Params& params) { ccl::check_scatter(ccl::scatter_call(params)); }

inline Tensor ReduceScatterMinimalAsync::run(const Params& params) {
    return ccl::reduce_and_scatter(ccl::scatter_call(params), [&](ArgumentList& list) {
        list.add_at_run(params.multi_device_global_semaphore).add_at_run(params.barrier_semaphore);
        list.add(params.num_links).add(params.intermediate_memory_config).add(params.topology);
        list.add(params.subdevice_id).add(params.chunks_per_sync).add(params.num_workers_per_link);
        list.add(params.num_buffers_per_channel).add(params.compute_kernel_config);
    });
}

inline Tensor ReduceScatterAsync::run(const Params& params) {
    return ccl::reduce_and_scatter(ccl::scatter_call(params), [&](ArgumentList& list) {
        list.add_at_run(params.from_remote_multi_device_global_semaphore);
        list.add_at_run(params.to_remote_multi_device_global_semaphore).add(params.math_op);
        list.add(params.topology).add(params.num_links).add(params.subdevice_id);
    });
}

inline Tensor ReduceScatterAsyncAlong::run(const Params& params) {
    return ccl::reduce_and_scatter(ccl::scatter_call(params), [&](ArgumentList& list) {
        list.add_at_run(params.from_remote_multi_device_global_semaphore);
        list.add_at_run(params.to_remote_multi_device_global_semaphore).add(params.math_op);
        list.add(params.topology).add(params.num_links).add(params.subdevice_id);
    });
}

inline Tensor LlamaReduceScatter::run(const Params& params) {
    return ccl::reduce_and_scatter(ccl::scatter_call(params), [&](ArgumentList& list) {
        list.add(params.intermediate_packet_buffer).add_at_run(params.cross_device_semaphore);
        list.add(params.subdevice_id).add(params.num_links).add(params.topology).add(params.use_noc1_only);
    });
}

inline void ReduceScatterMinimalAsync::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * chips}),
                        .dim = 3,
                        .cluster_axis = axis,
                        .chunks_per_sync = 10});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 3 * chips, 40}),
                        .dim = 1,
                        .memory_config = l1_memory_config(),
                        .topology = CclTopology::Linear,
                        .cluster_axis = axis});
    }
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * chips}),
                    .persistent_output_buffers =
                        std::vector{ccl::spread(make, {2, 1, 32, 32 * chips}), ccl::spread(make, {1, 1, 32, 32})},
                    .dim = 3});
}

inline void ReduceScatterAsync::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * ccl::chips(make)}), .dim = -1});
}

inline void ReduceScatterAsyncAlong::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    const uint32_t width = 32 * ccl::chips(make);
    for (uint32_t axis = 0; axis < mesh.rank(); ++axis) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, width}),
                        .dim = 3,
                        .cluster_axis = axis,
                        .mesh_device = make.device()});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, width}),
                        .dim = 3,
                        .cluster_axis = axis,
                        .mesh_device = make.device(),
                        .persistent_output_tensors = std::vector{ccl::spread(make, {1, 1, 32, width / mesh.dims[axis]}),
                                                                 ccl::spread(make, {1, 1, 32, width})}});
    }
}

inline void LlamaReduceScatter::cases(CaseMaker& make) {
    for (uint32_t axis = 0; axis < make.device()->mesh().rank(); ++axis) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * ccl::chips(make)}),
                        .intermediate_packet_buffer = ccl::spread(make, {1, 1, 32, 64}),
                        .dim = 3,
                        .cluster_axis = axis,
                        .mesh_device = make.device()});
    }
}

}  // namespace ttnn

#endif
